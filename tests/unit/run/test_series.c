/* series: ring, pyramid, columns, sums over lanes; checked against a plain list of samples. */
#include <errno.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "iodyno/plugin.h"
#include "run/series.h"

#define MS 1000000ull
#define S (1000 * MS)

static void push(struct series *series, uint64_t t0_ns, uint64_t t1_ns, double value)
{
    assert_int_equal(series_push(series, t0_ns, t1_ns, value), 0);
}

static double columns_sum(const struct series_bucket *columns, size_t count)
{
    double sum = 0;
    for (size_t i = 0; i < count; i++)
        sum += columns[i].sum;
    return sum;
}

static void test_refuses_time_that_does_not_advance(void **state)
{
    (void)state;
    struct series *series = series_new(DYNO_DELTA);
    push(series, 1 * S, 2 * S, 1);
    assert_int_equal(series_push(series, 2 * S, 2 * S, 1), -EINVAL);
    assert_int_equal(series_push(series, 2 * S - 1, 3 * S, 1), -EINVAL);
    assert_int_equal(series_add(series, 3 * S, 2 * S, 1), -EINVAL);
    push(series, 2 * S, 3 * S, 1);
    series_free(series);
    assert_null(series_free(NULL));
}

static void test_total_of_amounts_is_exact(void **state)
{
    (void)state;
    struct series *series = series_new(DYNO_DELTA);
    struct series_total total;
    series_total(series, &total);
    assert_int_equal(total.count, 0);
    for (uint64_t i = 0; i < 20000; i++)
        push(series, i * 250 * MS, (i + 1) * 250 * MS, (double)(i % 7) * 1048577);
    series_total(series, &total);
    double sum = 0;
    for (uint64_t i = 0; i < 20000; i++)
        sum += (double)(i % 7) * 1048577;
    assert_true(total.sum == sum);
    assert_int_equal(total.count, 20000);
    assert_int_equal(total.t0_ns, 0);
    assert_int_equal(total.t1_ns, 5000 * S);
    assert_true(total.min == 0);
    assert_true(total.max == 6.0 * 1048577 * 4);
    assert_true(total.last == (double)(19999 % 7) * 1048577 * 4);
    series_free(series);
}

static void test_short_run_keeps_every_sample(void **state)
{
    (void)state;
    struct series *series = series_new(DYNO_DELTA);
    for (uint64_t i = 0; i < 100; i++)
        push(series, i * S, (i + 1) * S, (double)i);
    struct series_bucket columns[100];
    series_columns(series, 0, 100 * S, 100, columns);
    for (unsigned i = 0; i < 100; i++) {
        assert_int_equal(columns[i].count, 1);
        assert_true(columns[i].sum == i && columns[i].min == i && columns[i].max == i);
        assert_int_equal(columns[i].t0_ns, i * S);
        assert_int_equal(columns[i].t1_ns, (i + 1) * S);
    }
    series_free(series);
}

static void test_sample_across_a_border_gives_its_rate_to_both(void **state)
{
    (void)state;
    struct series *series = series_new(DYNO_DELTA);
    push(series, 0, 4 * S, 400);
    struct series_bucket columns[3];
    series_columns(series, 1 * S, 7 * S, 3, columns);
    assert_true(columns[0].sum == 200 && columns[0].count == 1);
    assert_true(columns[1].sum == 100 && columns[1].count == 1);
    assert_int_equal(columns[1].t1_ns, 4 * S);
    assert_true(columns[0].min == 100 && columns[1].max == 100);
    assert_int_equal(columns[2].count, 0);
    series_free(series);
}

static void test_gap_stays_a_gap(void **state)
{
    (void)state;
    struct series *series = series_new(DYNO_DELTA);
    push(series, 0, 1 * S, 5);
    push(series, 3 * S, 4 * S, 0);
    struct series_bucket columns[5];
    series_columns(series, 0, 5 * S, 5, columns);
    assert_int_equal(columns[0].count, 1);
    assert_int_equal(columns[1].count, 0);
    assert_int_equal(columns[2].count, 0);
    assert_int_equal(columns[3].count, 1); /* a zero is a value, not a gap */
    assert_int_equal(columns[4].count, 0);
    series_free(series);
}

