/* scratch: which file is made, refused, kept, removed, swept. */
#include "storage/scratch.h"

#include "fake_host.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static char folder[64], why[SCRATCH_WHY_MAX];
static int folder_fd;

static struct scratch_request request_of(const char *file)
{
    return (struct scratch_request){.dirfd = folder_fd,
                                    .folder = folder,
                                    .filesystem = "ext4",
                                    .file = file,
                                    .has_tmpfile = true,
                                    .planned_bytes = 1000};
}

static unsigned names(void)
{
    unsigned count = 0;
    DIR *dir = opendir(folder);
    const struct dirent *entry;
    while ((entry = readdir(dir)))
        count += strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0;
    closedir(dir);
    return count;
}

static int setup(void **state)
{
    (void)state;
    fake_folder_make(folder);
    folder_fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    close(folder_fd);
    fake_folder_remove(folder);
    return 0;
}

static void put(const char *name, const char *text)
{
    int fd = openat(folder_fd, name, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, text, strlen(text)), (ssize_t)strlen(text));
    close(fd);
}

static void plain_names_only(void **state)
{
    (void)state;
    char longest[STAMP_FILE_MAX + 2];
    memset(longest, 'a', sizeof longest);
    longest[STAMP_FILE_MAX + 1] = '\0';
    assert_false(scratch_name_valid(longest));
    longest[STAMP_FILE_MAX] = '\0';
    assert_true(scratch_name_valid(longest));
    assert_true(scratch_name_valid("bench.img"));
    assert_true(scratch_name_valid("..bench"));
    assert_false(scratch_name_valid(""));
    assert_false(scratch_name_valid("."));
    assert_false(scratch_name_valid(".."));
    assert_false(scratch_name_valid("a/b"));
    assert_false(scratch_name_valid(".iodyno-x"));
}

static void nameless_where_the_filesystem_can(void **state)
{
    (void)state;
    struct scratch scratch;
    struct scratch_request request = request_of("");
    assert_int_equal(scratch_create(&scratch, &request, why), 0);
    assert_int_equal(names(), 0);
    struct stat status;
    assert_int_equal(fstat(scratch.fd, &status), 0);
    assert_int_equal(status.st_mode & 0777, 0600);
    assert_int_equal(scratch_close(&scratch), 0);
    assert_int_equal(scratch_close(&scratch), 0); /* harmless */
}

static void named_and_stamped_elsewhere(void **state)
{
    (void)state;
    struct scratch one, two;
    struct scratch_request request = request_of("");
    request.has_tmpfile = false;
    assert_int_equal(scratch_create(&one, &request, why), 0);
    assert_int_equal(scratch_create(&two, &request, why), 0);
    assert_string_not_equal(one.name, two.name);
    assert_int_equal(strncmp(one.name, ".iodyno-", 8), 0);
    assert_int_equal(names(), 4); /* two files, two stamps */
    uint64_t bytes;
    assert_int_equal(scratch_sweep(folder_fd, "ext4", &bytes), 0); /* their owner is alive */
    assert_int_equal(scratch_close(&one), 0);
    assert_int_equal(scratch_close(&two), 0);
    assert_int_equal(names(), 0);
}

static void kept_file_may_be_replaced_by_us_alone(void **state)
{
    (void)state;
    struct scratch scratch;
    struct scratch_request request = request_of("bench.img");
    assert_int_equal(scratch_create(&scratch, &request, why), 0);
    assert_int_equal(write(scratch.fd, "0000", 4), 4);
    assert_int_equal(scratch_close(&scratch), 0);
    assert_int_equal(names(), 2);
    assert_int_equal(scratch_create(&scratch, &request, why), 0); /* ours: a fresh one */
    struct stat status;
    assert_int_equal(fstat(scratch.fd, &status), 0);
    assert_int_equal(status.st_size, 0);
    assert_int_equal(scratch_close(&scratch), 0);
    /* somebody puts his own data there, in place */
    put("bench.img", "letters");
    assert_int_equal(scratch_create(&scratch, &request, why), -EEXIST);
    assert_non_null(strstr(why, "no longer what iodyno left"));
    assert_int_equal(fstatat(folder_fd, "bench.img", &status, 0), 0);
    assert_int_equal(status.st_size, 7);
}

static void strangers_file_is_refused(void **state)
{
    (void)state;
    struct scratch scratch;
    struct scratch_request request = request_of("thesis.txt");
    put("thesis.txt", "years of work");
    assert_int_equal(scratch_create(&scratch, &request, why), -EEXIST);
    assert_non_null(strstr(why, "thesis.txt"));
    assert_non_null(strstr(why, "did not write it"));
    assert_int_equal(names(), 1);
    assert_int_equal(symlinkat("thesis.txt", folder_fd, "link"), 0);
    request.file = "link";
    assert_int_equal(scratch_create(&scratch, &request, why), -EEXIST);
    assert_int_equal(scratch_open(&scratch, &request, why), -ELOOP);
    assert_non_null(strstr(why, "symbolic link"));
}

