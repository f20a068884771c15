/* intervals: ticks to report intervals; sums, borders, widening. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/cleanup.h"
#include "iodyno/plugin.h"
#include "run/intervals.h"

#define MS 1000000ull
#define S (1000 * MS)
#define ZERO (5000 * S)

enum { WRITTEN, READ, REQUESTS, TEMPERATURE };
static const struct frame_metric metrics[] = {
    {DYNO_BYTE, DYNO_DELTA, DYNO_HIGHER, 0, "written", "Written"},
    {DYNO_BYTE, DYNO_DELTA, DYNO_HIGHER, 0, "read", "Read"},
    {DYNO_COUNT, DYNO_DELTA, DYNO_HIGHER, 0, "requests", "Requests"},
    {DYNO_CELSIUS, DYNO_GAUGE, DYNO_LOWER, 0, "temperature", "Temperature"},
    {DYNO_BYTE_PER_S, DYNO_TOTAL, DYNO_HIGHER, 0, "rate", "Rate"},
};

struct seen {
    struct interval list[256];
    size_t count;
};

static void see(void *user, const struct interval *interval)
{
    struct seen *seen = user;
    assert_true(seen->count < 256);
    seen->list[seen->count++] = *interval;
}

static struct intervals *make(struct seen *seen, uint64_t report_ns)
{
    *seen = (struct seen){0};
    struct frame start = {
        .type = FRAME_START,
        .start = {.tick_ns = 250 * MS,
                  .report_ns = report_ns,
                  .mono_ns = ZERO,
                  .metric_count = ARRAY_SIZE(metrics)},
        .metrics = metrics,
    };
    return intervals_new(&start, see, seen);
}

static void push(struct intervals *intervals, unsigned metric, uint64_t t0_ms, uint64_t t1_ms,
                 double value)
{
    struct frame_sample sample = {.metric = (uint16_t)metric,
                                  .t0_ns = ZERO + t0_ms * MS,
                                  .t1_ns = ZERO + t1_ms * MS,
                                  .value = value};
    assert_int_equal(intervals_push(intervals, &sample), 0);
}

static void expect_interval(const struct seen *seen, size_t i, unsigned metric, uint64_t t0_ms,
                            uint64_t t1_ms, double value, bool is_widened)
{
    assert_true(i < seen->count);
    const struct interval *interval = &seen->list[i];
    assert_int_equal(interval->metric, metric);
    assert_int_equal((interval->t0_ns - ZERO) / MS, t0_ms);
    assert_int_equal((interval->t1_ns - ZERO) / MS, t1_ms);
    assert_true(interval->value == value);
    assert_int_equal(interval->is_widened, is_widened);
}

static void test_ticks_add_up_to_report_intervals(void **state)
{
    (void)state;
    struct seen seen;
    struct intervals *intervals = make(&seen, 1 * S);
    for (unsigned i = 0; i < 10; i++)
        push(intervals, TEMPERATURE, i * 250, (i + 1) * 250, i);
    assert_int_equal(seen.count, 2);
    expect_interval(&seen, 0, TEMPERATURE, 0, 1000, 3, false);
    expect_interval(&seen, 1, TEMPERATURE, 1000, 2000, 7, false);
    intervals_finish(intervals);
    expect_interval(&seen, 2, TEMPERATURE, 2000, 2500, 9, false);
    intervals_finish(intervals);
    assert_int_equal(seen.count, 3); /* nothing twice */
    intervals_free(intervals);
    assert_null(intervals_free(NULL));
}

static void test_sums_are_exact(void **state)
{
    (void)state;
    struct seen seen;
    struct intervals *intervals = make(&seen, 1 * S);
    double sum = 0;
    for (unsigned i = 0; i < 90; i++) {
        push(intervals, READ, i * 250, (i + 1) * 250, 9007199254.0 + i);
        push(intervals, REQUESTS, i * 250, (i + 1) * 250, 50);
        sum += 9007199254.0 + i;
    }
    intervals_finish(intervals);
    double handed = 0;
    for (size_t i = 0; i < seen.count; i++)
        handed += seen.list[i].metric == READ ? seen.list[i].value : 0;
    assert_true(handed == sum);
    intervals_free(intervals);
}

static void test_tick_across_a_border_closes_late(void **state)
{
    (void)state;
    struct seen seen;
    struct intervals *intervals = make(&seen, 1 * S);
    push(intervals, TEMPERATURE, 0, 750, 1);
    push(intervals, TEMPERATURE, 750, 3300, 2); /* merged */
    expect_interval(&seen, 0, TEMPERATURE, 0, 3300, 2, false);
    push(intervals, TEMPERATURE, 3300, 4000, 3);
    expect_interval(&seen, 1, TEMPERATURE, 3300, 4000, 3, false);
    intervals_free(intervals);
}

