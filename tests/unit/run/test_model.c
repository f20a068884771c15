/* model: what frames make of a run; the rule of the stall; bounds. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/cleanup.h"
#include "base/str.h"
#include "iodyno/plugin.h"
#include "run/model.h"

#define MS 1000000ull
#define S (1000 * MS)
#define ZERO (7000 * S)

enum { WRITTEN, DEVICE_WRITTEN, RTT, RATE, CPU };
static const struct frame_metric metrics[] = {
    {DYNO_BYTE, DYNO_DELTA, DYNO_HIGHER, 0, "written", "Written"},
    {DYNO_BYTE, DYNO_DELTA, DYNO_HIGHER, 0, "device_written", "Device"},
    {DYNO_SECOND, DYNO_GAUGE, DYNO_LOWER, 0, "rtt", "RTT"},
    {DYNO_BYTE_PER_S, DYNO_TOTAL, DYNO_HIGHER, 0, "rate", "Rate"},
    {DYNO_SECOND, DYNO_DELTA, DYNO_NONE, 1, "cpu", "CPU"},
};

static const char start_pairs[] = "test\0storage.write\0"
                                  "title\0Write\0"
                                  "label\0Card 1\0"
                                  "target.kind\0block\0"
                                  "target.id\0mmcblk1p1\0"
                                  "target.path\0/media/card\0"
                                  "target.mode\0SDR104\0"
                                  "option.method\0dd-fsync\0"
                                  "machine.board\0Board\0"
                                  "expect\0rate >= 60MB/s\0"
                                  "expect\0written > 0 B\0"
                                  "expect\0nothing > 0";

static struct frame start_frame(uint64_t tick_ns, const char *pairs, size_t size)
{
    return (struct frame){
        .type = FRAME_START,
        .start = {.tick_ns = tick_ns,
                  .report_ns = 1 * S,
                  .mono_ns = ZERO,
                  .metric_count = ARRAY_SIZE(metrics)},
        .metrics = metrics,
        .pairs = pairs,
        .pairs_size = size,
    };
}

static struct model *started(uint64_t tick_ns)
{
    struct model *model = model_new();
    struct frame start = start_frame(tick_ns, start_pairs, sizeof(start_pairs));
    assert_int_equal(model_apply(model, &start), 0);
    return model;
}

static int apply_sample(struct model *model, unsigned metric, unsigned lane, uint64_t t0_ms,
                        uint64_t t1_ms, double value)
{
    struct frame frame = {.type = FRAME_SAMPLE,
                          .sample = {.metric = (uint16_t)metric,
                                     .lane = (uint16_t)lane,
                                     .t0_ns = ZERO + t0_ms * MS,
                                     .t1_ns = ZERO + t1_ms * MS,
                                     .value = value}};
    return model_apply(model, &frame);
}

static void sample(struct model *model, unsigned metric, uint64_t t0_ms, uint64_t t1_ms,
                   double value)
{
    assert_int_equal(apply_sample(model, metric, 0, t0_ms, t1_ms, value), 0);
}

static void result(struct model *model, unsigned metric, uint16_t lane, double value)
{
    struct frame frame = {.type = FRAME_RESULT,
                          .result = {.metric = (uint16_t)metric, .lane = lane, .value = value}};
    assert_int_equal(model_apply(model, &frame), 0);
}

static int tell(struct model *model, unsigned type, unsigned flags, uint64_t t_ms, const char *key,
                const char *value)
{
    AUTO(str_done) struct str pairs = {0};
    str_add_pair(&pairs, key, value);
    struct frame frame = {.type = (uint16_t)type,
                          .flags = (uint16_t)flags,
                          .pairs = pairs.text,
                          .pairs_size = pairs.size};
    if (type == FRAME_PHASE)
        frame.phase.t_ns = ZERO + t_ms * MS;
    else if (type == FRAME_EVENT)
        frame.event.t_ns = ZERO + t_ms * MS;
    else if (type == FRAME_LOG)
        frame.log.level = DYNO_INFO;
    return model_apply(model, &frame);
}

static int end(struct model *model, unsigned state, uint64_t t_ms, const char *sentence)
{
    AUTO(str_done) struct str pairs = {0};
    str_add_pair(&pairs, "sentence", sentence);
    struct frame frame = {.type = FRAME_END,
                          .end = {.state = state, .t_ns = ZERO + t_ms * MS},
                          .pairs = pairs.text,
                          .pairs_size = pairs.size};
    return model_apply(model, &frame);
}

static void test_start_is_read(void **state)
{
    (void)state;
    struct model *model = started(250 * MS);
    assert_string_equal(model->test, "storage.write");
    assert_string_equal(model->title, "Write");
    assert_string_equal(model->label, "Card 1");
    assert_string_equal(model->target_id, "mmcblk1p1");
    assert_string_equal(model->target_path, "/media/card");
    assert_int_equal(model->target_kind, DYNO_BLOCK);
    assert_string_equal(model_target(model, "mode"), "SDR104");
    assert_string_equal(model_option(model, "method"), "dd-fsync");
    assert_null(model_option(model, "bs"));
    assert_string_equal(model->machine[0].key, "board");
    assert_int_equal(model->check_count, 3);
    assert_int_equal(model_metric(model, "device-written"), DEVICE_WRITTEN);
    assert_int_equal(model_metric(model, "nothing"), -ENOENT);
    assert_true(model_seconds(model, ZERO + 1500 * MS) == 1.5);
    assert_true(model_seconds(model, ZERO - 500 * MS) == -0.5);
    model_free(model);
    assert_null(model_free(NULL));
}

static void test_order_of_frames(void **state)
{
    (void)state;
    struct model *model = model_new();
    assert_int_equal(apply_sample(model, WRITTEN, 0, 0, 1, 1), -EPROTO);
    assert_int_equal(tell(model, FRAME_FACT, 0, 0, "a", "b"), -EPROTO);
    assert_int_equal(tell(model, FRAME_LOG, 0, 0, "text", "before the start"), 0);
    struct frame start = start_frame(S, NULL, 0);
    assert_int_equal(model_apply(model, &start), 0);
    assert_int_equal(model_apply(model, &start), -EPROTO);
    assert_null(model->label);
    struct frame order = {.type = FRAME_ORDER};
    assert_int_equal(model_apply(model, &order), -EPROTO);
    assert_int_equal(end(model, RUN_RUNNING, 0, ""), -EPROTO);
    assert_int_equal(end(model, RUN_DONE, 10, ""), 0);
    assert_int_equal(end(model, RUN_DONE, 10, ""), -EPROTO);
    assert_int_equal(tell(model, FRAME_LOG, 0, 0, "text", "late"), -EPROTO);
    struct frame recorded = {.type = FRAME_RECORDED, .recorded = {17}};
    assert_int_equal(model_apply(model, &recorded), 0);
    assert_int_equal(model->run_id, 17);
    model_free(model);

    model = model_new();
    assert_int_equal(end(model, RUN_REFUSED, 0, "the folder is gone"), 0);
    assert_string_equal(model->sentence, "the folder is gone");
    assert_string_equal(model->test, "");
    model_free(model);
}

static void test_samples_must_fit(void **state)
{
    (void)state;
    struct model *model = started(S);
    sample(model, WRITTEN, 1000, 2000, 10);
    assert_int_equal(apply_sample(model, WRITTEN, 0, 1999, 3000, 1), -EPROTO);
    assert_int_equal(apply_sample(model, WRITTEN, 0, 3000, 3000, 1), -EPROTO);
    assert_int_equal(apply_sample(model, ARRAY_SIZE(metrics), 0, 0, 1, 1), -EPROTO);
    assert_int_equal(apply_sample(model, RATE, 0, 0, 1, 1), -EPROTO);
    assert_int_equal(apply_sample(model, WRITTEN, 256, 0, 1, 1), -EPROTO);
    assert_int_equal(apply_sample(model, WRITTEN, 255, 0, 1, 1), 0);
    sample(model, WRITTEN, 2000, 3000, 5);
    struct series_total total;
    series_total(model->metrics[WRITTEN].sum, &total);
    assert_true(total.sum == 16);
    model_free(model);
}

static void test_one_lane_has_one_series(void **state)
{
    (void)state;
    struct model *model = started(S);
    const struct model_metric *metric = &model->metrics[WRITTEN];
    assert_null(metric->sum);
    sample(model, WRITTEN, 0, 1000, 4);
    assert_ptr_equal(metric->sum, metric->lanes[0]);
    assert_int_equal(apply_sample(model, WRITTEN, 9, 0, 1000, 6), 0);
    assert_ptr_not_equal(metric->sum, metric->lanes[0]);
    sample(model, WRITTEN, 1000, 2000, 1);
    struct series_total total;
    series_total(metric->sum, &total);
    assert_true(total.sum == 11 && total.count == 2 && total.max == 10);
    series_total(metric->lanes[0], &total);
    assert_true(total.sum == 5);
    series_total(metric->lanes[1], &total);
    assert_true(total.sum == 6);
    assert_int_equal(metric->lane_numbers[1], 9);
    model_free(model);
}

static void test_many_lanes_keep_sum_and_last_values(void **state)
{
    (void)state;
    struct model *model = started(S);
    for (unsigned t = 0; t < 50; t++)
        for (unsigned lane = 0; lane < 256; lane++)
            assert_int_equal(apply_sample(model, WRITTEN, lane, t * 1000, (t + 1) * 1000, lane + t),
                             0);
    const struct model_metric *metric = &model->metrics[WRITTEN];
    assert_int_equal(metric->lane_count, 256);
    for (unsigned i = 0; i < MODEL_LANES; i++)
        assert_non_null(metric->lanes[i]);
    struct series_total total;
    series_total(metric->sum, &total);
    assert_true(total.sum == 50 * 32640 + 256 * 1225);
    assert_int_equal(total.count, 50);
    assert_true(metric->last_values[255] == 304);
    assert_int_equal(metric->last_t1_ns[255], ZERO + 50 * S);
    model_free(model);
}

static void test_states_of_lanes_are_averaged(void **state)
{
    (void)state;
    struct model *model = started(S);
    assert_int_equal(apply_sample(model, RTT, 0, 0, 1000, 2), 0);
    assert_int_equal(apply_sample(model, RTT, 1, 0, 1000, 4), 0);
    struct series_total total;
    series_total(model->metrics[RTT].sum, &total);
    assert_true(total.last == 3);
    model_free(model);
}

static void test_phases_close_each_other(void **state)
{
    (void)state;
    struct model *model = started(S);
    assert_int_equal(tell(model, FRAME_PHASE, 0, 0, "name", "write"), 0);
    assert_int_equal(tell(model, FRAME_PHASE, 0, 1100, "name", "fsync"), 0);
    assert_int_equal(model->phases[0].t1_ns, ZERO + 1100 * MS);
    assert_int_equal(model->phases[1].t1_ns, 0);
    for (unsigned i = 2; i < 70; i++)
        assert_int_equal(tell(model, FRAME_PHASE, 0, 2000 + i, "name", "more"), 0);
    assert_int_equal(model->phase_count, MODEL_PHASES);
    assert_int_equal(model->phases_missed, 6);
    assert_int_equal(model->phases[MODEL_PHASES - 1].t1_ns, ZERO + 2064 * MS);
    assert_int_equal(end(model, RUN_DONE, 9000, ""), 0);
    assert_int_equal(model->phases[MODEL_PHASES - 1].t1_ns, ZERO + 2064 * MS);
    model_free(model);
}

static void test_the_newest_events_are_kept(void **state)
{
    (void)state;
    struct model *model = started(S);
    char text[16];
    for (unsigned i = 0; i < 600; i++) {
        (void)snprintf(text, sizeof(text), "%u", i);
        assert_int_equal(tell(model, FRAME_EVENT, 0, i, "mark", text), 0);
        assert_int_equal(tell(model, FRAME_LOG, 0, 0, "text", text), 0);
    }
    assert_int_equal(model->event_count, MODEL_EVENTS);
    assert_string_equal(model->events[0].text, "88");
    assert_string_equal(model->events[MODEL_EVENTS - 1].text, "599");
    assert_int_equal(model->log_count, MODEL_LOGS);
    assert_string_equal(model->logs[0].text, "344");

    AUTO_FREE char *large = mem_new(4001, 1);
    memset(large, 'x', 4000);
    for (unsigned i = 0; i < 100; i++)
        assert_int_equal(tell(model, FRAME_EVENT, 0, 1000, "mark", large), 0);
    assert_int_equal(model->event_count, 32); /* 128 KiB of them */
    model_free(model);
}

