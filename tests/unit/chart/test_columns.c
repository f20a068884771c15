#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdbool.h>

#include "chart/columns.h"
#include "iodyno/plugin.h"

#define S 1000000000ull
#define MS 1000000ull

static void amounts_become_rates_and_states_stay(void **state)
{
    struct column columns[4];
    struct series *amount = series_new(DYNO_DELTA), *level = series_new(DYNO_GAUGE);

    (void)state;
    for (uint64_t i = 0; i < 4; i++) {
        assert_int_equal(series_push(amount, i * S, (i + 1) * S, 100.0 * (double)(i + 1)), 0);
        assert_int_equal(series_push(level, i * S, (i + 1) * S, 7), 0);
    }
    columns_make(amount, 0, 4 * S, 8, 4, columns);
    for (int i = 0; i < 4; i++) {
        assert_true(columns[i].has_value);
        assert_true(fabs(columns[i].mean - 800.0 * (i + 1)) < 1e-6);
    }
    columns_make(amount, 0, 4 * S, 1, 2, columns); /* two ticks a column */
    assert_true(fabs(columns[0].mean - 150) < 1e-6);
    assert_true(fabs(columns[0].min - 100) < 1e-6 && fabs(columns[0].max - 200) < 1e-6);
    columns_make(level, 0, 4 * S, 1, 2, columns);
    assert_true(fabs(columns[1].mean - 7) < 1e-6);
    (void)series_free(amount);
    (void)series_free(level);
}

static void a_slow_tick_fills_its_columns_and_a_gap_stays(void **state)
{
    struct column columns[16];
    struct series *series = series_new(DYNO_DELTA);

    (void)state;
    (void)series_push(series, 0, S, 50);
    (void)series_push(series, 2 * S, 3 * S, 50);
    columns_make(series, 0, 4 * S, 1, 16, columns);
    for (int i = 0; i < 16; i++) {
        bool is_known = i < 4 || (i >= 8 && i < 12);
        assert_int_equal(columns[i].has_value, is_known);
        assert_true(!is_known || fabs(columns[i].mean - 50) < 1e-6);
    }
    columns_make(series, 0, 0, 1, 16, columns);
    assert_false(columns[0].has_value);
    columns_make(series, 0, S, 1, 0, columns);
    (void)series_free(series);
}

static uint64_t window(double now_s, double planned_s, uint64_t tick_ns, size_t count)
{
    uint64_t from_ns = 1, to_ns = 0;

    columns_window(5 * S, 5 * S + (uint64_t)(now_s * 1e9), tick_ns, (uint64_t)(planned_s * 1e9),
                   count, &from_ns, &to_ns);
    assert_int_equal(from_ns, 5 * S);
    return (to_ns - from_ns) / MS;
}

static void the_window_grows_in_steps(void **state)
{
    (void)state;
    assert_int_equal(window(0, 0, 250 * MS, 70), 10000);
    assert_int_equal(window(9.9, 0, 250 * MS, 70), 10000);
    assert_int_equal(window(11, 0, 250 * MS, 70), 20000);
    assert_int_equal(window(21, 0, 250 * MS, 70), 30000);
    assert_int_equal(window(61.5, 0, 250 * MS, 70), 120000);
    assert_int_equal(window(43300, 0, 250 * MS, 70), 43300000); /* twelve hours, a moment late */
    assert_int_equal(window(0, 0, S, 233), 30000); /* a slow tick would be ten cells wide */
    assert_int_equal(window(1e6, 0, S, 70), 172800ull * 8 * 1000);
}

static void a_plan_is_shown_whole(void **state)
{
    (void)state;
    assert_int_equal(window(3, 60, 250 * MS, 70), 60000);
    assert_int_equal(window(60.2, 60, 250 * MS, 70), 60250); /* ends a moment late */
    assert_int_equal(window(70, 60, 250 * MS, 70), 120000);  /* or does not end */
    assert_int_equal(window(3, 43200, 250 * MS, 70), 10000); /* a day would show nothing yet */
    assert_int_equal(window(40000, 43200, 250 * MS, 70), 43200000);
    assert_int_equal(window(107.1, 107.1, 0, 70), 107100); /* a finished run */
}

static void it_never_ends_before_now(void **state)
{
    (void)state;
    for (int s = 0; s < 200000; s += 37) {
        for (int planned = 0; planned < 400; planned += 133)
            assert_true(window(s, planned, 250 * MS, 70) >= (uint64_t)s * 1000);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(amounts_become_rates_and_states_stay),
        cmocka_unit_test(a_slow_tick_fills_its_columns_and_a_gap_stays),
        cmocka_unit_test(the_window_grows_in_steps),
        cmocka_unit_test(a_plan_is_shown_whole),
        cmocka_unit_test(it_never_ends_before_now),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
