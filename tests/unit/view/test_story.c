/* story: a run's texts and its way out, from its model. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/cleanup.h"
#include "iodyno/plugin.h"
#include "view/story.h"

#define S 1000000000ull
#define ZERO (100 * S)

enum { WRITTEN, DEVICE };
static const struct frame_metric metrics[] = {
    {DYNO_BYTE, DYNO_DELTA, DYNO_HIGHER, 0, "written", "Written"},
    {DYNO_BYTE, DYNO_DELTA, DYNO_HIGHER, 0, "device_written", "Device"},
};

static void apply(struct model *model, const struct frame *frame)
{
    assert_int_equal(model_apply(model, frame), 0);
}

static struct model *started(const char *time, uint32_t flags)
{
    struct model *model = model_new();
    struct str pairs = {0};
    str_add_pair(&pairs, "test", "storage.write");
    str_add_pair(&pairs, "title", "Write");
    str_add_pair(&pairs, "target.kind", "block");
    str_add_pair(&pairs, "target.id", "mmcblk1p1");
    str_add_pair(&pairs, "target.mode", "SDR104");
    str_add_pair(&pairs, "target.width", "4");
    str_add_pair(&pairs, "option.method", "dd-fsync");
    if (time)
        str_add_pair(&pairs, "option.time", time);
    struct frame start = {.type = FRAME_START,
                          .start = {.flags = flags,
                                    .tick_ns = S,
                                    .report_ns = S,
                                    .mono_ns = ZERO,
                                    .metric_count = ARRAY_SIZE(metrics)},
                          .metrics = metrics,
                          .pairs = pairs.text,
                          .pairs_size = pairs.size};
    apply(model, &start);
    str_done(&pairs);
    return model;
}

static void sample(struct model *model, unsigned metric, uint64_t second, double value)
{
    struct frame frame = {.type = FRAME_SAMPLE,
                          .sample = {.metric = (uint16_t)metric,
                                     .t0_ns = ZERO + second * S,
                                     .t1_ns = ZERO + (second + 1) * S,
                                     .value = value}};
    apply(model, &frame);
}

static void progress(struct model *model, uint64_t done, uint64_t total)
{
    struct frame frame = {.type = FRAME_PROGRESS, .progress = {done, total}};
    apply(model, &frame);
}

static void expect_text(void (*tell)(const struct model *, struct str *), const struct model *model,
                        const char *text)
{
    struct str told = {0};
    tell(model, &told);
    assert_string_equal(str_text(&told), text);
    str_done(&told);
}

static void test_names(void **state)
{
    struct model *model = started(NULL, 0);
    enum theme_role role;
    (void)state;
    expect_text(story_title, model, "Write, dd-fsync");
    expect_text(story_target, model, "mmcblk1p1 \xc2\xb7 SDR104 4 bit");
    assert_string_equal(story_word(model, RUNNER_GOING, &role), "RUNNING");
    assert_string_equal(story_word(model, RUNNER_ASKED, &role), "STOPPING");
    model_free(model);
    model = model_new();
    expect_text(story_title, model, "starting");
    assert_string_equal(story_word(model, RUNNER_GOING, &role), "STARTING");
    model_free(model);
}

static void test_progress_in_bytes(void **state)
{
    struct model *model = started(NULL, 0);
    (void)state;
    assert_true(story_fraction(model) < 0);
    expect_text(story_done, model, "");
    sample(model, WRITTEN, 0, 100e6);
    sample(model, WRITTEN, 1, 115e6);
    progress(model, 215000000, 524288000);
    expect_text(story_done, model, "215 of 524 MB");
    assert_true(story_fraction(model) > 0.410 && story_fraction(model) < 0.4101);
    assert_true(story_left(model) > 2.8 && story_left(model) < 2.9);
    model_free(model);
}

/* A cache took the first half in an instant: what is left goes as slowly as it goes now. */
static void test_time_left_is_of_late(void **state)
{
    struct model *model = started(NULL, 0);
    (void)state;
    sample(model, DEVICE, 0, 400e6);
    for (uint64_t second = 1; second < 7; second++)
        sample(model, DEVICE, second, 10e6);
    progress(model, 460000000, 560000000);
    assert_true(story_left(model) > 9.9 && story_left(model) < 10.1);
    progress(model, 559000000, 560000000);
    assert_true(story_left(model) > 0.9); /* never "0 s left" while it goes on */
    model_free(model);
}