static void test_facts_and_results_are_replaced(void **state)
{
    (void)state;
    struct model *model = started(S);
    assert_int_equal(tell(model, FRAME_FACT, 0, 0, "engine", "plain"), 0);
    assert_int_equal(tell(model, FRAME_FACT, 0, 0, "engine", "threads"), 0);
    assert_int_equal(model->fact_count, 1);
    assert_string_equal(model_fact(model, "engine"), "threads");
    double value = -1;
    assert_int_equal(model_result(model, "rate", &value), -ENOENT);
    result(model, RATE, 3, 1);
    assert_int_equal(model_result(model, "rate", &value), -ENOENT);
    result(model, RATE, DYNO_LANE_ALL, 10);
    result(model, RATE, DYNO_LANE_ALL, 20);
    assert_int_equal(model_result(model, "rate", &value), 0);
    assert_true(value == 20);
    assert_int_equal(model->result_count, 2);
    char key[16];
    for (unsigned i = 0; i < 200; i++) {
        (void)snprintf(key, sizeof(key), "key%u", i);
        assert_int_equal(tell(model, FRAME_FACT, 0, 0, key, "x"), 0);
    }
    assert_int_equal(model->fact_count, MODEL_FACTS);
    model_free(model);
}

/* What the owner does with it. */
static int tick(struct model *model, uint64_t t_ms)
{
    struct frame event;
    int is_new = model_tick(model, ZERO + t_ms * MS, &event);
    if (is_new == 1) {
        assert_int_equal(event.type, FRAME_EVENT);
        assert_int_equal(event.flags, FRAME_OWNER);
        assert_int_equal(event.event.t_ns, ZERO + t_ms * MS);
        assert_non_null(frame_pair(&event, "stalled"));
        assert_int_equal(model_apply(model, &event), 0);
    }
    return is_new;
}

