/* queue: both back ends touch every block once, in any depth, and stop when told to. */
#include "storage/queue.h"

#include "fake_host.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#define BS 4096u
#define BLOCKS 200u

static char folder[64];
static struct dyno_run run;
static struct meter meter;
static struct latency latency;
static struct pattern source;
static int fd;
static const enum engine engines[] = {ENGINE_PLAIN, ENGINE_THREADS, ENGINE_IO_URING};

static int open_all(void **state)
{
    (void)state;
    char path[96];
    fake_folder_make(folder);
    snprintf(path, sizeof path, "%s/data", folder);
    fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    fake_open(&run, folder, NULL);
    meter_open(&meter, &run.target);
    return fd < 0 ? -1 : pattern_make(&source, BS, 1);
}

static int close_all(void **state)
{
    (void)state;
    pattern_done(&source);
    meter_close(&meter);
    fake_close(&run);
    close(fd);
    fake_folder_remove(folder);
    return 0;
}

static bool is_usable(enum engine engine)
{
    return engine != ENGINE_IO_URING || queue_ring_probe(fd) == 0;
}

static struct queue make(unsigned depth, unsigned write_percent)
{
    memset(&latency, 0, sizeof latency);
    return (struct queue){.fd = fd,
                          .depth = depth,
                          .course = {.bs = BS, .blocks = BLOCKS, .write_percent = write_percent},
                          .limit = BLOCKS,
                          .source = &source,
                          .meter = &meter,
                          .latency = &latency};
}

static int go(struct queue *queue, enum engine engine)
{
    meter.counts_writes = true;
    assert_int_equal(queue_open(queue), 0);
    assert_int_equal(meter_start(&meter, &fake_host, &run, METRIC_MOVED, true, 0), 0);
    int error = queue_run(queue, engine);
    meter_stop(&meter);
    queue_close(queue);
    return error;
}

static void every_block_is_written_and_read(void **state)
{
    (void)state;
    static unsigned char block[BS];
    for (size_t e = 0; e < 3; e++) {
        for (unsigned depth = 1; depth <= 64 && is_usable(engines[e]); depth *= 8) {
            if (engines[e] == ENGINE_PLAIN && depth > 1)
                continue;
            assert_int_equal(ftruncate(fd, 0), 0);
            struct queue queue = make(depth, 100);
            assert_int_equal(go(&queue, engines[e]), 0);
            assert_int_equal(meter_moved(&meter), BS * BLOCKS);
            assert_int_equal(atomic_load(&meter.written), BS * BLOCKS);
            assert_int_equal(latency_count(&latency), BLOCKS);
            for (uint64_t i = 0; i < BLOCKS; i++) {
                assert_int_equal(pread(fd, block, BS, (off_t)(i * BS)), BS);
                assert_memory_equal(block, pattern_nth(&source, i), BS);
            }
            queue = make(depth, 0);
            assert_int_equal(go(&queue, engines[e]), 0);
            assert_int_equal(atomic_load(&meter.moved), BS * BLOCKS);
            assert_int_equal(latency_count(&latency), BLOCKS);
        }
    }
}

static void reads_bring_the_bytes(void **state)
{
    (void)state;
    for (size_t e = 0; e < 3; e++) {
        if (!is_usable(engines[e]))
            continue;
        for (uint64_t i = 0; i < 4; i++)
            assert_int_equal(pwrite(fd, pattern_nth(&source, i), BS, (off_t)(i * BS)), BS);
        struct queue queue = make(1, 0);
        queue.limit = 4;
        assert_int_equal(queue_open(&queue), 0);
        assert_int_equal(meter_start(&meter, &fake_host, &run, METRIC_MOVED, true, 0), 0);
        assert_int_equal(queue_run(&queue, engines[e]), 0);
        assert_memory_equal(queue.buffers, pattern_nth(&source, 3), BS);
        meter_stop(&meter);
        queue_close(&queue);
    }
}

static void the_end_of_the_file_is_an_error(void **state)
{
    (void)state;
    for (size_t e = 0; e < 3; e++) {
        assert_int_equal(ftruncate(fd, 10 * BS + 100), 0);
        struct queue queue = make(engines[e] == ENGINE_PLAIN ? 1 : 4, 0);
        if (is_usable(engines[e]))
            assert_int_equal(go(&queue, engines[e]), -EIO);
    }
}

static void a_bad_descriptor_is_named(void **state)
{
    (void)state;
    int only = open("/dev/null", O_RDONLY | O_CLOEXEC);
    for (size_t e = 0; e < 3; e++) {
        struct queue queue = make(engines[e] == ENGINE_PLAIN ? 1 : 8, 100);
        queue.fd = only;
        if (is_usable(engines[e]))
            assert_int_equal(go(&queue, engines[e]), -EBADF);
    }
    close(only);
}

static void time_ends_it(void **state)
{
    (void)state;
    assert_int_equal(ftruncate(fd, BS * BLOCKS), 0);
    for (size_t e = 0; e < 3; e++) {
        struct queue queue = make(engines[e] == ENGINE_PLAIN ? 1 : 4, 0);
        queue.limit = UINT64_MAX;
        queue.time_ns = 20000000;
        queue.course.is_random = true;
        if (!is_usable(engines[e]))
            continue;
        assert_int_equal(go(&queue, engines[e]), 0);
        assert_true(meter_moved(&meter) > 0);
        assert_int_equal(latency_count(&latency) * BS, meter_moved(&meter));
    }
}

static void cancel_ends_it(void **state)
{
    (void)state;
    assert_int_equal(ftruncate(fd, BS * BLOCKS), 0);
    run.interval_ns = 2000000;
    for (size_t e = 0; e < 3; e++) {
        struct queue queue = make(engines[e] == ENGINE_PLAIN ? 1 : 4, 0);
        queue.limit = UINT64_MAX;
        run.cancel_at[METRIC_MOVED] = 1;
        if (is_usable(engines[e]))
            assert_int_equal(go(&queue, engines[e]), -ECANCELED);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(every_block_is_written_and_read, open_all, close_all),
        cmocka_unit_test_setup_teardown(reads_bring_the_bytes, open_all, close_all),
        cmocka_unit_test_setup_teardown(the_end_of_the_file_is_an_error, open_all, close_all),
        cmocka_unit_test_setup_teardown(a_bad_descriptor_is_named, open_all, close_all),
        cmocka_unit_test_setup_teardown(time_ends_it, open_all, close_all),
        cmocka_unit_test_setup_teardown(cancel_ends_it, open_all, close_all),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
