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
#include "chart/plot.h"
#include "terminal/canvas.h"

#define COLUMNS_MAX 400

static struct pseudo pseudo;
static struct column device[COLUMNS_MAX], application[COLUMNS_MAX];
static struct scale scale;

static int open_small(void **state)
{
    (void)state;
    return pseudo_open(&pseudo, 10, 40, "xterm-256color", "eighths");
}

static int open_ascii(void **state)
{
    (void)state;
    return pseudo_open(&pseudo, 10, 40, "xterm-256color", "ascii");
}

static int open_large(void **state)
{
    (void)state;
    return pseudo_open(&pseudo, 70, 300, "xterm-256color", "eighths");
}

static int close_it(void **state)
{
    (void)state;
    pseudo_close(&pseudo);
    return 0;
}

/* 33 columns of a staircase to 10 MB/s; a gap at 10 and 11, zeros at 12 and 13, nothing from 30 on.
 */
static struct plot make_plot(void)
{
    memset(device, 0, sizeof(device));
    memset(application, 0, sizeof(application));
    for (int i = 0; i < 30; i++) {
        bool is_known = i != 10 && i != 11;
        double rate = i == 12 || i == 13 ? 0 : 10e6 * (i + 1) / 30;
        device[i] = (struct column){is_known, rate, rate, rate};
        application[i] = (struct column){true, 9e6, 9e6, 9e6};
    }
    scale = (struct scale){.top = 10, .step = 5};
    return (struct plot){
        .unit = "MB/s",
        .unit_divisor = 1e6,
        .series = {{"device", device, ROLE_SERIES_1, true, 0},
                   {"app", application, ROLE_SERIES_2, false, 1}},
        .series_count = 1,
        .phases = {{"write", 0, 0.5}, {"sync", 0.5, 0.9}},
        .phase_count = 2,
        .from_s = 0,
        .to_s = 33,
        .scale = &scale,
        .cursor = -1,
    };
}

static void assert_plot(const struct plot *plot, int rows, const char *expected)
{
    canvas_begin();
    plot_draw((struct rect){0, 0, rows, 40}, plot, term_glyphs());
    canvas_end();
    char *got = canvas_dump();
    assert_string_equal(got, expected);
    free(got);
}

static void it_shows_unit_axis_gaps_and_phases(void **state)
{
    struct plot plot = make_plot();

    (void)state;
    plot.ceiling = 104e6;
    plot.ceiling_label = "bus 104";
    assert_int_equal(plot_columns((struct rect){0, 0, 10, 40}), 33);
    assert_int_equal(plot_rows((struct rect){0, 0, 10, 40}, &plot), 6);
    assert_plot(&plot, 10,
                " MB/s                         bus 104 ↑\n"
                "   10 ┤                         ▂▃▅▆█\n"
                "      │                    ▂▃▅▆██████\n"
                "      │               ▂▃▅▆███████████\n"
                "    5 ┤              ████████████████\n"
                "      │     ▂▃▅▆█    ████████████████\n"
                "      │▂▃▅▆██████··  ████████████████\n"
                "    0 ┼──────────┬─────────┬─────────┬──\n"
                "       0 s       10        20        30\n"
                "       ▒▒▒▒▒ write ▒▒▒▒▒░░░ sync ░░░░\n");
}

static void the_line_is_told_from_the_area_without_colour(void **state)
{
    struct plot plot = make_plot();

    (void)state;
    plot.series_count = 2;
    plot.phase_count = 0;
    plot.ceiling = 9.9e6;
    plot.ceiling_label = "bus";
    canvas_begin();
    plot_draw((struct rect){0, 0, 10, 40}, &plot, term_glyphs());
    canvas_end();
    char *got = canvas_dump();
    assert_non_null(strstr(got, " MB/s  █ device  ○ app      bus ┄┄┄┄┄┄┄\n"));
    assert_non_null(strstr(got, "○──○──○"));
    assert_non_null(strstr(got, "┄┄┄\n"));
    free(got);
}

static void ascii_says_the_same(void **state)
{
    struct plot plot = make_plot();

    (void)state;
    plot.series_count = 2;
    canvas_begin();
    plot_draw((struct rect){0, 0, 10, 40}, &plot, term_glyphs());
    canvas_end();
    char *got = canvas_dump();
    for (const char *at = got; *at; at++)
        assert_true((unsigned char)*at < 0x80);
    assert_non_null(strstr(got, " MB/s  # device  o app"));
    assert_non_null(strstr(got, "o--o--o"));
    assert_non_null(strstr(got, "??"));
    assert_non_null(strstr(got, ":::: write"));
    free(got);
}