static void test_silence_is_said_within_two_seconds(void **state)
{
    (void)state;
    struct model *model = started(250 * MS);
    sample(model, WRITTEN, 0, 250, 5);
    assert_int_equal(tick(model, 1749), 0);
    assert_int_equal(tick(model, 1750), 1); /* read before 2000, when it may have begun at 0 */
    assert_true(model->is_stalled);
    assert_int_equal(tick(model, 2500), 0); /* once */
    assert_int_equal(model->stalls, 1);
    sample(model, WRITTEN, 250, 2750, 5);
    assert_false(model->is_stalled);
    assert_int_equal(tick(model, 4249), 0);
    assert_int_equal(tick(model, 4250), 1);
    assert_int_equal(model->stalls, 2);
    model_free(model);
}

static void test_whole_ticks_are_counted(void **state)
{
    (void)state;
    struct model *model = started(300 * MS); /* six of them in two seconds */
    sample(model, WRITTEN, 0, 300, 5);
    assert_int_equal(tick(model, 2099), 0);
    assert_int_equal(tick(model, 2100), 1);
    model_free(model);
}

/* Zeros come in time: the last one may be on its way and may yet hold something. */
static void test_a_sample_on_its_way_is_waited_for(void **state)
{
    (void)state;
    struct model *model = started(S);
    sample(model, WRITTEN, 0, 1000, 5);
    sample(model, WRITTEN, 1000, 2000, 0);
    assert_int_equal(tick(model, 3002), 0);
    sample(model, WRITTEN, 2000, 3000, 1);
    assert_int_equal(tick(model, 3010), 0);
    sample(model, WRITTEN, 3000, 4000, 0);
    sample(model, WRITTEN, 4000, 5000, 0);
    assert_int_equal(tick(model, 5001), 1);
    model_free(model);

    model = started(S);
    sample(model, WRITTEN, 0, 1000, 5);
    sample(model, WRITTEN, 1000, 2000, 0);
    assert_int_equal(tick(model, 3099), 0);
    assert_int_equal(tick(model, 3100), 1);
    model_free(model);
}

