/* lanes: a row for each stream, to one scale. */
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
#include "view/lanes.h"

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

static char *draw(struct rect area, const struct model *model, const struct traffic *traffic)
{
    struct picture picture;
    struct scale scale = {0};
    picture_init(&picture);
    picture.from_ns = ZERO;
    picture.to_ns = ZERO + 10 * S;
    canvas_begin();
    lanes_draw(area, model, traffic, &picture, &scale, GLYPH_EIGHTHS);
    canvas_end();
    return canvas_dump();
}

static void each_direction_names_its_streams(void **state)
{
    struct carried carried = carried_start("network.tcp", "both", "2");
    struct traffic traffic;
    (void)state;
    for (unsigned i = 0; i < 10; i++)
        for (unsigned lane = 0; lane < 4; lane++) {
            carried_sample(&carried, lane < 2 ? SENT : RECEIVED, lane, i, 1e6 * (lane + 1));
            carried_sample(&carried, lane < 2 ? RETRANSMITS : OUT_OF_ORDER, lane, i, lane);
        }
    assert_true(traffic_of(carried.model, &traffic));
    assert_int_equal(lanes_count(carried.model, &traffic), 4);
    char *got = draw((struct rect){0, 0, 9, 100}, carried.model, &traffic);
    assert_non_null(strstr(got, "Mbit/s, each row from 0 to 50"));
    const char *out = strstr(got, "out 2"), *in = strstr(got, "in 1");
    assert_true(out && in && out < in);
    assert_non_null(strstr(out, "now 16.0   mean 16.0   retr 10\n"));
    assert_non_null(strstr(in, "now 24.0   mean 24.0   out of order 20\n"));
    free(got);
    carried_done(&carried);
}

static void more_streams_than_series_are_said(void **state)
{
    struct carried carried = carried_start("network.tcp", "out", "12");
    struct traffic traffic;
    (void)state;
    for (unsigned lane = 0; lane < 12; lane++)
        carried_sample(&carried, SENT, lane, 0, 1e6);
    assert_true(traffic_of(carried.model, &traffic));
    assert_int_equal(lanes_count(carried.model, &traffic), MODEL_LANES);
    char *got = draw((struct rect){0, 0, 20, 80}, carried.model, &traffic);
    assert_non_null(strstr(got, "; 4 more have no row"));
    assert_non_null(strstr(got, "stream 8"));
    free(got);
    got = draw((struct rect){0, 0, 5, 80}, carried.model, &traffic); /* as many as fit */
    assert_non_null(strstr(got, "stream 4"));
    assert_null(strstr(got, "stream 5"));
    free(got);
    carried_done(&carried);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_direction_names_its_streams),
        cmocka_unit_test(more_streams_than_series_are_said),
    };
    return cmocka_run_group_tests(tests, open_it, close_it);
}
