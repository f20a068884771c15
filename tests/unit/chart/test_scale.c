#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdbool.h>

#include "chart/scale.h"

#define S 1000000000ull

static bool near(double a, double b)
{
    return fabs(a - b) <= 1e-9 * fabs(b);
}

static void tops_are_one_two_or_five(void **state)
{
    static const double cases[][2] = {
        {0.9, 1},   {1, 1},      {1.01, 2},  {2.0, 2},       {4.9, 5},       {5.1, 10},   {67, 100},
        {104, 200}, {940, 1000}, {0.3, 0.5}, {0.001, 0.001}, {21000, 50000}, {1e12, 1e12}};

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct scale scale = {0};
        assert_int_equal(scale_update(&scale, cases[i][0], S, 10), 1);
        assert_true(near(scale.top, cases[i][1]));
        double ticks = scale.top / scale.step;
        assert_true(near(ticks, round(ticks)) && ticks >= 1 && ticks <= 5);
    }
}

static void it_grows_at_once_and_shrinks_late(void **state)
{
    struct scale scale = {0};

    (void)state;
    assert_int_equal(scale_update(&scale, 9, 1 * S, 10), 1);
    assert_int_equal(scale_update(&scale, 60, 2 * S, 10), 1);
    assert_true(near(scale.top, 100));
    assert_int_equal(scale_update(&scale, 40, 3 * S, 10), 0); /* not below a third */
    assert_int_equal(scale_update(&scale, 20, 4 * S, 10), 0); /* the clock starts */
    assert_int_equal(scale_update(&scale, 20, 8 * S, 10), 0);
    assert_true(near(scale.top, 100));
    assert_int_equal(scale_update(&scale, 20, 9 * S, 10), 1);
    assert_true(near(scale.top, 20));
}

static void one_large_value_starts_the_wait_again(void **state)
{
    struct scale scale = {0};

    (void)state;
    (void)scale_update(&scale, 90, 1 * S, 10);
    (void)scale_update(&scale, 10, 2 * S, 10);
    (void)scale_update(&scale, 50, 6 * S, 10);
    assert_int_equal(scale_update(&scale, 10, 7 * S, 10), 0);
    assert_int_equal(scale_update(&scale, 10, 11 * S, 10), 0);
    assert_int_equal(scale_update(&scale, 10, 12 * S, 10), 1);
}

static void nothing_keeps_the_scale(void **state)
{
    struct scale scale = {0};

    (void)state;
    assert_int_equal(scale_update(&scale, 0, S, 10), 0);
    assert_true(scale.top <= 0);
    (void)scale_update(&scale, 90, S, 10);
    for (uint64_t t = 2; t < 60; t++)
        assert_int_equal(scale_update(&scale, t % 2 ? 0 : (double)NAN, t * S, 10), 0);
    assert_true(near(scale.top, 100));
    assert_int_equal(scale_update(&scale, (double)INFINITY, 60 * S, 10), 0);
}

static void labels_have_room(void **state)
{
    struct scale scale = {0};

    (void)state;
    (void)scale_update(&scale, 10, S, 4);
    assert_true(near(scale.step, 5));
    assert_int_equal(scale_update(&scale, 10, S, 12), 1); /* a taller plot: more labels */
    assert_true(near(scale.step, 2));
    assert_int_equal(scale_update(&scale, 10, S, 1), 1);
    assert_true(near(scale.step, 10));
    for (int rows = -3; rows < 300; rows++) {
        (void)scale_update(&scale, 10, S, rows);
        assert_true(scale.step > 0 && scale.top / scale.step <= (rows < 4 ? 1.0 : rows / 2));
    }
}

static void steps_are_nice(void **state)
{
    (void)state;
    assert_true(near(scale_nice_step(60, 6), 10));
    assert_true(near(scale_nice_step(60, 5), 20));
    assert_true(near(scale_nice_step(0.7, 7), 0.1));
    assert_true(near(scale_nice_step(1, 0), 1));
    assert_true(near(scale_nice_step(0, 4), 1));
    assert_true(near(scale_nice_step(-1, 4), 1));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tops_are_one_two_or_five),
        cmocka_unit_test(it_grows_at_once_and_shrinks_late),
        cmocka_unit_test(one_large_value_starts_the_wait_again),
        cmocka_unit_test(nothing_keeps_the_scale),
        cmocka_unit_test(labels_have_room),
        cmocka_unit_test(steps_are_nice),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