static void test_host_metrics_are_no_progress(void **state)
{
    (void)state;
    struct model *model = started(S);
    for (unsigned i = 0; i < 3; i++)
        sample(model, CPU, i * 1000, (i + 1) * 1000, 0.5);
    assert_int_equal(tick(model, 3000), 1);
    model_free(model);
}

static void test_no_stall_without_an_end_or_after_it(void **state)
{
    (void)state;
    struct model *model = model_new();
    struct frame start = start_frame(S, NULL, 0), event;
    assert_int_equal(model_tick(model, ZERO + 90 * S, &event), 0);
    start.start.flags = DYNO_ENDLESS;
    assert_int_equal(model_apply(model, &start), 0);
    assert_int_equal(tick(model, 90000), 0);
    assert_int_equal(model->now_ns, ZERO + 90 * S);
    model_free(model);

    model = started(S);
    assert_int_equal(end(model, RUN_DONE, 100, ""), 0);
    assert_int_equal(tick(model, 90000), 0);
    model_free(model);
}

/* "stalled" while a busy server was waited for, or a port for its address. */
static void test_who_waits_for_a_peer_has_not_stalled(void **state)
{
    (void)state;
    struct model *model = model_new();
    struct frame start = start_frame(S, NULL, 0);
    start.start.flags = DYNO_NEEDS_PEER;
    assert_int_equal(model_apply(model, &start), 0);
    assert_int_equal(tick(model, 60000), 0);
    sample(model, WRITTEN, 60000, 61000, 5);
    assert_int_equal(tick(model, 61500), 0);
    assert_int_equal(tick(model, 64000), 1);
    model_free(model);
}