static void the_cursor_reads_out_time_and_values(void **state)
{
    struct plot plot = make_plot();

    (void)state;
    plot.cursor = 14;
    device[14].min = 1e6;
    canvas_begin();
    plot_draw((struct rect){0, 0, 10, 40}, &plot, term_glyphs());
    canvas_end();
    char *got = canvas_dump();
    assert_non_null(strstr(got, " MB/s  at 14.5 s  5.00 (1.00 … 5.00)"));
    free(got);
    plot.cursor = 10;
    canvas_begin();
    plot_draw((struct rect){0, 0, 10, 40}, &plot, term_glyphs());
    canvas_end();
    got = canvas_dump();
    assert_non_null(strstr(got, "at 10.5 s  no sample"));
    free(got);
}

static void an_empty_plot_says_so(void **state)
{
    struct plot plot = make_plot();

    (void)state;
    memset(device, 0, sizeof(device));
    scale = (struct scale){0};
    plot.phase_count = 0;
    assert_plot(&plot, 6,
                " MB/s\n      │\n      │         no samples yet\n      │\n"
                "    0 ┼──────────┬─────────┬─────────┬──\n"
                "       0 s       10        20        30\n\n\n\n\n");
}

static void one_above_another_leaves_it_the_times_and_phases(void **state)
{
    struct plot plot = make_plot();

    (void)state;
    plot.hides_times = true;
    assert_int_equal(plot_rows((struct rect){0, 0, 8, 40}, &plot), 6);
    assert_plot(&plot, 8,
                " MB/s\n"
                "   10 ┤                         ▂▃▅▆█\n"
                "      │                    ▂▃▅▆██████\n"
                "      │               ▂▃▅▆███████████\n"
                "    5 ┤              ████████████████\n"
                "      │     ▂▃▅▆█    ████████████████\n"
                "      │▂▃▅▆██████··  ████████████████\n"
                "    0 ┼──────────┬─────────┬─────────┬──\n\n\n");
}

static void what_is_waited_for_is_said(void **state)
{
    struct plot plot = make_plot();

    (void)state;
    memset(device, 0, sizeof(device));
    scale = (struct scale){0};
    plot.phase_count = 0;
    plot.waiting = "told at the end";
    assert_plot(&plot, 6,
                " MB/s\n      │\n      │         told at the end\n      │\n"
                "    0 ┼──────────┬─────────┬─────────┬──\n"
                "       0 s       10        20        30\n\n\n\n\n");
}

/* Any rectangle, on the screen or not, with any data. */
static void any_size_is_drawn_within_its_rectangle(void **state)
{
    static const double odd[] = {0, 1e-30, 5e6, 9.99e6, 1e300, -1, NAN, INFINITY};

    (void)state;
    for (int rows = 0; rows <= 30; rows++) {
        for (int columns = 0; columns <= 300; columns += columns < 60 ? 1 : 17) {
            struct plot plot = make_plot();
            plot.series_count = 2;
            plot.ceiling = 7e6;
            plot.ceiling_label = "bus ceiling 7";
            plot.cursor = (rows * 7 + columns) % 50 - 5;
            for (int i = 0; i < COLUMNS_MAX; i++) {
                double value = odd[(i + rows) % 8];
                device[i] = (struct column){i % 9 != 0, value, value, value};
            }
            struct rect area = {2, 2, rows, columns};
            canvas_begin();
            plot_draw(area, &plot, term_glyphs());
            canvas_end();
            assert_true(plot_columns(area) <= columns && plot_rows(area, &plot) <= rows);
            char *got = canvas_dump();
            assert_int_equal(strncmp(got, "\n\n", 2), 0); /* nothing above */
            free(got);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(it_shows_unit_axis_gaps_and_phases, open_small, close_it),
        cmocka_unit_test_setup_teardown(the_line_is_told_from_the_area_without_colour, open_small,
                                        close_it),
        cmocka_unit_test_setup_teardown(ascii_says_the_same, open_ascii, close_it),
        cmocka_unit_test_setup_teardown(the_cursor_reads_out_time_and_values, open_small, close_it),
        cmocka_unit_test_setup_teardown(an_empty_plot_says_so, open_small, close_it),
        cmocka_unit_test_setup_teardown(one_above_another_leaves_it_the_times_and_phases,
                                        open_small, close_it),
        cmocka_unit_test_setup_teardown(what_is_waited_for_is_said, open_small, close_it),
        cmocka_unit_test_setup_teardown(any_size_is_drawn_within_its_rectangle, open_large,
                                        close_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
