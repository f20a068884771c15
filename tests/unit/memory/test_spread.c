/* spread: median, band and best; the first sample is dropped. */
#include "prelude.h"

#include <memory/spread.h>

static void the_first_is_dropped(void **state)
{
    (void)state;
    struct spread spread = {0};
    spread_add(&spread, 1000);
    for (int i = 20; i >= 0; i--)
        spread_add(&spread, i);
    struct spread_figures figures = spread_figures(&spread);
    assert_true(figures.median == 10 && figures.p5 == 1 && figures.p95 == 19);
    assert_true(figures.best == 20);
    assert_int_equal(figures.samples, 21);
    spread_done(&spread);
}

static void alone_it_is_better_than_nothing(void **state)
{
    (void)state;
    struct spread spread = {0};
    assert_int_equal(spread_figures(&spread).samples, 0);
    spread_add(&spread, 7);
    struct spread_figures figures = spread_figures(&spread);
    assert_true(figures.median == 7 && figures.best == 7 && figures.p5 == 7);
    assert_int_equal(figures.samples, 1);
    spread_done(&spread);
}

static void between_two_it_interpolates(void **state)
{
    (void)state;
    const double two[] = {10, 20};
    assert_true(spread_at(two, 2, 0.5) == 15);
    assert_true(spread_at(two, 2, 1) == 20);
    assert_true(spread_at(two, 1, 0.95) == 10);
}

static void drift_is_the_last_tenth_against_the_first(void **state)
{
    (void)state;
    struct spread spread = {0};
    for (int i = 0; i < 101; i++)
        spread_add(&spread, i < 51 ? 100 : 90);
    assert_true(spread_drift(&spread) > -0.1001 && spread_drift(&spread) < -0.0999);
    struct spread few = {0};
    for (int i = 0; i < 10; i++)
        spread_add(&few, i);
    assert_true(spread_drift(&few) == 0);
    spread_done(&spread);
    spread_done(&few);
}

/* After a day and five hours nothing was kept any more: the drift of a week was that of its first
 * day. */
static void a_week_keeps_its_end(void **state)
{
    (void)state;
    struct spread spread = {0};
    const unsigned week = 6048000; /* ten a second */
    for (unsigned i = 0; i < week; i++)
        spread_add(&spread, i < week / 2 ? 100 : 50);
    assert_true(spread.count < SPREAD_MOST && spread.count >= SPREAD_MOST / 2);
    assert_true(spread_drift(&spread) > -0.501 && spread_drift(&spread) < -0.499);
    struct spread_figures figures = spread_figures(&spread);
    assert_true(figures.p5 == 50 && figures.p95 == 100);
    spread_done(&spread);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_first_is_dropped),
        cmocka_unit_test(alone_it_is_better_than_nothing),
        cmocka_unit_test(between_two_it_interpolates),
        cmocka_unit_test(a_week_keeps_its_end),
        cmocka_unit_test(drift_is_the_last_tenth_against_the_first),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