static void test_progress_in_time(void **state)
{
    struct model *model = started("60s", 0);
    (void)state;
    sample(model, WRITTEN, 0, 100e6);
    progress(model, 12 * S, 60 * S);
    expect_text(story_done, model, "12 of 1 min 0 s");
    assert_true(story_fraction(model) > 0.1999 && story_fraction(model) < 0.2001);
    model_free(model);
}

static void test_the_stop_ladder_is_told(void **state)
{
    struct model *model = started(NULL, 0);
    (void)state;
    assert_null(story_stopping(model, RUNNER_GOING));
    assert_string_equal(story_stopping(model, RUNNER_ASKED), "stopping");
    assert_string_equal(story_stopping(model, RUNNER_KILLED), "the disk does not answer; waiting");
    struct frame end = {.type = FRAME_END,
                        .end = {.state = RUN_CANCELLED, .t_ns = ZERO + S},
                        .pairs = "sentence\0",
                        .pairs_size = 10};
    apply(model, &end);
    assert_null(story_stopping(model, RUNNER_KILLED));
    model_free(model);
}

static void test_what_goes_on_without_a_terminal(void **state)
{
    (void)state;
    struct model *model = started("10s", 0);
    assert_false(story_goes_on(model));
    model_free(model);
    model = started("10m", 0);
    assert_false(story_goes_on(model)); /* more than ten minutes do */
    model_free(model);
    model = started("601s", 0);
    assert_true(story_goes_on(model));
    model_free(model);
    model = started(NULL, DYNO_ENDLESS);
    assert_true(story_goes_on(model));
    model_free(model);
    model = started(NULL, 0);
    sample(model, WRITTEN, 0, 1e6);
    sample(model, WRITTEN, 1, 1e6);
    progress(model, 2000000, 2000000000); /* at this pace 2000 s */
    assert_false(story_fraction(model) > 0.002);
    sample(model, WRITTEN, 2, 8e6);
    sample(model, WRITTEN, 3, 10e6);
    progress(model, 20000000, 3200000000); /* 640 s */
    assert_true(story_goes_on(model));
    progress(model, 20000000, 320000000); /* 64 s */
    assert_false(story_goes_on(model));
    model_free(model);
}

static void test_series(void **state)
{
    struct model *model = started(NULL, 0);
    int filled, line;
    (void)state;
    sample(model, WRITTEN, 0, 1e6);
    sample(model, DEVICE, 0, 0);
    story_series(model, &filled, &line);
    assert_int_equal(filled, WRITTEN); /* no counters of a disk: the test's own amount */
    assert_int_equal(line, -1);
    sample(model, DEVICE, 1, 5e5);
    story_series(model, &filled, &line);
    assert_int_equal(filled, DEVICE);
    assert_int_equal(line, WRITTEN);
    model_free(model);
}

static void test_clocks_count_whole_seconds(void **state)
{
    (void)state;
    assert_string_equal(story_seconds(4.99).text, "4 s");
    assert_string_equal(story_seconds(59.99).text, "59 s");
    assert_string_equal(story_seconds(110.7).text, "1 min 50 s");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_names),
        cmocka_unit_test(test_progress_in_bytes),
        cmocka_unit_test(test_time_left_is_of_late),
        cmocka_unit_test(test_progress_in_time),
        cmocka_unit_test(test_the_stop_ladder_is_told),
        cmocka_unit_test(test_what_goes_on_without_a_terminal),
        cmocka_unit_test(test_series),
        cmocka_unit_test(test_clocks_count_whole_seconds),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
