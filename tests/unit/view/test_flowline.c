/* flowline: the figures of a network run. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "../report/carried.h"
#include "../terminal/pseudo.h"
#include "base/cleanup.h"
#include "terminal/canvas.h"
#include "view/flowline.h"

static struct pseudo pseudo;

static int open_it(void **state)
{
    (void)state;
    return pseudo_open(&pseudo, 40, 120, "xterm-256color", "eighths");
}

static int close_it(void **state)
{
    (void)state;
    pseudo_close(&pseudo);
    return 0;
}

static char *draw(struct rect area, const struct carried *carried)
{
    struct traffic traffic;
    assert_true(traffic_of(carried->model, &traffic));
    canvas_begin();
    flowline_draw(area, carried->model, &traffic, GLYPH_EIGHTHS);
    canvas_end();
    return canvas_dump();
}

static void a_finished_run_has_the_receivers_mean(void **state)
{
    struct carried carried = carried_start("network.tcp", "out", "1");
    (void)state;
    for (unsigned i = 0; i < 10; i++) {
        carried_sample(&carried, SENT, 0, i, i == 4 ? 0 : 10e6);
        carried_sample(&carried, CWND, 0, i, 2896);
        carried_sample(&carried, RTT, 0, i, 0.0009);
    }
    carried_result(&carried, RATE, DYNO_LANE_ALL, 71e6);
    carried_end(&carried, 10);
    char *got = draw((struct rect){0, 0, 3, 80}, &carried);
    assert_non_null(strstr(got, " mean 71.0 Mbit/s   sent 90.0 MB"));
    assert_null(strstr(got, "now"));
    assert_non_null(strstr(got, "rtt 0.90 ms"));
    assert_non_null(strstr(got, "worst 0 bit/s at 00:00:04   zero intervals 1"));
    free(got);
    carried_done(&carried);
}

static void each_direction_has_a_row_and_a_mark(void **state)
{
    struct carried carried = carried_start("network.tcp", "both", "1");
    (void)state;
    carried_sample(&carried, SENT, 0, 0, 10e6);
    carried_sample(&carried, RECEIVED, 1, 0, 20e6);
    char *got = draw((struct rect){0, 0, 4, 80}, &carried);
    const char *out = strstr(got, " out   now 80.0 Mbit/s"),
               *in = strstr(got, " in    now 160 Mbit/s");
    assert_true(out && in && out < in);
    free(got);
    carried_done(&carried);
}

static void the_direction_to_come_says_so(void **state)
{
    struct carried carried = carried_start("network.tcp", "turns", "1");
    (void)state;
    carried_phase(&carried, "out", 0);
    carried_sample(&carried, SENT, 0, 0, 10e6);
    char *got = draw((struct rect){0, 0, 4, 80}, &carried);
    assert_non_null(strstr(got, " in    no sample yet"));
    free(got);
    carried_done(&carried);
}

/* A figure that has no room is left out whole. */
static void no_figure_is_cut(void **state)
{
    struct carried carried = carried_start("network.tcp", "out", "1");
    (void)state;
    carried_sample(&carried, SENT, 0, 0, 10e6);
    carried_sample(&carried, RETRANSMITS, 0, 0, 350);
    char *got = draw((struct rect){0, 0, 1, 42}, &carried);
    assert_int_equal(strncmp(got, " now 80.0 Mbit/s   mean 80.0\n", 29), 0);
    free(got);
    carried_done(&carried);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_finished_run_has_the_receivers_mean),
        cmocka_unit_test(each_direction_has_a_row_and_a_mark),
        cmocka_unit_test(the_direction_to_come_says_so),
        cmocka_unit_test(no_figure_is_cut),
    };
    return cmocka_run_group_tests(tests, open_it, close_it);
}
