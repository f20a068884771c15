/* cache: both ways of counting agree, and a dropped file is gone from RAM. */
#include "storage/cache.h"

#include "fake_host.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#define MIB (1u << 20)
#define TMPFS_MAGIC_NUMBER 0x01021994

static char folder[64];

static int make_file(uint64_t bytes)
{
    int fd = open(folder, O_RDWR | O_TMPFILE | O_CLOEXEC, 0600);
    assert_true(fd >= 0);
    static unsigned char block[MIB];
    memset(block, 7, sizeof block);
    for (uint64_t at = 0; at < bytes; at += MIB)
        assert_int_equal(write(fd, block, MIB), MIB);
    return fd;
}

static void written_pages_are_seen(void **state)
{
    (void)state;
    int fd = make_file(3 * MIB);
    uint64_t resident = 0;
    assert_int_equal(cache_resident(fd, 0, 3 * MIB, &resident), 0);
    assert_int_equal(resident, 3 * MIB);
    assert_int_equal(cache_resident(fd, MIB, MIB, &resident), 0);
    assert_int_equal(resident, MIB);
    assert_int_equal(cache_resident(fd, MIB, 0, &resident), 0);
    assert_int_equal(resident, 0);
    close(fd);
}

static void dropped_pages_are_gone(void **state)
{
    (void)state;
    struct statfs filesystem;
    assert_int_equal(statfs(folder, &filesystem), 0);
    if (filesystem.f_type == TMPFS_MAGIC_NUMBER)
        skip(); /* RAM is all there is */
    int fd = make_file(3 * MIB);
    uint64_t resident = 1;
    assert_int_equal(cache_drop(fd), 0);
    assert_int_equal(cache_resident(fd, 0, 3 * MIB, &resident), 0);
    assert_int_equal(resident, 0);
    close(fd);
}

static void by_mincore(void **state)
{
    setenv("IODYNO_NO_CACHESTAT", "1", 1);
    written_pages_are_seen(state);
    dropped_pages_are_gone(state);
    int fd = make_file(MIB);
    uint64_t resident = 0;
    /* across the windows in which it maps, beyond the file's end too */
    assert_int_equal(ftruncate(fd, 200 * (off_t)MIB), 0);
    assert_int_equal(cache_resident(fd, 0, 200u * MIB, &resident), 0);
    assert_int_equal(resident, MIB);
    close(fd);
    unsetenv("IODYNO_NO_CACHESTAT");
}

static void no_file_is_an_error(void **state)
{
    (void)state;
    uint64_t resident = 42;
    assert_true(cache_resident(-1, 0, MIB, &resident) < 0);
    assert_true(cache_drop(-1) < 0);
    assert_int_equal(resident, 42);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(written_pages_are_seen),
        cmocka_unit_test(dropped_pages_are_gone),
        cmocka_unit_test(by_mincore),
        cmocka_unit_test(no_file_is_an_error),
    };
    fake_folder_make(folder);
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    fake_folder_remove(folder);
    return failed;
}
