#include "run/lease.h"

#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/cleanup.h"
#include "base/places.h"
#include "base/str.h"

/* A stand-in for a disk's sysfs folder, with a number no real disk has. */
static char disk[] = "/tmp/iodyno-lease-XXXXXX";
#define NUMBER "4095:1048575"

static char *path_of(const char *folder, const char *name)
{
    struct str path = {0};
    str_addf(&path, "%s/%s", folder, name);
    return str_take(&path);
}

static void put(const char *folder, const char *name, const char *text)
{
    AUTO_FREE char *path = path_of(folder, name);
    AUTO_FCLOSE FILE *file = fopen(path, "we");
    assert_non_null(file);
    assert_true(fputs(text, file) >= 0);
}

static char *holder_path(void)
{
    AUTO(str_done) struct str runtime = {0};
    assert_int_equal(places_runtime(&runtime), 0);
    return path_of(runtime.text, "lock-" NUMBER);
}

static int make_disk(void **state)
{
    (void)state;
    if (!mkdtemp(disk))
        return -1;
    put(disk, "dev", NUMBER "\n");
    put(disk, "stat", "0 0 0\n");
    return 0;
}

static int remove_disk(void **state)
{
    (void)state;
    AUTO_FREE char *dev = path_of(disk, "dev"), *stat_path = path_of(disk, "stat");
    (void)unlink(dev);
    (void)unlink(stat_path);
    return rmdir(disk);
}

static void the_second_is_told_who_is_first(void **state)
{
    (void)state;
    struct lease first = {.fd = -1}, second = {.fd = -1};
    AUTO(str_done) struct str why = {0}, me = {0};
    assert_int_equal(lease_take(disk, "run of storage.write\x1b[2J", &first, &why), 0);
    assert_true(first.fd >= 0);
    assert_int_equal(fcntl(first.fd, F_GETFD) & FD_CLOEXEC, FD_CLOEXEC);
    assert_int_equal(lease_take(disk, "another", &second, &why), -EBUSY);
    assert_int_equal(second.fd, -1);
    str_addf(&me, "is busy: held by run of storage.write?[2J (process %ld)", (long)getpid());
    if (!strstr(why.text, me.text))
        fail_msg("\"%s\" lacks \"%s\"", why.text, me.text);
    lease_drop(&first);
    assert_int_equal(first.fd, -1);
    assert_int_equal(lease_take(disk, "another", &second, &why), 0);
    lease_drop(&second);
}

static void the_holders_file_lives_as_long_as_the_lock(void **state)
{
    (void)state;
    AUTO_FREE char *path = holder_path();
    struct lease lease = {.fd = -1};
    AUTO(str_done) struct str why = {0}, text = {0};
    struct stat about;
    mode_t mask = umask(077);
    assert_int_equal(lease_take(disk, "run of x", &lease, &why), 0);
    (void)umask(mask);
    assert_int_equal(stat(path, &about), 0);
    assert_int_equal(about.st_mode & 0777, 0644);
    assert_int_equal(file_read(path, 4096, &text), 0);
    AUTO(str_done) struct str expected = {0};
    str_addf(&expected, "pid=%ld\nowner=%ld\nholder=run of x\n", (long)getpid(), (long)getppid());
    assert_string_equal(text.text, expected.text);
    lease_drop(&lease);
    assert_int_equal(stat(path, &about), -1);
}

static void what_a_dead_holder_left_does_not_matter(void **state)
{
    (void)state;
    AUTO_FREE char *path = holder_path();
    struct lease lease = {.fd = -1};
    AUTO(str_done) struct str why = {0}, text = {0};
    AUTO_FCLOSE FILE *stale = fopen(path, "we");
    assert_non_null(stale);
    assert_true(fputs("pid=1\nowner=1\nholder=a run of last week, with much more text\n", stale) >
                0);
    assert_int_equal(fflush(stale), 0);
    assert_int_equal(lease_take(disk, "new", &lease, &why), 0);
    assert_int_equal(file_read(path, 4096, &text), 0);
    assert_null(strstr(text.text, "last week"));
    lease_drop(&lease);
}

static void a_killed_holder_frees_the_disk(void **state)
{
    (void)state;
    int ready[2];
    AUTO(str_done) struct str why = {0};
    struct lease lease = {.fd = -1};
    assert_int_equal(pipe2(ready, O_CLOEXEC), 0);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        int rc = lease_take(disk, "child", &lease, &why);
        if (write(ready[1], rc == 0 ? "y" : "n", 1) == 1)
            (void)pause();
        _exit(1);
    }
    char answer = 0;
    assert_int_equal(read(ready[0], &answer, 1), 1);
    assert_int_equal(answer, 'y');
    int busy = lease_take(disk, "parent", &lease, &why);
    assert_int_equal(kill(child, SIGKILL), 0);
    assert_int_equal(waitpid(child, NULL, 0), child);
    assert_int_equal(busy, -EBUSY);
    assert_non_null(strstr(why.text, "held by child"));
    assert_int_equal(lease_take(disk, "parent", &lease, &why), 0);
    lease_drop(&lease);
    (void)close(ready[0]);
    (void)close(ready[1]);
}

static void a_folder_that_is_no_disk_is_an_error(void **state)
{
    (void)state;
    struct lease lease = {.fd = -1};
    AUTO(str_done) struct str why = {0};
    assert_int_equal(lease_take("/nonexistent/disk", "x", &lease, &why), -ENOENT);
    assert_non_null(strstr(why.text, "disk cannot be locked"));
    assert_int_equal(lease.fd, -1);
    lease_drop(&lease);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_second_is_told_who_is_first),
        cmocka_unit_test(the_holders_file_lives_as_long_as_the_lock),
        cmocka_unit_test(what_a_dead_holder_left_does_not_matter),
        cmocka_unit_test(a_killed_holder_frees_the_disk),
        cmocka_unit_test(a_folder_that_is_no_disk_is_an_error),
    };
    return cmocka_run_group_tests(tests, make_disk, remove_disk);
}
