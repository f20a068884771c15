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
#include "chart/curve.h"
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

static const struct curve_point stairs[] = {{4096, 100}, {8192, 100}, {16384, 10}, {65536, 10}};

static struct curve make_curve(void)
{
    return (struct curve){
        .x = {TICKS_BINARY, 4096, 65536},
        .y = {TICKS_LOG, 1, 100},
        .y_unit = "GB/s",
        .series = {{"read", stairs, 4, ROLE_SERIES_1, true, 0}},
        .series_count = 1,
        .edges = {{8192, "L1 8K"}, {16384, ""}},
        .edge_count = 2,
        .cursor = -1,
    };
}

static char *draw(struct rect area, const struct curve *curve, enum glyph_tier tier)
{
    canvas_begin();
    curve_draw(area, curve, tier);
    canvas_end();
    return canvas_dump();
}

static void assert_curve(const struct curve *curve, struct rect area, enum glyph_tier tier,
                         const char *expected)
{
    char *got = draw(area, curve, tier);
    char *end = got + strlen(got);
    while (end - got >= 2 && end[-1] == '\n' && end[-2] == '\n')
        *--end = '\0';
    assert_string_equal(got, expected);
    free(got);
}

static void stairs_have_edges_names_and_sizes(void **state)
{
    struct curve curve = make_curve();

    (void)state;
    assert_curve(&curve, (struct rect){0, 0, 9, 40}, GLYPH_EIGHTHS,
                 " GB/s  █ read  L1 8K\n"
                 "  100┤████████│▆▃\n"
                 "     │████████│███▅▂\n"
                 "     │████████│█████▇▄▁\n"
                 "   10┤████████│█████████████████████████\n"
                 "     │████████│█████████████████████████\n"
                 "     │████████│█████████████████████████\n"
                 "    1┼┬────────────────▲───────────────┬\n"
                 "     4K               16K            64K\n");
}

static void a_ceiling_is_a_line_or_an_arrow(void **state)
{
    struct curve curve = make_curve();
    char *got;

    (void)state;
    curve.ceiling = 30;
    curve.ceiling_label = "peak 30";
    got = draw((struct rect){0, 0, 9, 60}, &curve, GLYPH_EIGHTHS);
    assert_non_null(strstr(got, "peak 30 ┄┄┄"));
    assert_non_null(strstr(got, "┄┄┄┄┄┄┄┄┄┄\n"));
    free(got);
    curve.ceiling = 300;
    curve.ceiling_label = "peak 300";
    got = draw((struct rect){0, 0, 9, 60}, &curve, GLYPH_EIGHTHS);
    assert_non_null(strstr(got, "peak 300 ↑"));
    assert_null(strstr(got, "┄"));
    free(got);
}

static void a_line_has_a_marker_at_each_point(void **state)
{
    static const struct curve_point load[] = {{0, 20}, {50, 40}, {100, 100}};
    struct curve curve = {
        .x = {TICKS_LINEAR, 0, 100},
        .y = {TICKS_LINEAR, 0, 100},
        .x_unit = "MB/s",
        .y_unit = "ns",
        .series = {{"loaded", load, 3, ROLE_SERIES_2, false, 1}},
        .series_count = 1,
        .cursor = -1,
    };

    (void)state;
    assert_curve(&curve, (struct rect){0, 0, 8, 30}, GLYPH_EIGHTHS,
                 " ns  ○ loaded\n"
                 "  100┤                    ···○\n"
                 "     │                ····\n"
                 "   50┤            ····\n"
                 "     │ ···········○\n"
                 "     │○\n"
                 "    0┼┬───────────┬──────────┬\n"
                 "      0          50   100 MB/s\n");
    assert_curve(&curve, (struct rect){0, 0, 8, 30}, GLYPH_BRAILLE,
                 " ns  ○ loaded\n"
                 "  100┤                    ⣀⠤⠒○\n"
                 "     │                ⣀⠤⠒⠉\n"
                 "   50┤            ⣀⠤⠒⠉\n"
                 "     │⢀⣀⣀⡠⠤⠤⠔⠒⠒⠊⠉⠉○\n"
                 "     │○\n"
                 "    0┼┬───────────┬──────────┬\n"
                 "      0          50   100 MB/s\n");
}

static void a_cursor_stands_on_its_point(void **state)
{
    struct curve curve = make_curve();
    char *got;

    (void)state;
    curve.edge_count = 0;
    curve.cursor = 2;
    got = draw((struct rect){0, 0, 9, 40}, &curve, GLYPH_EIGHTHS);
    assert_non_null(strstr(got, "  100┤█████████▆▃      │\n"));
    assert_non_null(strstr(got, "     │█████████████████│████"));
    free(got);
}

static void without_a_point_it_says_what_it_waits_for(void **state)
{
    struct curve curve = make_curve();
    char *got;

    (void)state;
    curve.series[0].count = 0;
    curve.waiting = "the load comes last";
    got = draw((struct rect){0, 0, 9, 60}, &curve, GLYPH_EIGHTHS);
    assert_non_null(strstr(got, "the load comes last"));
    free(got);
}

static void any_size_and_any_number_is_drawn(void **state)
{
    static const struct curve_point wild[] = {
        {NAN, 5}, {-4, -4}, {0, 0}, {4096, INFINITY}, {1e300, 1e300}};
    struct curve curve = make_curve();

    (void)state;
    for (int rows = 0; rows < 12; rows++)
        for (int columns = 0; columns < 44; columns += 3)
            for (int tier = 0; tier < GLYPH_TIERS; tier++)
                free(draw((struct rect){0, 0, rows, columns}, &curve, (enum glyph_tier)tier));
    curve.series[0].points = wild;
    curve.series[0].count = 5;
    free(draw((struct rect){0, 0, 9, 40}, &curve, GLYPH_EIGHTHS));
    curve.series[0].is_filled = false;
    curve.x = curve.y = (struct ticks_axis){TICKS_LOG, 0, 0};
    free(draw((struct rect){0, 0, 9, 40}, &curve, GLYPH_BRAILLE));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(stairs_have_edges_names_and_sizes, open_it, close_it),
        cmocka_unit_test_setup_teardown(a_ceiling_is_a_line_or_an_arrow, open_it, close_it),
        cmocka_unit_test_setup_teardown(a_line_has_a_marker_at_each_point, open_it, close_it),
        cmocka_unit_test_setup_teardown(a_cursor_stands_on_its_point, open_it, close_it),
        cmocka_unit_test_setup_teardown(without_a_point_it_says_what_it_waits_for, open_it,
                                        close_it),
        cmocka_unit_test_setup_teardown(any_size_and_any_number_is_drawn, open_it, close_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