static void test_gap_ends_the_interval_before_it(void **state)
{
    (void)state;
    struct seen seen;
    struct intervals *intervals = make(&seen, 1 * S);
    push(intervals, TEMPERATURE, 0, 500, 1);
    push(intervals, TEMPERATURE, 7250, 7500, 2);
    expect_interval(&seen, 0, TEMPERATURE, 0, 500, 1, false);
    push(intervals, TEMPERATURE, 7500, 8000, 4);
    expect_interval(&seen, 1, TEMPERATURE, 7250, 8000, 4, false);
    intervals_free(intervals);
}

/* One request a second of 1 MiB: joined until four of them are together, whatever comes first in a
 * tick. */
static void check_widening(bool requests_first)
{
    struct seen seen;
    struct intervals *intervals = make(&seen, 1 * S);
    for (unsigned i = 0; i < 8; i++) {
        if (requests_first)
            push(intervals, REQUESTS, i * 1000, (i + 1) * 1000, 1);
        push(intervals, WRITTEN, i * 1000, (i + 1) * 1000, 1048576);
        if (!requests_first)
            push(intervals, REQUESTS, i * 1000, (i + 1) * 1000, 1);
    }
    assert_int_equal(seen.count, 4);
    expect_interval(&seen, 0, REQUESTS, 0, 4000, 4, true);
    expect_interval(&seen, 1, WRITTEN, 0, 4000, 4194304, true);
    expect_interval(&seen, 2, REQUESTS, 4000, 8000, 4, true);
    expect_interval(&seen, 3, WRITTEN, 4000, 8000, 4194304, true);
    intervals_free(intervals);
}

static void test_few_requests_widen(void **state)
{
    (void)state;
    check_widening(true);
    check_widening(false);
}

static void test_bounds_of_widening(void **state)
{
    (void)state;
    struct seen seen;
    struct intervals *intervals = make(&seen, 1 * S);
    static const double requests[] = {0, 4, 3, 1, 0, 1, 2, 5, 0};
    for (unsigned i = 0; i < ARRAY_SIZE(requests); i++) {
        push(intervals, WRITTEN, i * 1000, (i + 1) * 1000, requests[i] * 10);
        push(intervals, REQUESTS, i * 1000, (i + 1) * 1000, requests[i]);
    }
    intervals_finish(intervals);
    static const struct {
        unsigned t0, t1;
        double requests;
        bool is_widened;
    } expected[] = {{0, 1, 0, false}, {1, 2, 4, false}, {2, 4, 4, true},
                    {4, 5, 0, false}, {5, 8, 8, true},  {8, 9, 0, false}};
    assert_int_equal(seen.count, 2 * ARRAY_SIZE(expected));
    for (unsigned i = 0; i < ARRAY_SIZE(expected); i++) {
        expect_interval(&seen, 2 * i, REQUESTS, expected[i].t0 * 1000, expected[i].t1 * 1000,
                        expected[i].requests, expected[i].is_widened);
        expect_interval(&seen, 2 * i + 1, WRITTEN, expected[i].t0 * 1000, expected[i].t1 * 1000,
                        expected[i].requests * 10, expected[i].is_widened);
    }
    intervals_free(intervals);
}

static void test_widening_leaves_other_metrics_alone(void **state)
{
    (void)state;
    struct seen seen;
    struct intervals *intervals = make(&seen, 1 * S);
    for (unsigned i = 0; i < 2; i++) {
        push(intervals, REQUESTS, i * 1000, (i + 1) * 1000, 1);
        push(intervals, TEMPERATURE, i * 1000, (i + 1) * 1000, 40);
    }
    assert_int_equal(seen.count, 2);
    expect_interval(&seen, 1, TEMPERATURE, 1000, 2000, 40, false);
    intervals_finish(intervals);
    expect_interval(&seen, 2, REQUESTS, 0, 2000, 2, true);
    intervals_free(intervals);
}

static void test_lane_without_requests_is_not_held_back(void **state)
{
    (void)state;
    struct seen seen;
    struct intervals *intervals = make(&seen, 1 * S);
    for (unsigned i = 0; i < 3; i++)
        push(intervals, WRITTEN, i * 1000, (i + 1) * 1000, 7);
    assert_int_equal(seen.count, 3); /* the first one waited for one tick */
    for (unsigned i = 0; i < 3; i++)
        expect_interval(&seen, i, WRITTEN, i * 1000, (i + 1) * 1000, 7, false);
    intervals_free(intervals);
}

static int compare(const void *a, const void *b)
{
    const struct interval *left = a, *right = b;
    if (left->metric != right->metric)
        return left->metric < right->metric ? -1 : 1;
    return (left->t0_ns > right->t0_ns) - (left->t0_ns < right->t0_ns);
}

static uint64_t random_next(uint64_t *seed)
{
    *seed = *seed * 6364136223846793005ull + 1442695040888963407ull;
    return *seed >> 33;
}

