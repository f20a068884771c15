#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdlib.h>

#include "base/cleanup.h"
#include "told.h"
#include "view/points.h"

enum { MOVED, PUBLISHED, SIZE, RATE, EDGE };
static const struct frame_metric metrics[] = {
    {DYNO_BYTE, DYNO_DELTA, DYNO_NONE, 0, "moved", "Moved"},
    {DYNO_BYTE, DYNO_DELTA, DYNO_NONE, 0, "published", "Published"},
    {DYNO_BYTE, DYNO_TOTAL, DYNO_NONE, 0, "stair_size", "Set"},
    {DYNO_BYTE_PER_S, DYNO_TOTAL, DYNO_HIGHER, 0, "stair_rate", "Read"},
    {DYNO_BYTE, DYNO_TOTAL, DYNO_NONE, 0, "edge", "Edge, measured"},
};

static struct model *started(void)
{
    return told_start("memory.bandwidth", metrics, ARRAY_SIZE(metrics));
}

static void a_point_is_a_lane_with_both(void **state)
{
    struct model *model = started();
    struct points *points = calloc(1, sizeof *points);

    (void)state;
    told_result(model, SIZE, 1, 8192);
    told_result(model, RATE, 1, 3e9);
    told_result(model, SIZE, 0, 4096);
    told_result(model, RATE, 0, 5e9);
    told_result(model, SIZE, 2, 12288); /* its rate has not come yet */
    told_result(model, RATE, DYNO_LANE_ALL, 1e9);
    points_gather(points, model, SIZE, RATE);
    assert_int_equal(points->count, 2);
    assert_true(points->items[0].x == 4096 && points->items[0].y == 5e9);
    assert_true(points->items[1].x == 8192 && points->items[1].y == 3e9);
    assert_true(points_least(points) == 3e9 && points_largest(points) == 5e9);
    points_gather(points, model, -1, RATE);
    assert_int_equal(points->count, 0);
    free(points);
    model_free(model);
}

static void a_bar_is_a_phase_and_a_column_its_second_half(void **state)
{
    struct model *model = started();
    struct bars bars = {0};

    (void)state;
    told_phase(model, "take memory", 0);
    told_phase(model, "read, 1 thread", 1);
    told_sample(model, MOVED, 0, 1, 2e9);
    told_sample(model, MOVED, 0, 2, 4e9);
    told_phase(model, "rd, 1 thread", 3);
    told_sample(model, PUBLISHED, 0, 3, 1e9);
    told_phase(model, "read, 2 threads", 4);
    points_phases(&bars, model);
    assert_int_equal(bars.row_count, 2);
    assert_int_equal(bars.value_count, 2);
    assert_string_equal(bars.rows[0].label, "read");
    assert_string_equal(bars.names[1], "2 threads");
    assert_true(fabs(bars.rows[0].values[0] - 3e9) < 1);
    assert_true(fabs(bars.rows[1].values[0] - 1e9) < 1);
    assert_false(bars.rows[0].has_value[1]); /* nothing moved yet */
    assert_true(bars.rows[0].is_active && !bars.rows[1].is_active);
    model_free(model);
}

static void the_told_median_goes_before_the_mean(void **state)
{
    struct model *model = started();
    struct bars bars = {0};

    (void)state;
    told_phase(model, "read, 1 thread", 1);
    told_sample(model, MOVED, 0, 1, 2e9);
    told_phase(model, "read, 12 threads", 2);
    told_sample(model, MOVED, 0, 2, 3e9);
    told_fact(model, "kernel-read", "1 thread 2100 MB/s (p5 1); 12 threads 3300 MB/s (p5 2); neon");
    told_end(model, RUN_DONE, 3);
    points_phases(&bars, model);
    assert_true(fabs(bars.rows[0].values[0] - 2.1e9) < 1);
    assert_true(fabs(bars.rows[0].values[1] - 3.3e9) < 1);
    model_free(model);
}

static void foreign_facts_are_not_trusted(void **state)
{
    static const char *const facts[] = {"",
                                        "1 thread",
                                        "1 thread MB/s",
                                        "1 thread 5 GB/s; ; ",
                                        "1 thread 1.1.1 MB/s",
                                        "1 thread 99999999999999999999999999"
                                        "99999999999 MB/s"};

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(facts); i++) {
        struct model *model = started();
        struct bars bars = {0};
        told_phase(model, "read, 1 thread", 1);
        told_sample(model, MOVED, 0, 1, 2e9);
        told_fact(model, "kernel-read", facts[i]);
        told_phase(model, "a name that is far too long for a row of bars, 1 thread", 2);
        told_phase(model, ", ", 3);
        points_phases(&bars, model);
        assert_int_equal(bars.row_count, 1);
        assert_true(fabs(bars.rows[0].values[0] - 2e9) < 1);
        model_free(model);
    }
}

static void the_published_method_has_a_column_a_size(void **state)
{
    struct model *model = started();
    struct bars bars = {0};

    (void)state;
    told_phase(model, "8k rd", 1);
    told_sample(model, PUBLISHED, 0, 1, 9e9);
    told_phase(model, "128k rd", 2);
    told_phase(model, "50m rd", 3);
    told_phase(model, "1g rd", 4); /* one more than there is room for */
    points_phases(&bars, model);
    assert_int_equal(bars.row_count, 1);
    assert_string_equal(bars.rows[0].label, "rd");
    assert_int_equal(bars.value_count, BARS_VALUES_MAX);
    assert_string_equal(bars.names[2], "50m");
    model_free(model);
}

static void lanes_are_named_by_their_number(void **state)
{
    struct model *model = started();
    struct bars bars = {0};

    (void)state;
    told_result(model, RATE, 1, 1e9);
    told_result(model, RATE, 4, 2e9);
    points_lanes(&bars, model, RATE, "chain");
    assert_int_equal(bars.row_count, 2);
    assert_string_equal(bars.rows[0].label, "1 chain");
    assert_string_equal(bars.rows[1].label, "4 chains");
    model_free(model);
}

static void edges_are_reported_with_names_and_measured_without(void **state)
{
    struct model *model = started();
    struct curve_edge edges[CURVE_EDGES_MAX];

    (void)state;
    assert_int_equal(points_edges(edges, model), 0);
    told_fact(model, "caches", "L1 48 KiB, L2 1.5 MiB, L9 what, last level 260 MiB in all (sysfs)");
    told_result(model, EDGE, 1, 32768);
    assert_int_equal(points_edges(edges, model), 3);
    assert_string_equal(edges[0].name, "L1 48K");
    assert_string_equal(edges[1].name, "L2 1.5M");
    assert_true(edges[1].x == 1572864);
    assert_true(edges[2].x == 32768 && edges[2].name[0] == '\0');
    model_free(model);
}

static void a_set_begins_with_its_size(void **state)
{
    (void)state;
    assert_true(points_size("512 MiB, the most") == 536870912.0);
    assert_true(points_size("64 MiB in all") == 67108864.0);
    assert_true(points_size("none") == 0 && points_size("") == 0 && points_size("12 apples") == 12);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_point_is_a_lane_with_both),
        cmocka_unit_test(a_bar_is_a_phase_and_a_column_its_second_half),
        cmocka_unit_test(the_told_median_goes_before_the_mean),
        cmocka_unit_test(foreign_facts_are_not_trusted),
        cmocka_unit_test(the_published_method_has_a_column_a_size),
        cmocka_unit_test(lanes_are_named_by_their_number),
        cmocka_unit_test(edges_are_reported_with_names_and_measured_without),
        cmocka_unit_test(a_set_begins_with_its_size),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