static void test_a_plugin_cannot_claim_a_stall(void **state)
{
    (void)state;
    struct model *model = started(S);
    assert_int_equal(tell(model, FRAME_EVENT, 0, 0, "stalled", "no"), 0);
    assert_int_equal(model->stalls, 0);
    model_free(model);
}

static void test_headline(void **state)
{
    (void)state;
    struct model *model = started(S);
    unsigned metric = 99;
    assert_int_equal(model_headline(model, &metric), 0);
    assert_int_equal(metric, WRITTEN);
    sample(model, WRITTEN, 0, 1000, 5);
    assert_int_equal(model_companion(model, &metric), -ENOENT);
    sample(model, DEVICE_WRITTEN, 0, 1000, 5);
    assert_int_equal(model_headline(model, &metric), 0);
    assert_int_equal(metric, DEVICE_WRITTEN); /* buffered: the device's own counter */
    assert_int_equal(model_companion(model, &metric), 0);
    assert_int_equal(metric, WRITTEN);
    model_free(model);

    model = model_new();
    static const char direct[] = "option.method\0dd-direct";
    struct frame start = start_frame(S, direct, sizeof(direct));
    assert_int_equal(model_apply(model, &start), 0);
    sample(model, DEVICE_WRITTEN, 0, 1000, 5);
    assert_int_equal(model_headline(model, &metric), 0);
    assert_int_equal(metric, WRITTEN);
    assert_int_equal(tell(model, FRAME_FACT, 0, 0, "o_direct", "not honoured"), 0);
    assert_int_equal(model_headline(model, &metric), 0);
    assert_int_equal(metric, DEVICE_WRITTEN);
    model_free(model);

    model = model_new();
    assert_int_equal(model_headline(model, &metric), -ENOENT);
    model_free(model);
}

/* A file or a plugin that writes on the line by itself may say anything; a terminal must not obey.
 */
