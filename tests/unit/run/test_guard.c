#include "run/guard.h"

#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/cleanup.h"
#include "base/str.h"

#define MIB (1ull << 20)

static int admit(const char *folder, bool will_write, uint64_t room, struct guard_scope *scope,
                 struct str *why)
{
    const struct guard_request request = {.root = "",
                                          .target_id = "test",
                                          .folder = folder,
                                          .will_write = will_write,
                                          .room_bytes = room,
                                          .holder = "unit test"};
    return guard_admit(&request, scope, why);
}

/* A refusal leaves the scope as it was and says one sentence with `part` in it. */
static void assert_refused(const char *folder, int code, const char *part)
{
    AUTO(str_done) struct str why = {0};
    struct guard_scope scope = {.dirfd = -7};
    assert_int_equal(admit(folder, true, MIB, &scope, &why), code);
    assert_int_equal(scope.dirfd, -7);
    if (!strstr(str_text(&why), part))
        fail_msg("\"%s\" lacks \"%s\"", str_text(&why), part);
}

static void reserve_is_64_mib_or_five_percent(void **state)
{
    (void)state;
    assert_true(guard_largest(0) == 0);
    assert_true(guard_largest(64 * MIB) == 0);
    assert_true(guard_largest(64 * MIB + 1) == 1);
    assert_true(guard_largest(1344 * MIB) == 1280 * MIB); /* where both reserves are equal */
    assert_true(guard_largest(2100 * MIB) == 2000 * MIB);
    assert_true(guard_largest(21 * MIB * MIB) == 20 * MIB * MIB);
}

static void the_largest_fits_and_one_more_does_not(void **state)
{
    (void)state;
    static const uint64_t rooms[] = {65 * MIB,       1343 * MIB + 17, 1344 * MIB + 1, 1345 * MIB,
                                     31914983424ull, 12345678901ull,  UINT64_MAX - 3, UINT64_MAX};
    for (size_t i = 0; i < ARRAY_SIZE(rooms); i++) {
        for (uint64_t more = 0; more < 2; more++) {
            uint64_t size = guard_largest(rooms[i]) + more, reserve = size / 20;
            if (reserve < GUARD_RESERVE_MIN)
                reserve = GUARD_RESERVE_MIN;
            bool fits = size <= rooms[i] && reserve <= rooms[i] - size;
            assert_int_equal(fits, more == 0);
        }
    }
}

static void fat_has_a_file_limit(void **state)
{
    (void)state;
    assert_true(guard_max_file_bytes("vfat") == 0xffffffffull);
    assert_true(guard_max_file_bytes("ext4") == 0);
}

static void what_is_no_folder_is_refused(void **state)
{
    (void)state;
    assert_refused("/nonexistent/folder", -ENOENT, "does not exist");
    assert_refused("/proc/self/status", -ENOTDIR, "is not a folder");
    assert_refused("relative", -EINVAL, "no absolute path");
    assert_refused(NULL, -EINVAL, "no absolute path");
}

static void kernel_file_systems_are_refused(void **state)
{
    (void)state;
    assert_refused("/proc", -EPERM, "proc");
    assert_refused("/proc/self/task", -EPERM, "proc");
    assert_refused("/sys/class", -EPERM, "sysfs");
}

static void links_are_refused_however_written(void **state)
{
    (void)state;
    char base[] = "/tmp/iodyno-guard-XXXXXX";
    assert_non_null(mkdtemp(base));
    AUTO(str_done) struct str link = {0}, slash = {0}, dot = {0}, file = {0};
    str_addf(&link, "%s/link", base);
    str_addf(&slash, "%s//", link.text);
    str_addf(&dot, "%s/./.", link.text);
    str_addf(&file, "%s/dangling", base);
    assert_int_equal(symlink("/tmp", link.text), 0);
    assert_int_equal(symlink("/nonexistent", file.text), 0);
    assert_refused(link.text, -ELOOP, "symbolic link");
    assert_refused(slash.text, -ELOOP, "symbolic link");
    assert_refused(dot.text, -ELOOP, "symbolic link");
    assert_refused(file.text, -ELOOP, "symbolic link");
    (void)unlink(link.text);
    (void)unlink(file.text);
    (void)rmdir(base);
}

static void an_impossible_size_is_refused_with_one_that_fits(void **state)
{
    (void)state;
    AUTO(str_done) struct str why = {0};
    struct guard_scope scope = {.dirfd = -7};
    assert_int_equal(admit("/tmp", true, UINT64_MAX, &scope, &why), -ENOSPC);
    assert_non_null(strstr(why.text, "too little room"));
    assert_non_null(strstr(why.text, "free"));
    assert_int_equal(scope.dirfd, -7);
}

static void an_admitted_folder_can_be_used(void **state)
{
    (void)state;
    char base[] = "/tmp/iodyno-guard-XXXXXX";
    assert_non_null(mkdtemp(base));
    AUTO(str_done) struct str why = {0};
    struct guard_scope scope = {.dirfd = -1};
    int rc = admit(base, true, 0, &scope, &why);
    if (rc == -ENOSPC)
        skip(); /* this machine's /tmp is full */
    assert_int_equal(rc, 0);
    struct stat about, expected;
    assert_int_equal(fstat(scope.dirfd, &about), 0);
    assert_int_equal(stat(base, &expected), 0);
    assert_int_equal(about.st_ino, expected.st_ino);
    assert_int_equal(fcntl(scope.dirfd, F_GETFD) & FD_CLOEXEC, FD_CLOEXEC);
    assert_non_null(scope.filesystem);
    assert_non_null(scope.leaf_stat);
    for (char **path = scope.leaf_stat; *path; path++)
        assert_int_equal(access(*path, R_OK), 0);
    assert_true(scope.logical_block >= 512);
    assert_int_equal(scope.lease_count, 0);
    int dirfd = scope.dirfd;
    guard_release(&scope);
    assert_int_equal(scope.dirfd, -1);
    assert_int_equal(fcntl(dirfd, F_GETFD), -1);
    guard_release(&scope); /* a second time does nothing */
    (void)rmdir(base);
}

static void a_raw_device_is_only_read(void **state)
{
    (void)state;
    AUTO(str_done) struct str why = {0};
    struct guard_scope scope = {.dirfd = -7};
    struct guard_request request = {
        .target_id = "sdx", .is_raw = true, .will_write = true, .raw_major = 511};
    assert_int_equal(guard_admit(&request, &scope, &why), -EPERM);
    assert_string_equal(why.text, "sdx is never written to raw");
    request.will_write = false;
    request.raw_minor = 1048575; /* no such device */
    assert_int_equal(guard_admit(&request, &scope, &why), -ENODEV);
    assert_string_equal(why.text, "sdx is no longer there");
    assert_int_equal(scope.dirfd, -7); /* untouched */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reserve_is_64_mib_or_five_percent),
        cmocka_unit_test(the_largest_fits_and_one_more_does_not),
        cmocka_unit_test(fat_has_a_file_limit),
        cmocka_unit_test(what_is_no_folder_is_refused),
        cmocka_unit_test(kernel_file_systems_are_refused),
        cmocka_unit_test(links_are_refused_however_written),
        cmocka_unit_test(an_impossible_size_is_refused_with_one_that_fits),
        cmocka_unit_test(a_raw_device_is_only_read),
        cmocka_unit_test(an_admitted_folder_can_be_used),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
