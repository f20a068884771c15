/* outcome: which results stand after the end, what is partial, whether checks hold. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/cleanup.h"
#include "iodyno/plugin.h"
#include "run/model.h"

#define S 1000000000ull

enum { WRITTEN, RATE, CACHED };
static const struct frame_metric metrics[] = {
    {DYNO_BYTE, DYNO_DELTA, DYNO_HIGHER, 0, "written", "Written"},
    {DYNO_BYTE_PER_S, DYNO_TOTAL, DYNO_HIGHER, 0, "rate", "Rate"},
    {DYNO_RATIO, DYNO_TOTAL, DYNO_LOWER, 0, "cached", "Cached"},
};
static const char storage[] = "test\0storage.write\0expect\0rate >= 60MB/s\0"
                              "expect\0written = 100 B\0expect\0cached < 1%\0"
                              "expect\0foreign > 1";
static const char network[] = "test\0network.tcp";
static const char done_pairs[] = "sentence\0";

static struct model *ended(const char *pairs, size_t size, uint32_t flags, unsigned state,
                           bool has_samples)
{
    struct model *model = model_new();
    struct frame frame = {
        .type = FRAME_START,
        .start = {.tick_ns = S, .report_ns = S, .flags = flags, .metric_count = 3},
        .metrics = metrics,
        .pairs = pairs,
        .pairs_size = size,
    };
    assert_int_equal(model_apply(model, &frame), 0);
    frame = (struct frame){.type = FRAME_SAMPLE, .sample = {.t1_ns = S, .value = 100}};
    if (has_samples)
        assert_int_equal(model_apply(model, &frame), 0);
    frame = (struct frame){.type = FRAME_RESULT, .result = {RATE, DYNO_LANE_ALL, 0, 61e6}};
    assert_int_equal(model_apply(model, &frame), 0);
    frame.result.lane = 2;
    assert_int_equal(model_apply(model, &frame), 0);
    frame = (struct frame){.type = FRAME_END,
                           .end = {.state = state, .t_ns = S},
                           .pairs = done_pairs,
                           .pairs_size = sizeof(done_pairs)};
    assert_int_equal(model_apply(model, &frame), 0);
    return model;
}

static bool has_rate(const struct model *model)
{
    double value;
    return model_result(model, "rate", &value) == 0;
}

static void test_checks_of_a_good_run(void **state)
{
    (void)state;
    struct model *model = ended(storage, sizeof(storage), 0, RUN_DONE, true);
    const struct model_check *checks = model->checks;
    assert_true(checks[0].has_value && checks[0].pass && checks[0].value == 61e6);
    assert_true(checks[1].pass && checks[1].value == 100); /* an amount: its total */
    assert_false(checks[2].has_value || checks[2].pass);   /* no such result came */
    assert_false(checks[3].has_value || checks[3].pass);   /* no such metric */
    assert_false(model->is_partial);
    model_free(model);
}

static void test_an_error_takes_the_rate_away(void **state)
{
    (void)state;
    static const unsigned states[] = {RUN_FAILED, RUN_REMOVED, RUN_REFUSED, RUN_ABANDONED,
                                      RUN_INTERRUPTED};
    for (size_t i = 0; i < ARRAY_SIZE(states); i++) {
        struct model *model = ended(storage, sizeof(storage), 0, states[i], true);
        assert_false(has_rate(model));
        assert_int_equal(model->result_count, 1); /* the lane's stays */
        assert_false(model->checks[0].pass || model->checks[0].has_value);
        assert_false(model->checks[1].pass); /* holds, but the run is not done */
        assert_false(model->is_partial);
        model_free(model);
    }
}

static void test_cancelled_is_partial(void **state)
{
    (void)state;
    struct model *model = ended(storage, sizeof(storage), 0, RUN_CANCELLED, true);
    assert_true(model->is_partial && has_rate(model));
    assert_false(model->checks[0].pass);
    model_free(model);
    model = ended(storage, sizeof(storage), 0, RUN_CANCELLED, false);
    assert_false(model->is_partial);
    model_free(model);
}

static void test_endless_and_network_runs_keep_their_mean(void **state)
{
    (void)state;
    struct model *model = ended(storage, sizeof(storage), DYNO_ENDLESS, RUN_DONE, true);
    assert_true(model->is_partial && has_rate(model));
    model_free(model);
    model = ended(network, sizeof(network), 0, RUN_FAILED, true);
    assert_true(model->is_partial && has_rate(model));
    model_free(model);
    model = ended(network, sizeof(network), 0, RUN_DONE, true);
    assert_false(model->is_partial);
    model_free(model);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_checks_of_a_good_run),
        cmocka_unit_test(test_an_error_takes_the_rate_away),
        cmocka_unit_test(test_cancelled_is_partial),
        cmocka_unit_test(test_endless_and_network_runs_keep_their_mean),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