static void another_runs_file_is_busy(void **state)
{
    (void)state;
    struct scratch scratch;
    struct scratch_request request = request_of("bench.img");
    struct stat status;
    struct stamp stamp;
    put("bench.img", "half");
    assert_int_equal(fstatat(folder_fd, "bench.img", &status, 0), 0);
    stamp_make(&stamp, "bench.img", &status, 1000);
    stamp.pid = (uint64_t)getppid();
    stamp.start = 0; /* unknown: alive is enough */
    assert_int_equal(stamp_write(folder_fd, &stamp), 0);
    assert_int_equal(scratch_create(&scratch, &request, why), -EBUSY);
}

static void opens_only_regular_files(void **state)
{
    (void)state;
    struct scratch scratch;
    struct scratch_request request = request_of("absent");
    assert_int_equal(scratch_open(&scratch, &request, why), -ENOENT);
    assert_int_equal(mkfifoat(folder_fd, "fifo", 0600), 0);
    request.file = "fifo";
    assert_int_equal(scratch_open(&scratch, &request, why), -EINVAL);
    assert_non_null(strstr(why, "not a regular file"));
    put("data", "x");
    request.file = "data";
    assert_int_equal(scratch_open(&scratch, &request, why), 0);
    assert_int_equal(scratch_close(&scratch), 0);
    assert_int_equal(faccessat(folder_fd, "data", F_OK, 0), 0);
}

static void sweeps_only_what_is_proven_ours(void **state)
{
    (void)state;
    static const char *const kept[] = {
        ".iodyno-0123abcd-42-0.tmp",  /* our pattern, no stamp */
        ".iodyno-0123abcd-42-1.tmp",  /* stamp of another inode */
        ".iodyno-0123abcd-42-1.tmpx", /* not our pattern */
        ".iodyno-zzz-42-1.tmp",       "bench.img",
    };
    struct stat status;
    struct stamp stamp;
    for (size_t i = 0; i < sizeof kept / sizeof kept[0]; i++) {
        put(kept[i], "data");
        assert_int_equal(fstatat(folder_fd, kept[i], &status, 0), 0);
        stamp_make(&stamp, kept[i], &status, 1000);
        stamp.boot[0] = stamp.boot[0] == '0' ? '1' : '0';
        stamp.inode += i == 1;
        if (i > 0)
            assert_int_equal(stamp_write(folder_fd, &stamp), 0);
    }
    static const char left[] = ".iodyno-0123abcd-42-7.tmp"; /* of an earlier boot: ours */
    put(left, "left");
    assert_int_equal(fstatat(folder_fd, left, &status, 0), 0);
    stamp_make(&stamp, left, &status, 1000);
    stamp.boot[0] = stamp.boot[0] == '0' ? '1' : '0';
    assert_int_equal(stamp_write(folder_fd, &stamp), 0);
    unsigned before = names();
    uint64_t bytes;
    assert_int_equal(scratch_sweep(folder_fd, "ext4", &bytes), 1);
    assert_int_equal(bytes, 4);
    assert_int_equal(names(), before - 2);
    for (size_t i = 0; i < sizeof kept / sizeof kept[0]; i++)
        assert_int_equal(faccessat(folder_fd, kept[i], F_OK, 0), 0);
    assert_int_equal(scratch_sweep(-1, "ext4", &bytes), 0);
}

static void direct_is_set_and_cleared(void **state)
{
    (void)state;
    struct scratch scratch;
    struct scratch_request request = request_of("");
    request.is_direct = true;
    assert_int_equal(scratch_create(&scratch, &request, why), 0);
    if (!scratch.was_direct_refused) {
        assert_true(scratch.is_direct);
        assert_true(fcntl(scratch.fd, F_GETFL) & O_DIRECT);
        assert_int_equal(scratch_set_direct(&scratch, false), 0);
        assert_false(fcntl(scratch.fd, F_GETFL) & O_DIRECT);
        assert_false(scratch.is_direct);
    }
    assert_int_equal(scratch_close(&scratch), 0);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(plain_names_only), TEST(nameless_where_the_filesystem_can),
        TEST(named_and_stamped_elsewhere),  TEST(kept_file_may_be_replaced_by_us_alone),
        TEST(strangers_file_is_refused),    TEST(another_runs_file_is_busy),
        TEST(opens_only_regular_files),     TEST(sweeps_only_what_is_proven_ours),
        TEST(direct_is_set_and_cleared),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
