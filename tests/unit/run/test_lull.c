/* lull: the worst report interval, its time, and how many had nothing. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "run/lull.h"

#define S 1000000000ull
#define ZERO (7 * S)
#define NEAR(a, b) (fabs((double)(a) - (double)(b)) <= 1e-9 * fabs((double)(b)) + 1e-9)

static struct lull begun(uint64_t step_ns)
{
    struct lull lull;
    lull_begin(&lull, ZERO, step_ns);
    return lull;
}

static void push(struct lull *lull, uint64_t from_ms, uint64_t to_ms, double amount)
{
    lull_push(lull, ZERO + from_ms * 1000000, ZERO + to_ms * 1000000, amount);
}

static void test_ticks_are_added_up_to_report_intervals(void **state)
{
    struct lull lull = begun(S);
    struct lull_found found;
    (void)state;
    for (unsigned i = 0; i < 40; i++) /* a tick without anything is no interval without anything */
        push(&lull, i * 250, i * 250 + 250, i == 21 ? 0 : 100);
    assert_true(lull_find(&lull, true, &found));
    assert_int_equal(found.count, 10);
    assert_int_equal(found.zeros, 0);
    assert_true(NEAR(found.least, 300));
    assert_int_equal(found.least_ns, ZERO + 5 * S);
}

static void test_zero_intervals_are_counted_and_the_first_worst_one_is_named(void **state)
{
    struct lull lull = begun(60 * S);
    struct lull_found found;
    (void)state;
    for (unsigned i = 0; i < 720; i++)
        push(&lull, i * 60000, i * 60000 + 60000, i == 192 || i == 193 ? 0 : 7e9);
    assert_true(lull_find(&lull, true, &found));
    assert_int_equal(found.count, 720);
    assert_int_equal(found.zeros, 2);
    assert_true(NEAR(found.least, 0));
    assert_int_equal(found.least_ns, ZERO + 192 * 60 * S);
}

static void test_lanes_add_up_although_one_is_late(void **state)
{
    struct lull lull = begun(S);
    struct lull_found found;
    (void)state;
    for (unsigned i = 0; i < 20; i++) {
        push(&lull, i * 1000, i * 1000 + 1000, 0);
        if (i >= 3)
            push(&lull, (i - 3) * 1000, (i - 3) * 1000 + 1000, 10);
    }
    assert_true(lull_find(&lull, false, &found));
    assert_int_equal(found.zeros, 0);
    assert_true(NEAR(found.least, 10));
}

static void test_an_interval_cut_short_is_not_the_worst(void **state)
{
    struct lull lull = begun(S);
    struct lull_found found;
    (void)state;
    push(&lull, 400, 1000, 1); /* began within it */
    push(&lull, 1000, 2000, 100);
    push(&lull, 2000, 2300, 1); /* and ended within it */
    assert_true(lull_find(&lull, true, &found));
    assert_int_equal(found.count, 1);
    assert_true(NEAR(found.least, 100));
}

static void test_an_amount_of_several_intervals_is_shared_out(void **state)
{
    struct lull lull = begun(S);
    struct lull_found found;
    (void)state;
    push(&lull, 0, 4000, 400);
    assert_true(lull_find(&lull, true, &found));
    assert_int_equal(found.count, 4);
    assert_true(NEAR(found.least, 100));
}

static void test_what_nobody_told_of_is_no_zero(void **state)
{
    struct lull lull = begun(S);
    struct lull_found found;
    (void)state;
    push(&lull, 0, 1000, 5);
    push(&lull, 90000, 91000, 5);
    assert_true(lull_find(&lull, true, &found));
    assert_int_equal(found.count, 2);
    assert_int_equal(found.zeros, 0);
}

static void test_nonsense_is_left_out(void **state)
{
    struct lull lull = {0}, begun_one = begun(S);
    struct lull_found found;
    (void)state;
    push(&lull, 0, 1000, 5); /* never begun */
    assert_false(lull_find(&lull, true, &found));
    push(&begun_one, 0, 1000, (double)NAN);
    push(&begun_one, 0, 1000, -1);
    push(&begun_one, 1000, 1000, 5);
    lull_push(&begun_one, 0, ZERO, 5); /* before the run */
    assert_false(lull_find(&begun_one, true, &found));
    lull_push(&begun_one, ZERO, UINT64_MAX, 5); /* ends, however long */
    push(&begun_one, 0, 1000, 5);               /* too late */
    assert_true(lull_find(&begun_one, true, &found));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_ticks_are_added_up_to_report_intervals),
        cmocka_unit_test(test_zero_intervals_are_counted_and_the_first_worst_one_is_named),
        cmocka_unit_test(test_lanes_add_up_although_one_is_late),
        cmocka_unit_test(test_an_interval_cut_short_is_not_the_worst),
        cmocka_unit_test(test_an_amount_of_several_intervals_is_shared_out),
        cmocka_unit_test(test_what_nobody_told_of_is_no_zero),
        cmocka_unit_test(test_nonsense_is_left_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