static void feed_random(struct intervals *intervals, uint64_t *seed)
{
    uint64_t offset = random_next(seed) % 300;
    for (unsigned tick = 0; tick < 40; tick++) {
        uint64_t t0 = offset + tick * 250, t1 = t0 + 250;
        bool is_slow = random_next(seed) % 4 != 0;
        double requests = (double)(random_next(seed) % (is_slow ? 2 : 9));
        if (random_next(seed) % 20 == 0)
            continue; /* a gap */
        push(intervals, REQUESTS, t0, t1, requests);
        push(intervals, WRITTEN, t0, t1, requests * 4096);
        push(intervals, TEMPERATURE, t0, t1, (double)tick);
    }
    intervals_finish(intervals);
}

/* What a file keeps of a run gives the same intervals again, marks and all. */
static void test_intervals_of_intervals_are_the_same(void **state)
{
    (void)state;
    uint64_t seed = 7;
    for (unsigned run = 0; run < 500; run++) {
        struct seen first, second;
        struct intervals *intervals = make(&first, 1 * S);
        feed_random(intervals, &seed);
        intervals_free(intervals);
        intervals = make(&second, 1 * S);
        for (size_t i = 0; i < first.count; i++) {
            const struct interval *interval = &first.list[i];
            struct frame_sample sample = {.metric = interval->metric,
                                          .merged = interval->merged,
                                          .t0_ns = interval->t0_ns,
                                          .t1_ns = interval->t1_ns,
                                          .value = interval->value};
            assert_int_equal(intervals_push(intervals, &sample), 0);
        }
        intervals_finish(intervals);
        intervals_free(intervals);
        assert_int_equal(first.count, second.count);
        qsort(first.list, first.count, sizeof(first.list[0]), compare);
        qsort(second.list, second.count, sizeof(second.list[0]), compare);
        for (size_t i = 0; i < first.count; i++) {
            const struct interval *a = &first.list[i], *b = &second.list[i];
            assert_true(a->metric == b->metric && a->t0_ns == b->t0_ns && a->t1_ns == b->t1_ns &&
                        a->value == b->value && a->is_widened == b->is_widened);
        }
    }
}

static void test_refuses_what_does_not_fit(void **state)
{
    (void)state;
    struct seen seen;
    struct intervals *intervals = make(&seen, 1 * S);
    push(intervals, READ, 1000, 2000, 1);
    struct frame_sample sample = {.metric = READ, .t0_ns = ZERO + 1500 * MS, .t1_ns = ZERO + 3 * S};
    assert_int_equal(intervals_push(intervals, &sample), -EINVAL);
    sample = (struct frame_sample){.metric = 5, .t0_ns = ZERO, .t1_ns = ZERO + 1};
    assert_int_equal(intervals_push(intervals, &sample), -EINVAL);
    sample.metric = 4; /* a total has no samples */
    assert_int_equal(intervals_push(intervals, &sample), -EINVAL);
    sample.metric = READ;
    sample.lane = 256;
    assert_int_equal(intervals_push(intervals, &sample), -EINVAL);
    sample.lane = 255;
    assert_int_equal(intervals_push(intervals, &sample), 0);
    sample.t0_ns = sample.t1_ns;
    assert_int_equal(intervals_push(intervals, &sample), -EINVAL);
    intervals_free(intervals);
}

static void test_tick_divides_the_report_interval(void **state)
{
    (void)state;
    static const struct {
        uint64_t report_ms, most_ms;
        int tick_ms; /* or negative errno */
    } cases[] = {{1000, 1000, 1000},  {1000, 250, 250},         {60000, 1000, 1000},
                 {100, 1000, 100},    {150, 1000, 150},         {1100, 1000, 550},
                 {300, 250, 150},     {99, 1000, -EINVAL},      {1009, 1000, -EINVAL},
                 {3600000, 250, 250}, {3600001, 1000, -EINVAL}, {0, 1000, -EINVAL},
                 {190, 100, -EINVAL}};
    for (unsigned i = 0; i < ARRAY_SIZE(cases); i++) {
        uint64_t tick_ns = 0;
        int error = intervals_tick(cases[i].report_ms * MS, cases[i].most_ms * MS, &tick_ns);
        assert_int_equal(error, cases[i].tick_ms < 0 ? cases[i].tick_ms : 0);
        assert_int_equal(tick_ns / MS, cases[i].tick_ms < 0 ? 0 : cases[i].tick_ms);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_ticks_add_up_to_report_intervals),
        cmocka_unit_test(test_sums_are_exact),
        cmocka_unit_test(test_tick_across_a_border_closes_late),
        cmocka_unit_test(test_gap_ends_the_interval_before_it),
        cmocka_unit_test(test_few_requests_widen),
        cmocka_unit_test(test_bounds_of_widening),
        cmocka_unit_test(test_widening_leaves_other_metrics_alone),
        cmocka_unit_test(test_lane_without_requests_is_not_held_back),
        cmocka_unit_test(test_intervals_of_intervals_are_the_same),
        cmocka_unit_test(test_refuses_what_does_not_fit),
        cmocka_unit_test(test_tick_divides_the_report_interval),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
