#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../terminal/pseudo.h"
#include "chart/bars.h"
#include "terminal/canvas.h"

static struct pseudo pseudo;

static int open_it(void **state)
{
    (void)state;
    return pseudo_open(&pseudo, 24, 80, "xterm-256color", "eighths");
}

static int close_it(void **state)
{
    (void)state;
    pseudo_close(&pseudo);
    return 0;
}

static struct bars make_bars(void)
{
    return (struct bars){
        .unit = "MB/s",
        .names = {"1 thread", "2 threads"},
        .value_count = 2,
        .rows = {{"read", false, {true, true}, {2000, 3000}},
                 {"write", true, {true, false}, {500, 0}},
                 {"copy", false, {true, true}, {2000, 1000}}},
        .row_count = 3,
        .cursor = -1,
    };
}

static char *draw(struct rect area, const struct bars *bars, enum glyph_tier tier)
{
    canvas_begin();
    bars_draw(area, bars, tier);
    canvas_end();
    return canvas_dump();
}

static void assert_bars(const struct bars *bars, struct rect area, enum glyph_tier tier,
                        const char *expected)
{
    char *got = draw(area, bars, tier);
    char *end = got + strlen(got);
    while (end - got >= 2 && end[-1] == '\n' && end[-2] == '\n')
        *--end = '\0';
    assert_string_equal(got, expected);
    free(got);
}

static void further_values_are_markers_and_all_are_numbers(void **state)
{
    struct bars bars = make_bars();

    (void)state;
    bars.ceiling = 4000;
    bars.ceiling_label = "peak 4000";
    assert_bars(&bars, (struct rect){0, 0, 4, 70}, GLYPH_EIGHTHS,
                " MB/s   █ 1 thread  ◆ 2 threads                   peak 4000 │\n"
                " read         2000         3000  ██████████████──────◆      │    75 %\n"
                " write         500               ███▌                       │    12 %\n"
                " copy         2000         1000  ██████◆███████             │    50 %\n");
}

static void in_ascii_the_marker_stands_on_the_bar(void **state)
{
    struct bars bars = make_bars();
    char *got = draw((struct rect){0, 0, 4, 60}, &bars, GLYPH_ASCII);

    (void)state;
    assert_non_null(strstr(got, " copy         2000         1000  ####*#####\n"));
    free(got);
}

static void points_stand_below_each_other(void **state)
{
    struct bars bars = {
        .unit = "ns",
        .value_count = 1,
        .rows = {{"1 chain", false, {true}, {98.26}}, {"8 chains", false, {true}, {9.5}}},
        .row_count = 2,
        .cursor = -1};

    (void)state;
    assert_bars(&bars, (struct rect){0, 0, 3, 40}, GLYPH_EIGHTHS,
                " ns\n"
                " 1 chain    98.3  ███████████████████▋\n"
                " 8 chains    9.5  █▉\n");
}

static void too_many_rows_keep_the_active_one_in_sight(void **state)
{
    struct bars bars = {.unit = "MB/s", .value_count = 1, .row_count = 20, .cursor = -1};
    char *got;

    (void)state;
    for (size_t i = 0; i < 20; i++) {
        (void)snprintf(bars.rows[i].label, sizeof bars.rows[i].label, "row %zu", i);
        bars.rows[i].has_value[0] = true;
        bars.rows[i].values[0] = 5;
    }
    bars.rows[15].is_active = true;
    got = draw((struct rect){0, 0, 6, 60}, &bars, GLYPH_EIGHTHS);
    assert_non_null(strstr(got, "row 15"));
    assert_null(strstr(got, "row 16"));
    free(got);
    bars.cursor = 2;
    got = draw((struct rect){0, 0, 6, 60}, &bars, GLYPH_EIGHTHS);
    assert_non_null(strstr(got, "row 2"));
    assert_null(strstr(got, "row 15"));
    free(got);
}

static void a_ceiling_far_above_is_only_named(void **state)
{
    struct bars bars = make_bars();
    char *got;

    (void)state;
    bars.ceiling = 50000;
    bars.ceiling_label = "peak 50000";
    got = draw((struct rect){0, 0, 4, 80}, &bars, GLYPH_EIGHTHS);
    assert_non_null(strstr(got, "peak 50000 →"));
    assert_non_null(strstr(got, "6 %"));
    assert_null(strstr(got, "│"));
    free(got);
}

static void any_size_is_drawn(void **state)
{
    struct bars bars = make_bars(), none = {.unit = "s", .cursor = -1};

    (void)state;
    bars.ceiling = 4000;
    for (int rows = 0; rows < 10; rows++)
        for (int columns = 0; columns < 80; columns += 3) {
            free(draw((struct rect){0, 0, rows, columns}, &bars, GLYPH_EIGHTHS));
            free(draw((struct rect){0, 0, rows, columns}, &none, GLYPH_ASCII));
        }
    bars.rows[0].values[0] = 0;
    bars.rows[0].values[1] = 0;
    bars.row_count = 1;
    bars.ceiling = 0;
    free(draw((struct rect){0, 0, 4, 40}, &bars, GLYPH_EIGHTHS)); /* all of nothing */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(further_values_are_markers_and_all_are_numbers, open_it,
                                        close_it),
        cmocka_unit_test_setup_teardown(in_ascii_the_marker_stands_on_the_bar, open_it, close_it),
        cmocka_unit_test_setup_teardown(points_stand_below_each_other, open_it, close_it),
        cmocka_unit_test_setup_teardown(too_many_rows_keep_the_active_one_in_sight, open_it,
                                        close_it),
        cmocka_unit_test_setup_teardown(a_ceiling_far_above_is_only_named, open_it, close_it),
        cmocka_unit_test_setup_teardown(any_size_is_drawn, open_it, close_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
