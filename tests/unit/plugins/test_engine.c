/* engine: which one a wish gives, with and without io_uring. */
#include "storage/engine.h"

#include "storage/queue.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static char why[ENGINE_WHY_MAX];
static enum engine engine;
static int fd;

static int open_file(void **state)
{
    (void)state;
    fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
    return fd < 0 ? -1 : unsetenv("IODYNO_NO_IO_URING");
}

static int close_file(void **state)
{
    (void)state;
    close(fd);
    return unsetenv("IODYNO_NO_IO_URING");
}

static void one_at_a_time_is_plain(void **state)
{
    (void)state;
    assert_int_equal(engine_choose("auto", 1, fd, &engine, why), 0);
    assert_int_equal(engine, ENGINE_PLAIN);
    assert_int_equal(engine_choose("plain", 1, fd, &engine, why), 0);
    assert_int_equal(engine_choose("plain", 2, fd, &engine, why), -EINVAL);
    assert_non_null(strstr(why, "depth=2"));
}

static void a_forced_fallback_is_threads(void **state)
{
    (void)state;
    setenv("IODYNO_NO_IO_URING", "1", 1);
    assert_int_equal(engine_choose("auto", 8, fd, &engine, why), 0);
    assert_int_equal(engine, ENGINE_THREADS);
    assert_non_null(strstr(why, "IODYNO_NO_IO_URING=1"));
    assert_int_equal(engine_choose("io_uring", 8, fd, &engine, why), -EOPNOTSUPP);
    assert_non_null(strstr(why, "engine=threads"));
}

static void what_works_is_taken(void **state)
{
    (void)state;
    bool works = queue_ring_probe(fd) == 0;
    assert_int_equal(engine_choose("auto", 8, fd, &engine, why), 0);
    assert_int_equal(engine, works ? ENGINE_IO_URING : ENGINE_THREADS);
    assert_int_equal(why[0] == '\0', works);
    assert_int_equal(engine_choose("threads", 8, fd, &engine, why), 0);
    assert_int_equal(engine, ENGINE_THREADS);
}

static void a_failing_read_is_no_io_uring(void **state)
{
    (void)state;
    int only = open("/dev/null", O_WRONLY | O_CLOEXEC);
    assert_int_equal(engine_choose("auto", 8, only, &engine, why), 0);
    assert_int_equal(engine, ENGINE_THREADS);
    assert_true(why[0] != '\0');
    close(only);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(one_at_a_time_is_plain, open_file, close_file),
        cmocka_unit_test_setup_teardown(a_forced_fallback_is_threads, open_file, close_file),
        cmocka_unit_test_setup_teardown(what_works_is_taken, open_file, close_file),
        cmocka_unit_test_setup_teardown(a_failing_read_is_no_io_uring, open_file, close_file),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