static void test_gauge_columns_hold_the_mean(void **state)
{
    (void)state;
    struct series *series = series_new(DYNO_GAUGE);
    for (uint64_t i = 0; i < 10; i++)
        push(series, i * S, (i + 1) * S, (double)i);
    struct series_bucket columns[2];
    series_columns(series, 0, 10 * S, 2, columns);
    assert_true(columns[0].sum / (double)columns[0].count == 2);
    assert_true(columns[1].sum / (double)columns[1].count == 7);
    assert_true(columns[1].min == 5 && columns[1].max == 9);
    struct series_total total;
    series_total(series, &total);
    assert_true(total.last == 9 && total.max == 9 && total.min == 0);
    series_free(series);
}

/* 12 hours at 4 Hz: the whole run in 100 columns must still hold each amount and each extreme. */
static void test_long_run_loses_no_amount_and_no_extreme(void **state)
{
    (void)state;
    enum { COUNT = 172800 };
    struct series *series = series_new(DYNO_DELTA);
    for (uint64_t i = 0; i < COUNT; i++)
        push(series, i * 250 * MS, (i + 1) * 250 * MS, i == 1234 ? 9000 : i == 5678 ? 0 : 10);
    struct series_bucket columns[100];
    series_columns(series, 0, COUNT * 250 * MS, 100, columns);
    double expected = (COUNT - 2) * 10.0 + 9000;
    assert_true(fabs(columns_sum(columns, 100) - expected) < 1e-3);
    double min = 1e9, max = 0;
    for (unsigned i = 0; i < 100; i++) {
        assert_true(columns[i].count > 0);
        min = fmin(min, columns[i].min);
        max = fmax(max, columns[i].max);
    }
    assert_true(min == 0 && max == 36000);
    series_columns(series, (COUNT - 100) * 250 * MS, COUNT * 250 * MS, 100, columns);
    for (unsigned i = 0; i < 100; i++)
        assert_true(columns[i].count == 1 && columns[i].sum == 10);
    series_free(series);
}

static void test_extremes_outlive_the_whole_pyramid(void **state)
{
    (void)state;
    enum { COUNT = 1100000 }; /* 256 buckets of 4096 reach over 1048576 */
    struct series *series = series_new_lane(DYNO_DELTA);
    for (uint64_t i = 0; i < COUNT; i++)
        push(series, i * S, (i + 1) * S, i == 7 ? 99 : 1);
    struct series_total total;
    series_total(series, &total);
    assert_true(total.max == 99 && total.min == 1 && total.sum == COUNT + 98.0);
    struct series_bucket columns[4];
    series_columns(series, 0, COUNT * S, 4, columns);
    assert_true(columns[3].count > 0 && columns[3].max == 1);
    series_free(series);
}

static void test_add_sums_lanes_on_one_grid(void **state)
{
    (void)state;
    struct series *series = series_new(DYNO_DELTA);
    for (uint64_t i = 0; i < 10000; i++)
        for (unsigned lane = 0; lane < 4; lane++)
            assert_int_equal(series_add(series, i * S, (i + 1) * S, lane + 1), 0);
    struct series_total total;
    series_total(series, &total);
    assert_int_equal(total.count, 10000);
    assert_true(total.sum == 100000 && total.min == 10 && total.max == 10);
    struct series_bucket columns[50];
    series_columns(series, 0, 10000 * S, 50, columns);
    for (unsigned i = 0; i < 50; i++)
        assert_true(columns[i].sum == 2000 && columns[i].min == 10 && columns[i].max == 10);
    series_free(series);
}

static void test_add_shares_by_overlap(void **state)
{
    (void)state;
    struct series *series = series_new(DYNO_DELTA);
    assert_int_equal(series_add(series, 0, 2 * S, 20), 0);
    assert_int_equal(series_add(series, 1 * S, 4 * S, 30), 0);
    struct series_bucket columns[4];
    series_columns(series, 0, 4 * S, 4, columns);
    assert_true(columns[0].sum == 15 && columns[1].sum == 15); /* one sample of 30 in 2 s */
    assert_true(columns[2].sum == 10 && columns[3].sum == 10);
    struct series_total total;
    series_total(series, &total);
    assert_true(total.sum == 50 && total.count == 2);
    series_free(series);
}

