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
#include "view/vigil.h"

enum { MOVED, ERRORS, PASSES, DRIFT, TAKEN };
static const struct frame_metric metrics[] = {
    {DYNO_BYTE, DYNO_DELTA, DYNO_NONE, 0, "moved", "Moved"},
    {DYNO_COUNT, DYNO_GAUGE, DYNO_ZERO, 0, "errors", "Wrong words"},
    {DYNO_COUNT, DYNO_GAUGE, DYNO_NONE, 0, "passes", "Passes"},
    {DYNO_RATIO, DYNO_TOTAL, DYNO_NONE, 0, "drift", "Drift"},
    {DYNO_BYTE, DYNO_DELTA, DYNO_NONE, 0, "taken", "Memory taken"},
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
    struct model *model = told_start("memory.verify", metrics, ARRAY_SIZE(metrics));
    told_sample(model, TAKEN, 0, 0, 1e9);
    return model;
}

static void assert_word(const struct model *model, const char *word, enum theme_role role)
{
    enum theme_role got;
    assert_string_equal(vigil_word(model, &got), word);
    assert_int_equal(got, role);
}

static void it_is_stable_once_all_memory_was_gone_through(void **state)
{
    struct model *model = started();

    (void)state;
    assert_true(vigil_has(model));
    told_sample(model, MOVED, 0, 1, 4e9);
    assert_word(model, "TESTING", ROLE_ACCENT);
    told_sample(model, MOVED, 0, 2, 7e9);
    assert_word(model, "STABLE", ROLE_OK);
    told_result(model, ERRORS, DYNO_LANE_ALL, 0);
    told_result(model, PASSES, DYNO_LANE_ALL, 0); /* it knows better than we count */
    told_end(model, RUN_CANCELLED, 4);
    assert_word(model, "TOO SHORT", ROLE_ACCENT);
    model_free(model);
}

static void an_error_stays_whatever_comes_after(void **state)
{
    struct model *model = started();

    (void)state;
    told_sample(model, MOVED, 0, 1, 90e9);
    told_event(model, "memory-error", "address 0x10: expected 0x0, got 0x1, bits 0x1, CPU 0", 2);
    assert_word(model, "ERRORS", ROLE_FAIL);
    assert_true(vigil_errors(model) == 1);
    told_result(model, ERRORS, DYNO_LANE_ALL, 700); /* more than were told one by one */
    told_end(model, RUN_FAILED, 4);
    assert_true(vigil_errors(model) == 700);
    assert_word(model, "ERRORS", ROLE_FAIL);
    model_free(model);
}

/* The sixteen words that are told one by one were once all that a running test had found. */
static void a_night_is_counted_while_it_lasts(void **state)
{
    struct model *model = started();

    (void)state;
    told_sample(model, MOVED, 0, 1, 90e9); /* ninety times over, and yet one core is slow */
    told_sample(model, PASSES, 0, 1, 0);
    told_sample(model, ERRORS, 0, 1, 0);
    assert_word(model, "TESTING", ROLE_ACCENT);
    told_sample(model, PASSES, 0, 2, 1);
    assert_word(model, "STABLE", ROLE_OK);
    told_event(model, "memory-error", "address 0x10: expected 0x0, got 0x1, bits 0x1, CPU 0", 2);
    told_sample(model, ERRORS, 0, 2, 4096);
    assert_true(vigil_errors(model) == 4096);
    assert_word(model, "ERRORS", ROLE_FAIL);
    model_free(model);
}

static void a_failure_without_an_error_is_no_verdict_on_the_memory(void **state)
{
    struct model *model = started();

    (void)state;
    told_sample(model, MOVED, 0, 1, 90e9);
    told_end(model, RUN_FAILED, 4);
    assert_word(model, "FAILED", ROLE_FAIL);
    model_free(model);
}

static char *draw(struct rect area, const struct model *model)
{
    canvas_begin();
    (void)vigil_draw(area, model, GLYPH_EIGHTHS);
    canvas_end();
    return canvas_dump();
}

static void the_parts_of_an_error_stand_below_each_other(void **state)
{
    struct model *model = started();
    char *got;

    (void)state;
    told_event(model, "memory-error",
               "address 0x7f10 (physical 0x10): expected 0x00ff, got 0x00fe, read again 0x00ff, "
               "bits 0x0001, CPU 3",
               2);
    got = draw((struct rect){0, 0, 20, 80}, model);
    assert_non_null(strstr(got, " address      0x7f10 (physical 0x10)\n"
                                " expected     0x00ff\n"
                                " got          0x00fe\n"
                                " read again   0x00ff\n"
                                " bits wrong   0x0001\n"));
    free(got);
    told_event(model, "memory-error", "read on CPU 1 added up to 0x1 where 0x2 was expected", 3);
    got = draw((struct rect){0, 0, 20, 80}, model);
    assert_non_null(strstr(got, "added up to 0x1"));
    free(got);
    model_free(model);
}

static void any_size_is_drawn(void **state)
{
    struct model *model = started();

    (void)state;
    told_event(model, "memory-error", "address", 2);
    for (int rows = 0; rows < 24; rows++)
        for (int columns = 0; columns < 80; columns += 3)
            free(draw((struct rect){0, 0, rows, columns}, model));
    model_free(model);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(it_is_stable_once_all_memory_was_gone_through),
        cmocka_unit_test(an_error_stays_whatever_comes_after),
        cmocka_unit_test(a_night_is_counted_while_it_lasts),
        cmocka_unit_test(a_failure_without_an_error_is_no_verdict_on_the_memory),
        cmocka_unit_test_setup_teardown(the_parts_of_an_error_stand_below_each_other, open_it,
                                        close_it),
        cmocka_unit_test_setup_teardown(any_size_is_drawn, open_it, close_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
