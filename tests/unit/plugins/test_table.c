/* storage.table through a fake host: every cell is measured, named and in its place. */
#include "storage/table.h"

#include "fake_host.h"
#include "storage/tests.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#define MIB (UINT64_C(1) << 20)

static char folder[64];
static struct dyno_run run;
static const struct fake_option options[] = {
    {"size", NULL, 8 * MIB}, {"time", NULL, 15000000}, {"engine", "auto", 0}, {NULL, NULL, 0}};

static void metrics_are_where_the_plugin_says(void **state)
{
    (void)state;
    const struct dyno_test *test = NULL;
    for (size_t i = 0; dyno_plugin.tests[i]; i++)
        if (strcmp(dyno_plugin.tests[i]->id, "storage.table") == 0)
            test = dyno_plugin.tests[i];
    assert_non_null(test);
    for (unsigned i = 0; i < TABLE_CELLS; i++) {
        assert_string_equal(test->metrics[METRIC_OWN + i]->key, table_cells[i].key);
        if (!table_cells[i].is_random)
            continue;
        const char *key = test->metrics[TABLE_IOPS(i)]->key;
        assert_int_equal(strncmp(key, table_cells[i].key, strlen(table_cells[i].key)), 0);
        assert_string_equal(key + strlen(table_cells[i].key), "_iops");
    }
    assert_null(test->metrics[METRIC_OWN + TABLE_CELLS + 4]);
}

static void all_tables_follow_the_numbers(void **state)
{
    (void)state;
    static const struct {
        unsigned metric;
        const char *key;
    } rows[] = {{METRIC_DEVICE_READ, "device_read"},
                {METRIC_REQUESTS, "requests"},
                {METRIC_RATE, "rate"},
                {METRIC_STALLS, "stalls_count"},
                {METRIC_LATENCY_MAX, "latency_max"},
                {METRIC_IOPS, "iops"},
                {METRIC_LATENCY_P999, "latency_p999"},
                {METRIC_SYNC_TIME, "sync_time"},
                {METRIC_CACHED, "cached"},
                {METRIC_CPU_SHARE, "cpu_share"},
                {METRIC_KERNEL_SHARE, "kernel_share"}};
    for (size_t i = 0; dyno_plugin.tests[i]; i++)
        for (size_t k = 0; k < sizeof rows / sizeof rows[0]; k++)
            assert_string_equal(dyno_plugin.tests[i]->metrics[rows[k].metric]->key, rows[k].key);
}

static void all_cells_are_measured(void **state)
{
    (void)state;
    fake_folder_make(folder);
    fake_open(&run, folder, options);
    assert_int_equal(storage_table(&fake_host, &run), 0);
    assert_string_equal(run.phases[0], "prepare");
    size_t phase = 1;
    for (unsigned i = 0; i < TABLE_CELLS; i++) {
        double rate = NAN, iops = NAN;
        assert_string_equal(run.phases[phase++], table_cells[i].key);
        phase += table_cells[i].write_percent > 0; /* its fsync */
        assert_true(fake_result(&run, METRIC_OWN + i, &rate) && rate > 0);
        if (!table_cells[i].is_random)
            continue;
        assert_true(fake_result(&run, TABLE_IOPS(i), &iops));
        assert_true(fabs(rate / iops - 4096) < 0.01);
    }
    assert_int_equal(run.phase_count, phase);
    assert_non_null(strstr(fake_fact(&run, "a1"), "written in sequence (both 10)"));
    assert_non_null(strstr(fake_fact(&run, "a1"), "random reads a second (A1 1500, A2 4000)"));
    assert_false(fake_result(&run, METRIC_CACHED, NULL)); /* no disk is there to be asked */
    double cpu = NAN;
    assert_true(fake_result(&run, METRIC_CPU_SHARE, &cpu) && cpu > 0);
    assert_true(strlen(fake_fact(&run, "cpu-cell")) > 0);
    assert_int_equal(run.done, TABLE_CELLS);
    fake_close(&run);
    fake_folder_remove(folder);
}

static void a_cancelled_cell_is_left_out(void **state)
{
    (void)state;
    fake_folder_make(folder);
    fake_open(&run, folder, options);
    run.interval_ns = 2000000;
    run.options[1].number = UINT64_C(5000000000);
    run.cancel_at[METRIC_MOVED] = 1;
    assert_int_equal(storage_table(&fake_host, &run), -ECANCELED);
    assert_false(fake_result(&run, METRIC_OWN, NULL));
    assert_string_equal(fake_fact(&run, "a1"), "");
    fake_close(&run);
    fake_folder_remove(folder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(metrics_are_where_the_plugin_says),
        cmocka_unit_test(all_tables_follow_the_numbers),
        cmocka_unit_test(all_cells_are_measured),
        cmocka_unit_test(a_cancelled_cell_is_left_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
