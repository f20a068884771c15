#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "../terminal/pseudo.h"
#include "base/cleanup.h"
#include "terminal/canvas.h"
#include "told.h"
#include "view/panels.h"

enum { SIZE, RATE, LATENCY };
static const struct frame_metric metrics[] = {
    {DYNO_BYTE, DYNO_TOTAL, DYNO_NONE, 0, "stair_size", "Set"},
    {DYNO_BYTE_PER_S, DYNO_TOTAL, DYNO_HIGHER, 0, "stair_rate", "Read"},
    {DYNO_SECOND, DYNO_TOTAL, DYNO_LOWER, 0, "stair_latency", "Latency"},
};

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

static struct model *started(void)
{
    struct model *model = told_start("memory.stairs", metrics, ARRAY_SIZE(metrics));
    told_fact(model, "set", "64 KiB, as asked");
    told_phase(model, "4 KiB", 0);
    for (unsigned i = 0; i < 3; i++) {
        told_result(model, SIZE, i, 4096 << i);
        told_result(model, RATE, i, 8e9 / (i + 1));
        told_result(model, LATENCY, i, 2e-9 * (i + 1));
    }
    return model;
}

static char *draw(struct rect area, const struct model *model, int cursor)
{
    canvas_begin();
    panels_draw(area, model, NULL, cursor, true, GLYPH_EIGHTHS);
    canvas_end();
    return canvas_dump();
}

static void only_tests_with_such_metrics_have_charts(void **state)
{
    static const struct frame_metric others[] = {
        {DYNO_BYTE, DYNO_DELTA, DYNO_HIGHER, 0, "written", "Written"}};
    struct model *model = started();
    struct model *other = told_start("storage.write", others, 1), *none = model_new();

    (void)state;
    assert_true(panels_has(model) && panels_has_ceiling(model));
    assert_false(panels_has(other) || panels_has(none));
    assert_int_equal(panels_stops(other), 0);
    assert_int_equal(panels_stops(model), 3);
    model_free(none);
    model_free(other);
    model_free(model);
}

static void both_charts_share_their_sizes_and_the_newest_point_is_read(void **state)
{
    struct model *model = started();
    char *got = draw((struct rect){0, 0, 16, 80}, model, -1);

    (void)state;
    assert_non_null(strstr(got, "bandwidth"));
    assert_non_null(strstr(got, "64K\n")); /* the set that was asked for bounds the axis */
    assert_non_null(strstr(got, " now 4 KiB   at 16K   bandwidth 2667 MB/s   latency 6.0 ns\n"));
    free(got);
    model_free(model);
}

static void the_cursor_reads_a_point_of_both(void **state)
{
    struct model *model = started();
    char *got = draw((struct rect){0, 0, 16, 80}, model, 0);

    (void)state;
    assert_non_null(strstr(got, " at 4K   bandwidth 8000 MB/s   latency 2.0 ns\n"));
    free(got);
    model_free(model);
}

static void where_both_have_no_room_the_main_one_stays(void **state)
{
    struct model *model = started();
    char *got = draw((struct rect){0, 0, 8, 80}, model, -1);

    (void)state;
    assert_non_null(strstr(got, "█ bandwidth"));
    assert_null(strstr(got, "█ latency"));
    free(got);
    model_free(model);
}

static void any_size_is_drawn(void **state)
{
    struct model *model = started();

    (void)state;
    for (int rows = 0; rows < 24; rows++)
        for (int columns = 0; columns < 80; columns += 3)
            free(draw((struct rect){0, 0, rows, columns}, model, columns % 4 - 1));
    model_free(model);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(only_tests_with_such_metrics_have_charts),
        cmocka_unit_test_setup_teardown(both_charts_share_their_sizes_and_the_newest_point_is_read,
                                        open_it, close_it),
        cmocka_unit_test_setup_teardown(the_cursor_reads_a_point_of_both, open_it, close_it),
        cmocka_unit_test_setup_teardown(where_both_have_no_room_the_main_one_stays, open_it,
                                        close_it),
        cmocka_unit_test_setup_teardown(any_size_is_drawn, open_it, close_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