static void test_what_a_record_says_is_fit_for_a_terminal(void **state)
{
    static const char evil[] = "test\0a\033[2Jb\0label\0\xff\xe2\x80\xae!\0"
                               "option.size\0\0331M\0fact\0x\0expect\0rate > 1 MB/s\033c";
    struct frame_metric about = {DYNO_BYTE, DYNO_DELTA, DYNO_HIGHER, 0, "written", "W\033[31m"};
    struct frame start = start_frame(100 * MS, evil, sizeof(evil));
    struct model *model = model_new();
    (void)state;
    start.start.metric_count = 1;
    start.metrics = &about;
    assert_int_equal(model_apply(model, &start), 0);
    assert_string_equal(model->test, "a?[2Jb");
    assert_string_equal(model->label, "?"
                                      "?!");
    assert_string_equal(model_option(model, "size"), "?1M");
    assert_string_equal(model->checks[0].expect.text, "rate > 1 MB/s?c");
    assert_string_equal(model->metrics[0].about.label, "W?[31m");
    assert_int_equal(tell(model, FRAME_FACT, 0, 0, "engine", "e\a"), 0);
    assert_int_equal(tell(model, FRAME_PHASE, 0, 0, "name", "p\r"), 0);
    assert_int_equal(tell(model, FRAME_EVENT, 0, 0, "mark", "\033]0;t\a"), 0);
    assert_int_equal(tell(model, FRAME_LOG, 0, 0, "text", "l\n"), 0);
    assert_int_equal(end(model, RUN_FAILED, 1, "why\033\\"), 0);
    assert_string_equal(model_fact(model, "engine"), "e?");
    assert_string_equal(model->phases[0].name, "p?");
    assert_string_equal(model->events[0].text, "?]0;t?");
    assert_string_equal(model->logs[0].text, "l?");
    assert_string_equal(model->sentence, "why?\\");
    model_free(model);
}

/* Three bytes of a bidi control become one: what goes in and what comes out is counted alike. */
static void test_cleaned_events_are_counted_as_they_are_kept(void **state)
{
    struct model *model = started(100 * MS);
    char text[3001] = "";
    (void)state;
    for (size_t i = 0; i < 3000; i += 3)
        memcpy(text + i, "\xe2\x80\xae", 4);
    for (unsigned i = 0; i < 300; i++) {
        assert_int_equal(tell(model, FRAME_EVENT, 0, i, "mark", text), 0);
        assert_int_equal(tell(model, FRAME_LOG, 0, i, "text", text), 0);
    }
    assert_int_equal(model->event_count, ((size_t)128 << 10) / 1004);
    assert_int_equal(model->event_bytes, model->event_count * 1004);
    assert_int_equal(model->log_bytes, model->log_count * 1000);
    model_free(model);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_start_is_read),
        cmocka_unit_test(test_order_of_frames),
        cmocka_unit_test(test_samples_must_fit),
        cmocka_unit_test(test_one_lane_has_one_series),
        cmocka_unit_test(test_many_lanes_keep_sum_and_last_values),
        cmocka_unit_test(test_states_of_lanes_are_averaged),
        cmocka_unit_test(test_phases_close_each_other),
        cmocka_unit_test(test_the_newest_events_are_kept),
        cmocka_unit_test(test_facts_and_results_are_replaced),
        cmocka_unit_test(test_silence_is_said_within_two_seconds),
        cmocka_unit_test(test_whole_ticks_are_counted),
        cmocka_unit_test(test_a_sample_on_its_way_is_waited_for),
        cmocka_unit_test(test_host_metrics_are_no_progress),
        cmocka_unit_test(test_no_stall_without_an_end_or_after_it),
        cmocka_unit_test(test_who_waits_for_a_peer_has_not_stalled),
        cmocka_unit_test(test_a_plugin_cannot_claim_a_stall),
        cmocka_unit_test(test_headline),
        cmocka_unit_test(test_what_a_record_says_is_fit_for_a_terminal),
        cmocka_unit_test(test_cleaned_events_are_counted_as_they_are_kept),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