static void test_add_fills_a_gap(void **state)
{
    (void)state;
    struct series *series = series_new(DYNO_DELTA);
    push(series, 0, 1 * S, 10);
    push(series, 4 * S, 5 * S, 10);
    assert_int_equal(series_add(series, 2 * S, 5 * S, 9), 0);
    struct series_bucket columns[5];
    series_columns(series, 0, 5 * S, 5, columns);
    assert_true(columns[0].sum == 10 && columns[1].count == 0);
    assert_true(columns[2].sum == 3 && columns[3].sum == 3 && columns[4].sum == 13);
    series_free(series);
}

static void test_add_before_the_first(void **state)
{
    (void)state;
    struct series *series = series_new(DYNO_DELTA);
    push(series, 2 * S, 3 * S, 10);
    assert_int_equal(series_add(series, 0, 1 * S, 5), 0);
    struct series_total total;
    series_total(series, &total);
    assert_int_equal(total.t0_ns, 0);
    assert_int_equal(total.t1_ns, 3 * S);
    assert_true(total.sum == 15 && total.count == 2);
    series_free(series);
}

/* A lane that was silent for the whole run and then gives all at once. */
static void test_add_of_a_late_lane_keeps_its_amount(void **state)
{
    (void)state;
    struct series *series = series_new(DYNO_DELTA);
    enum { COUNT = 9000 };
    for (uint64_t i = 0; i < COUNT; i++)
        push(series, i * S, (i + 1) * S, 10);
    assert_int_equal(series_add(series, 0, COUNT * S, 90000), 0);
    assert_int_equal(series_add(series, 0, 1 * S, 500), 0);
    struct series_total total;
    series_total(series, &total);
    assert_true(total.sum == 180500);
    struct series_bucket columns[30];
    series_columns(series, 0, COUNT * S, 30, columns);
    assert_true(fabs(columns_sum(columns, 30) - 180500) < 1e-3);
    series_free(series);
}

static uint64_t random_next(uint64_t *seed)
{
    *seed = *seed * 6364136223846793005ull + 1442695040888963407ull;
    return *seed >> 33;
}

/* Lanes with grids of their own: whatever the order, the sum over all columns is the total. */
static void test_add_of_unaligned_lanes_conserves_the_sum(void **state)
{
    (void)state;
    struct series *series = series_new_lane(DYNO_DELTA);
    uint64_t seed = 1, at[5] = {3, 0, 777, 12345, 99}, latest = 0;
    double sum = 0;
    for (unsigned i = 0; i < 30000; i++) {
        unsigned lane = (unsigned)(random_next(&seed) % 5);
        uint64_t t0 = at[lane], t1 = t0 + 1 + random_next(&seed) % 300 * MS;
        double value = (double)(random_next(&seed) % 100000);
        if (at[lane] > latest + 100 * MS) /* keeps the lanes loosely together */
            continue;
        assert_int_equal(series_add(series, t0, t1, value), 0);
        sum += value;
        at[lane] = random_next(&seed) % 8 ? t1 : t1 + 500 * MS;
        latest = at[0];
        for (unsigned l = 1; l < 5; l++)
            latest = at[l] < latest ? at[l] : latest;
    }
    struct series_total total;
    series_total(series, &total);
    assert_true(total.sum == sum);
    struct series_bucket columns[64];
    series_columns(series, total.t0_ns, total.t1_ns, 64, columns);
    assert_true(fabs(columns_sum(columns, 64) / sum - 1) < 1e-9);
    for (unsigned i = 0; i < 64; i++)
        assert_true(!columns[i].count || columns[i].min <= columns[i].max);
    series_free(series);
}

