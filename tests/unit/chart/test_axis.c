#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <string.h>

#include "chart/axis.h"

static void labels_have_the_decimals_of_their_step(void **state)
{
    static const struct {
        double value, step;
        const char *text;
    } cases[] = {{10, 5, "10"},           {0.5, 0.5, "0.5"},       {1, 0.5, "1.0"},
                 {0.25, 0.05, "0.25"},    {0, 0.5, "0"},           {1000, 200, "1000"},
                 {50000, 10000, "50000"}, {200000, 1e5, "200k"},   {5e8, 1e8, "500M"},
                 {2e11, 1e11, "200G"},    {0.002, 0.001, "0.002"}, {5e-6, 1e-6, "5e-06"}};
    char label[AXIS_LABEL_SIZE];

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        assert_string_equal(axis_number(cases[i].value, cases[i].step, label), cases[i].text);
        assert_true(strlen(label) <= AXIS_LABEL_CELLS);
    }
}

static void time_is_counted_as_clocks_do(void **state)
{
    static const struct {
        double span_s, step_s;
        int columns;
        const char *unit;
    } cases[] = {{10, 2, 73, "s"},       {20, 5, 73, "s"},       {60, 10, 73, "s"},
                 {120, 20, 73, "s"},     {300, 60, 73, "min"},   {600, 120, 73, "min"},
                 {3600, 600, 73, "min"}, {43200, 7200, 73, "h"}, {86400 * 3, 86400, 73, "d"},
                 {1, 0.2, 73, "s"},      {10, 5, 20, "s"}};

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct axis_time axis = axis_time(cases[i].span_s, cases[i].columns, 9);
        assert_true(fabs(axis.step_s - cases[i].step_s) < 1e-9);
        assert_string_equal(axis.unit, cases[i].unit);
    }
}

static void ticks_keep_their_distance(void **state)
{
    (void)state;
    for (double span = 0.01; span < 1e7; span *= 1.07) {
        for (int columns = 10; columns < 300; columns += 13) {
            struct axis_time axis = axis_time(span, columns, 9);
            assert_true(axis.step_s > 0 && axis.divisor_s >= 1);
            assert_true(axis.step_s / span * columns >= 8.999);
        }
    }
    assert_true(axis_time(0, 80, 9).step_s > 0);
    assert_true(axis_time((double)NAN, 80, 9).step_s > 0);
    assert_true(axis_time(10, 0, 9).step_s > 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(labels_have_the_decimals_of_their_step),
        cmocka_unit_test(time_is_counted_as_clocks_do),
        cmocka_unit_test(ticks_keep_their_distance),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
