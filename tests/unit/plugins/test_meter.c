/* meter: device amounts on the application's grid, progress, no disk. */
#include "storage/meter.h"

#include "fake_host.h"

#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static char folder[64], path[96];
static struct dyno_run run;
static struct meter meter;

static void put(const char *text)
{
    int fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
    assert_int_equal(write(fd, text, strlen(text)), (ssize_t)strlen(text));
    close(fd);
}

static void disk_and_loop_side_by_side(void **state)
{
    (void)state;
    put("100 0 1000 0 200 0 2000 0 0 0 0\n");
    const char *const paths[] = {path, NULL};
    fake_open(&run, folder, NULL);
    run.interval_ns = 1000000000;
    run.target.leaf_stat = paths;
    meter_open(&meter, &run.target);
    put("101 0 1001 0 201 0 2001 0 0 0 0\n"); /* before the start: not ours */
    assert_int_equal(meter_start(&meter, &fake_host, &run, METRIC_MOVED, false, 8192), 0);
    meter_publish(&meter, 8192, 2);
    put("102 0 1003 0 204 0 2009 0 0 0 0\n");
    meter_stop(&meter);
    assert_true(run.sums[METRIC_MOVED] == 8192);
    assert_true(run.sums[METRIC_DEVICE_WRITTEN] == 8 * 512);
    assert_true(run.sums[METRIC_DEVICE_READ] == 2 * 512);
    assert_true(run.sums[METRIC_REQUESTS] == 3);
    assert_int_equal(run.done, 8192);
    assert_int_equal(run.last_t1[METRIC_MOVED], run.last_t1[METRIC_DEVICE_WRITTEN]);
    struct leaf_counts device = meter_device(&meter);
    assert_int_equal(device.written_bytes, 8 * 512);
    assert_int_equal(device.read_requests, 1);
    meter_close(&meter);
    fake_close(&run);
}

static void flushing_follows_the_disk(void **state)
{
    (void)state;
    put("100 0 1000 0 200 0 2000 0 0 0 0\n");
    const char *const paths[] = {path, NULL};
    fake_open(&run, folder, NULL);
    run.target.leaf_stat = paths;
    meter_open(&meter, &run.target);
    assert_int_equal(meter_start(&meter, &fake_host, &run, METRIC_MOVED, false, 8192), 0);
    meter_publish(&meter, 8192, 2);
    atomic_store(&meter.is_flushing, true);
    put("100 0 1000 0 200 0 2004 0 0 0 0\n");
    meter_stop(&meter);
    assert_int_equal(run.done, 4 * 512);
    assert_int_equal(run.total, 8192);
    meter_close(&meter);
    fake_close(&run);
}

static void without_a_disk_the_steps_are_the_requests(void **state)
{
    (void)state;
    fake_open(&run, folder, NULL);
    meter_open(&meter, &run.target);
    assert_int_equal(meter_start(&meter, &fake_host, &run, METRIC_PREPARED, true, 100), 0);
    meter_publish(&meter, 100, 7);
    meter_stop(&meter);
    assert_true(run.sums[METRIC_PREPARED] == 100);
    assert_true(run.sums[METRIC_REQUESTS] == 7);
    assert_int_equal(run.samples[METRIC_DEVICE_WRITTEN], 0);
    /* a second stretch begins at nought */
    assert_int_equal(meter_start(&meter, &fake_host, &run, METRIC_MOVED, true, 100), 0);
    meter_publish(&meter, 40, 1);
    meter_stop(&meter);
    assert_true(run.sums[METRIC_MOVED] == 40);
    meter_close(&meter);
    fake_close(&run);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(disk_and_loop_side_by_side),
        cmocka_unit_test(flushing_follows_the_disk),
        cmocka_unit_test(without_a_disk_the_steps_are_the_requests),
    };
    fake_folder_make(folder);
    snprintf(path, sizeof path, "%s/stat", folder);
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    fake_folder_remove(folder);
    return failed;
}