static void test_copy_for_a_lane_has_the_same_totals(void **state)
{
    (void)state;
    struct series *series = series_new(DYNO_DELTA);
    for (uint64_t i = 0; i < 9000; i++)
        push(series, i * S, (i + 1) * S, i == 5 ? 77 : 3);
    struct series *copy = series_copy_lane(series);
    struct series_total a, b;
    series_total(series, &a);
    series_total(copy, &b);
    assert_memory_equal(&a, &b, sizeof(a));
    push(copy, 9000 * S, 9001 * S, 3);
    struct series_bucket column;
    series_columns(copy, 8900 * S, 9001 * S, 1, &column);
    assert_true(column.sum == 303);
    series_free(copy);
    series_free(series);
}

/* The mean of a state is its sum over its count, also where a second lane took the first one's
 * place. */
static void test_the_sum_of_a_state_is_that_of_its_samples(void **state)
{
    (void)state;
    struct series *series = series_new(DYNO_GAUGE);
    for (uint64_t i = 0; i < 10; i++) {
        assert_int_equal(series_add(series, i * S, (i + 1) * S, 1), 0);
        assert_int_equal(series_add(series, i * S, (i + 1) * S, 3), 0);
    }
    assert_int_equal(series_add(series, 11 * S, 12 * S, 3), 0); /* after a gap ... */
    assert_int_equal(series_add(series, 9 * S, 12 * S, 3), 0);  /* ... that one fills */
    struct series_total total;
    series_total(series, &total);
    assert_int_equal(total.count, 12);
    assert_true(fabs(total.sum - 36) < 1e-9);
    series_free(series);
}

static void test_percentiles(void **state)
{
    (void)state;
    struct series *series = series_new(DYNO_DELTA);
    assert_true(isnan(series_percentile(series, 0.5)));
    for (uint64_t i = 0; i < 101; i++)
        push(series, i * 500 * MS, (i + 1) * 500 * MS, (double)(100 - i));
    assert_true(series_percentile(series, 0) == 0);
    assert_true(series_percentile(series, 0.5) == 100);
    assert_true(fabs(series_percentile(series, 0.995) - 199) < 1e-9);
    assert_true(series_percentile(series, 1) == 200);
    assert_true(isnan(series_percentile(series, 1.5)));
    series_free(series);
}

static void test_window_at_the_end_of_time(void **state)
{
    (void)state;
    struct series *series = series_new(DYNO_DELTA);
    push(series, UINT64_MAX - 10, UINT64_MAX, 1);
    struct series_bucket columns[7];
    series_columns(series, 0, UINT64_MAX, 7, columns);
    assert_int_equal(columns[6].count, 1);
    assert_int_equal(columns[0].count, 0);
    series_columns(series, 5, 5, 7, columns);
    assert_int_equal(columns[6].count, 0);
    series_columns(series, 0, 3, 7, columns); /* narrower than a nanosecond each */
    assert_int_equal(columns[6].count, 0);
    series_free(series);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_refuses_time_that_does_not_advance),
        cmocka_unit_test(test_total_of_amounts_is_exact),
        cmocka_unit_test(test_short_run_keeps_every_sample),
        cmocka_unit_test(test_sample_across_a_border_gives_its_rate_to_both),
        cmocka_unit_test(test_gap_stays_a_gap),
        cmocka_unit_test(test_gauge_columns_hold_the_mean),
        cmocka_unit_test(test_long_run_loses_no_amount_and_no_extreme),
        cmocka_unit_test(test_extremes_outlive_the_whole_pyramid),
        cmocka_unit_test(test_add_sums_lanes_on_one_grid),
        cmocka_unit_test(test_add_shares_by_overlap),
        cmocka_unit_test(test_add_fills_a_gap),
        cmocka_unit_test(test_add_before_the_first),
        cmocka_unit_test(test_add_of_a_late_lane_keeps_its_amount),
        cmocka_unit_test(test_add_of_unaligned_lanes_conserves_the_sum),
        cmocka_unit_test(test_copy_for_a_lane_has_the_same_totals),
        cmocka_unit_test(test_the_sum_of_a_state_is_that_of_its_samples),
        cmocka_unit_test(test_percentiles),
        cmocka_unit_test(test_window_at_the_end_of_time),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
