/* flow: two plots over one axis of time, at any size. */
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
#include "view/flow.h"

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

static struct carried lossy(const char *direction, const char *parallel, unsigned lanes)
{
    struct carried carried = carried_start("network.tcp", direction, parallel);
    for (unsigned i = 0; i < 20; i++)
        for (unsigned lane = 0; lane < lanes; lane++) {
            carried_sample(&carried, SENT, lane, i, 8.9e6);
            carried_sample(&carried, RETRANSMITS, lane, i, 350);
            carried_sample(&carried, RTT, lane, i, 0.0009);
        }
    return carried;
}

static char *draw(struct rect area, const struct model *model, struct flow *flow, int figures,
                  enum glyph_tier tier)
{
    struct picture picture;
    picture_init(&picture);
    canvas_begin();
    flow_draw(flow, &picture, model, area, figures, tier);
    canvas_end();
    picture_done(&picture);
    return canvas_dump();
}

static void what_was_lost_stands_below_what_was_moved(void **state)
{
    struct carried carried = lossy("out", "1", 1);
    struct flow flow = {0};
    char *got = draw((struct rect){0, 0, 18, 80}, carried.model, &flow, 2, GLYPH_EIGHTHS);
    (void)state;
    const char *moved = strstr(got, " Mbit/s"), *lost = strstr(got, "retransmits, % of segments");
    assert_non_null(moved);
    assert_non_null(lost);
    assert_true(moved < lost);
    assert_non_null(strstr(got, "TCP at most 941"));
    const char *zero = strstr(got, " 0 s");
    assert_true(zero && zero > lost); /* one axis of time */
    assert_non_null(
        strstr(lost, "now 71.2 Mbit/s   mean 71.2   sent 178 MB   retransmits 7000 (5.7 %)"));
    free(got);
    flow_done(&flow);
    carried_done(&carried);
}

static void a_low_area_has_what_was_moved_alone(void **state)
{
    struct carried carried = lossy("out", "1", 1);
    struct flow flow = {0};
    char *got = draw((struct rect){0, 0, 9, 80}, carried.model, &flow, 2, GLYPH_EIGHTHS);
    (void)state;
    assert_non_null(strstr(got, "Mbit/s"));
    assert_null(strstr(got, "% of segments"));
    assert_non_null(strstr(got, "retransmits 7000"));
    free(got);
    flow_done(&flow);
    carried_done(&carried);
}

static void a_run_without_loss_has_an_axis_of_one_percent(void **state)
{
    struct carried carried = carried_start("network.tcp", "out", "1");
    struct flow flow = {0};
    (void)state;
    for (unsigned i = 0; i < 10; i++) {
        carried_sample(&carried, SENT, 0, i, 117e6);
        carried_sample(&carried, RETRANSMITS, 0, i, 0);
    }
    char *got = draw((struct rect){0, 0, 18, 80}, carried.model, &flow, 2, GLYPH_EIGHTHS);
    assert_true(flow.lost_scale.top > 0.99 && flow.lost_scale.top < 1.01);
    free(got);
    flow_done(&flow);
    carried_done(&carried);
}

static void the_sender_of_datagrams_waits_for_what_was_lost(void **state)
{
    struct carried carried = carried_start("network.udp", "out", "1");
    struct flow flow = {0};
    (void)state;
    for (unsigned i = 0; i < 10; i++) {
        carried_sample(&carried, SENT, 0, i, 117e6);
        carried_sample(&carried, PACKETS, 0, i, 80000);
    }
    char *got = draw((struct rect){0, 0, 18, 80}, carried.model, &flow, 2, GLYPH_EIGHTHS);
    assert_non_null(strstr(got, "lost, % of packets"));
    assert_non_null(strstr(got, "the receiver counts what is lost, and tells it at the end"));
    free(got);
    flow_done(&flow);
    carried_done(&carried);
}

static void only_network_runs_flow(void **state)
{
    struct carried carried = lossy("out", "1", 1);
    struct model *none = model_new();
    (void)state;
    assert_true(flow_has(carried.model));
    assert_false(flow_has(none));
    model_free(none);
    carried_done(&carried);
}

static void any_size_is_drawn_in_any_glyphs(void **state)
{
    static const char *const directions[] = {"out", "in", "turns", "both"};
    (void)state;
    for (size_t k = 0; k < ARRAY_SIZE(directions); k++) {
        struct carried carried = lossy(directions[k], "2", 4);
        struct flow flow = {0};
        for (int rows = 0; rows <= 40; rows += rows < 20 ? 1 : 7)
            for (int columns = 0; columns <= 120; columns += 7) {
                flow.is_by_lane = (rows + columns) % 2;
                free(draw((struct rect){0, 0, rows, columns}, carried.model, &flow, rows % 3,
                          (enum glyph_tier)(columns % GLYPH_TIERS)));
            }
        flow_done(&flow);
        carried_done(&carried);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_was_lost_stands_below_what_was_moved),
        cmocka_unit_test(a_low_area_has_what_was_moved_alone),
        cmocka_unit_test(a_run_without_loss_has_an_axis_of_one_percent),
        cmocka_unit_test(the_sender_of_datagrams_waits_for_what_was_lost),
        cmocka_unit_test(only_network_runs_flow),
        cmocka_unit_test(any_size_is_drawn_in_any_glyphs),
    };
    return cmocka_run_group_tests(tests, open_it, close_it);
}
