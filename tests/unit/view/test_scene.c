/* scene: a test's own charts, its vigil or the picture over time; what keys do in each of them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../terminal/pseudo.h"
#include "base/cleanup.h"
#include "terminal/canvas.h"
#include "told.h"
#include "view/scene.h"

enum { MOVED, SIZE, RATE, LATENCY };
static const struct frame_metric stairs[] = {
    {DYNO_BYTE, DYNO_DELTA, DYNO_NONE, 0, "moved", "Moved"},
    {DYNO_BYTE, DYNO_TOTAL, DYNO_NONE, 0, "stair_size", "Set"},
    {DYNO_BYTE_PER_S, DYNO_TOTAL, DYNO_HIGHER, 0, "stair_rate", "Read"},
    {DYNO_SECOND, DYNO_TOTAL, DYNO_LOWER, 0, "stair_latency", "Latency"},
};
static const struct frame_metric night[] = {
    {DYNO_BYTE, DYNO_DELTA, DYNO_NONE, 0, "moved", "Moved"},
    {DYNO_COUNT, DYNO_GAUGE, DYNO_ZERO, 0, "errors", "Wrong words"},
    {DYNO_COUNT, DYNO_GAUGE, DYNO_NONE, 0, "passes", "Passes"},
    {DYNO_RATIO, DYNO_TOTAL, DYNO_NONE, 0, "drift", "Drift"},
};
static const struct frame_metric disk[] = {
    {DYNO_BYTE, DYNO_DELTA, DYNO_HIGHER, 0, "written", "Written"}};

static const struct verdict no_verdict;
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

static struct model *climbing(void)
{
    struct model *model = told_start("memory.stairs", stairs, ARRAY_SIZE(stairs));
    told_fact(model, "set", "16 KiB, as asked");
    told_phase(model, "4 KiB", 0);
    told_sample(model, MOVED, 0, 0, 9e9);
    for (unsigned i = 0; i < 3; i++) {
        told_result(model, SIZE, i, 4096 << i);
        told_result(model, RATE, i, 8e9 / (i + 1));
        told_result(model, LATENCY, i, 2e-9 * (i + 1));
    }
    return model;
}

static char *draw(struct scene *scene, const struct model *model, struct rect area, int readouts)
{
    canvas_begin();
    scene_draw(scene, model, &no_verdict, area, readouts, GLYPH_EIGHTHS);
    canvas_end();
    return canvas_dump();
}

static const struct rect whole = {0, 0, 20, 80};

static void own_charts_come_first_and_zoom_shows_them_over_time(void **state)
{
    struct model *model = climbing();
    struct scene scene;
    char *got;

    (void)state;
    scene_init(&scene);
    assert_true(scene_has_own(model));
    got = draw(&scene, model, whole, 1);
    assert_non_null(strstr(got, "latency"));
    free(got);
    scene_zoom(&scene, model);
    got = draw(&scene, model, whole, 1);
    assert_null(strstr(got, "latency"));
    free(got);
    scene_zoom(&scene, model);
    got = draw(&scene, model, whole, 1);
    assert_non_null(strstr(got, "latency"));
    free(got);
    scene_done(&scene);
    model_free(model);
}

static void a_stability_test_is_a_word_above_its_plot(void **state)
{
    struct model *model = told_start("memory.verify", night, ARRAY_SIZE(night));
    struct scene scene;

    (void)state;
    told_sample(model, 0, 0, 0, 4e9);
    scene_init(&scene);
    assert_true(scene_has_own(model));
    char *got = draw(&scene, model, whole, 1);
    assert_non_null(strstr(got, "errors       0"));
    assert_non_null(strstr(got, "no wrong word yet"));
    free(got);
    scene_move_cursor(&scene, model, 1); /* there is no point to stand on */
    assert_int_equal(scene.stop, -1);
    assert_false(scene_is_in_use(&scene));
    scene_done(&scene);
    model_free(model);
}

static void any_other_test_is_its_picture(void **state)
{
    struct model *model = told_start("storage.write", disk, ARRAY_SIZE(disk));
    struct model *none = model_new();
    struct scene scene;

    (void)state;
    scene_init(&scene);
    assert_false(scene_has_own(model) || scene_has_own(none));
    told_sample(model, 0, 0, 0, 50e6);
    free(draw(&scene, model, whole, 2));
    scene_zoom(&scene, model); /* the near view and back, no other picture */
    assert_true(scene.picture.is_near && !scene.is_over_time);
    scene_move_cursor(&scene, model, -1);
    assert_int_equal(scene.stop, -1);
    assert_true(scene_is_in_use(&scene) == (scene.picture.cursor >= 0));
    scene_done(&scene);
    model_free(none);
    model_free(model);
}

static void the_cursor_goes_from_end_to_end_and_away(void **state)
{
    struct model *model = climbing();
    struct scene scene;

    (void)state;
    scene_init(&scene);
    assert_false(scene_is_in_use(&scene));
    scene_move_cursor(&scene, model, -1); /* the newest first */
    assert_int_equal(scene.stop, 2);
    assert_true(scene_is_in_use(&scene));
    char *got = draw(&scene, model, whole, 1);
    assert_non_null(strstr(got, " at 16K   bandwidth 2667 MB/s   latency 6.0 ns\n"));
    free(got);
    scene_move_cursor(&scene, model, 1);
    assert_int_equal(scene.stop, -1);
    scene_move_cursor(&scene, model, 1);
    assert_int_equal(scene.stop, 0);
    scene_move_cursor(&scene, model, -10);
    assert_false(scene_is_in_use(&scene));
    scene_done(&scene);
    model_free(model);
}

static void a_verdict_without_a_limit_is_worth_no_line(void **state)
{
    struct model *night_model = told_start("memory.verify", night, ARRAY_SIZE(night));
    struct model *model = climbing();
    struct verdict verdict = {0};

    (void)state;
    assert_false(scene_is_worth(model, &verdict));
    verdict.main.code = "unknown";
    (void)snprintf(verdict.main.text, sizeof verdict.main.text, "no limit is known");
    assert_true(scene_is_worth(model, &verdict)); /* its rate has a peak: that is worth telling */
    assert_false(scene_is_worth(night_model, &verdict));
    verdict.main.code = "memory-error";
    assert_true(scene_is_worth(night_model, &verdict));
    model_free(model);
    model_free(night_model);
}

static void any_size_is_drawn(void **state)
{
    struct model *models[] = {climbing(), told_start("memory.verify", night, ARRAY_SIZE(night)),
                              told_start("storage.write", disk, ARRAY_SIZE(disk))};
    struct scene scene;

    (void)state;
    scene_init(&scene);
    for (size_t i = 0; i < ARRAY_SIZE(models); i++)
        for (int rows = 0; rows < 24; rows++)
            for (int columns = 0; columns < 80; columns += 7)
                free(draw(&scene, models[i], (struct rect){0, 0, rows, columns}, rows % 3));
    scene_done(&scene);
    for (size_t i = 0; i < ARRAY_SIZE(models); i++)
        model_free(models[i]);
}

int main(void)
{
#define DRAWN(test) cmocka_unit_test_setup_teardown(test, open_it, close_it)
    const struct CMUnitTest tests[] = {
        DRAWN(own_charts_come_first_and_zoom_shows_them_over_time),
        DRAWN(a_stability_test_is_a_word_above_its_plot),
        DRAWN(any_other_test_is_its_picture),
        DRAWN(the_cursor_goes_from_end_to_end_and_away),
        cmocka_unit_test(a_verdict_without_a_limit_is_worth_no_line),
        DRAWN(any_size_is_drawn),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
