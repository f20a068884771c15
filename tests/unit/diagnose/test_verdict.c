/* verdict: each rule with the figures that make it speak, and those that do not. */
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
#include "diagnose/verdict.h"
#include "iodyno/plugin.h"

#define MIB 1048576.0
#define S 1000000000ull

enum {
    WRITTEN,
    READ,
    DEVICE_WRITTEN,
    DEVICE_READ,
    RATE,
    CACHED,
    REAL_TIME,
    SYNC_TIME,
    STALLS,
    STALL_WORST,
    TEMPERATURE,
    CPU_CLOCK,
    CPU_LIMIT
};
static const struct frame_metric metrics[] = {
    {DYNO_BYTE, DYNO_DELTA, DYNO_HIGHER, 0, "written", ""},
    {DYNO_BYTE, DYNO_DELTA, DYNO_HIGHER, 0, "read", ""},
    {DYNO_BYTE, DYNO_DELTA, DYNO_NONE, 0, "device_written", ""},
    {DYNO_BYTE, DYNO_DELTA, DYNO_NONE, 0, "device_read", ""},
    {DYNO_BYTE_PER_S, DYNO_TOTAL, DYNO_HIGHER, 0, "rate", ""},
    {DYNO_RATIO, DYNO_TOTAL, DYNO_NONE, 0, "cached", ""},
    {DYNO_SECOND, DYNO_TOTAL, DYNO_LOWER, 0, "real_time", ""},
    {DYNO_SECOND, DYNO_TOTAL, DYNO_LOWER, 0, "sync_time", ""},
    {DYNO_COUNT, DYNO_TOTAL, DYNO_ZERO, 0, "stalls", ""},
    {DYNO_SECOND, DYNO_TOTAL, DYNO_LOWER, 0, "stall_worst", ""},
    {DYNO_CELSIUS, DYNO_GAUGE, DYNO_NONE, 1, "temperature", ""},
    {DYNO_HERTZ, DYNO_GAUGE, DYNO_NONE, 1, "cpu_clock", ""},
    {DYNO_HERTZ, DYNO_GAUGE, DYNO_NONE, 1, "cpu_limit", ""},
};

struct pair {
    const char *key, *value;
};

/* A finished run in figures; 0 (cached: below 0) leaves one out. */
struct figures {
    const char *test, *method, *ceiling, *o_direct, *sentence;
    double written, read, device_written, device_read, rate, cached, real_s, sync_s;
    unsigned stalls, state;
    /* ended by {NULL}; target and machine pairs with their prefix */
    struct pair pairs[6], facts[4], events[4];
    double call_stalls, worst_stall;
    double heat[2], clock[2], limit[2]; /* two readings each; 0: none */
    double seconds[40];                 /* MB/s written second by second, instead of `written` */
};

static void apply(struct model *model, struct frame *frame, const struct str *pairs)
{
    if (pairs) {
        frame->pairs = pairs->text;
        frame->pairs_size = pairs->size;
    }
    assert_int_equal(model_apply(model, frame), 0);
}

static void start(struct model *model, const struct figures *figures)
{
    AUTO(str_done) struct str pairs = {0};
    str_add_pair(&pairs, "test", figures->test ? figures->test : "storage.write");
    str_add_pair(&pairs, "option.method", figures->method ? figures->method : "dd-fsync");
    str_add_pair(&pairs, "target.mode", "SDR104");
    str_add_pair(&pairs, "target.width", "4");
    if (figures->ceiling)
        str_add_pair(&pairs, "target.ceiling", figures->ceiling);
    for (size_t i = 0; figures->pairs[i].key; i++)
        str_add_pair(&pairs, figures->pairs[i].key, figures->pairs[i].value);
    struct frame frame = {
        .type = FRAME_START,
        .start = {.tick_ns = S, .report_ns = S, .mono_ns = S, .metric_count = ARRAY_SIZE(metrics)},
        .metrics = metrics};
    apply(model, &frame, &pairs);
}

static void add_sample(struct model *model, unsigned metric, uint64_t second, double value)
{
    struct frame frame = {.type = FRAME_SAMPLE,
                          .sample = {.metric = (uint16_t)metric,
                                     .t0_ns = (1 + second) * S,
                                     .t1_ns = (2 + second) * S,
                                     .value = value}};
    apply(model, &frame, NULL);
}

static void measure_course(struct model *model, const struct figures *figures)
{
    for (unsigned i = 0; i < ARRAY_SIZE(figures->seconds) && figures->seconds[i] > 0; i++)
        add_sample(model, WRITTEN, i, figures->seconds[i] * 1e6);
    const double *gauges[] = {figures->heat, figures->clock, figures->limit};
    for (unsigned i = 0; i < ARRAY_SIZE(gauges); i++)
        for (unsigned k = 0; k < 2 && gauges[i][k] > 0; k++)
            add_sample(model, TEMPERATURE + i, k, gauges[i][k]);
}

static void tell(struct model *model, const struct pair *pairs, unsigned type)
{
    for (; pairs->key; pairs++) {
        AUTO(str_done) struct str pair = {0};
        struct frame frame = {.type = (uint16_t)type};
        str_add_pair(&pair, pairs->key, pairs->value);
        apply(model, &frame, &pair);
    }
}

static void measure(struct model *model, const struct figures *figures)
{
    const double amounts[] = {figures->written, figures->read, figures->device_written,
                              figures->device_read};
    for (unsigned i = 0; i < ARRAY_SIZE(amounts); i++) {
        struct frame frame = {
            .type = FRAME_SAMPLE,
            .sample = {.metric = (uint16_t)i, .t0_ns = S, .t1_ns = 11 * S, .value = amounts[i]}};
        if (amounts[i] > 0)
            apply(model, &frame, NULL);
    }
    const double results[] = {figures->rate,        figures->cached < 0 ? 0 : figures->cached,
                              figures->real_s,      figures->sync_s,
                              figures->call_stalls, figures->worst_stall};
    for (unsigned i = 0; i < ARRAY_SIZE(results); i++) {
        struct frame frame = {
            .type = FRAME_RESULT,
            .result = {.metric = (uint16_t)(RATE + i), .lane = DYNO_LANE_ALL, .value = results[i]}};
        if (results[i] > 0 || (RATE + i == CACHED && figures->cached == 0 && figures->read > 0))
            apply(model, &frame, NULL);
    }
}

static struct model *run(const struct figures *figures)
{
    struct model *model = model_new();
    start(model, figures);
    measure(model, figures);
    measure_course(model, figures);
    tell(model, figures->facts, FRAME_FACT);
    tell(model, figures->events, FRAME_EVENT);
    AUTO(str_done) struct str fact = {0}, stall = {0}, end = {0};
    str_add_pair(&fact, "o_direct", figures->o_direct ? figures->o_direct : "honoured");
    struct frame frame = {.type = FRAME_FACT};
    apply(model, &frame, &fact);
    str_add_pair(&stall, "stalled", "");
    for (unsigned i = 0; i < figures->stalls; i++) {
        model->is_stalled = false;
        frame = (struct frame){.type = FRAME_EVENT, .flags = FRAME_OWNER, .event = {S}};
        apply(model, &frame, &stall);
    }
    str_add_pair(&end, "sentence", figures->sentence ? figures->sentence : "");
    frame = (struct frame){
        .type = FRAME_END,
        .end = {.state = figures->state ? figures->state : RUN_DONE, .t_ns = 11 * S}};
    apply(model, &frame, &end);
    return model;
}

static struct verdict judge(struct figures figures)
{
    struct verdict verdict;
    struct model *model = run(&figures);
    verdict_of(model, &verdict);
    model_free(model);
    return verdict;
}

static bool warns(const struct verdict *verdict, const char *code)
{
    for (unsigned i = 0; i < verdict->warning_count; i++) {
        if (!strcmp(verdict->warnings[i].code, code))
            return verdict->warnings[i].text[0] != '\0';
    }
    return false;
}

static void test_cached_read(void **state)
{
    (void)state;
    struct figures figures = {
        .test = "storage.read", .method = "dd", .read = 100 * MIB, .rate = 7.29e9, .cached = 0.95};
    struct verdict verdict = judge(figures);
    assert_string_equal(verdict.main.code, "cached");
    assert_true(verdict.is_warning);
    assert_non_null(strstr(verdict.main.text, "95 % of what was read came from RAM"));
    figures.cached = 0.94;
    verdict = judge(figures);
    assert_string_not_equal(verdict.main.code, "cached");
    assert_true(warns(&verdict, "cached"));
    figures.cached = 0.10;
    verdict = judge(figures);
    assert_true(warns(&verdict, "cached"));
    figures.cached = 0.09;
    figures.rate = 50e6;
    verdict = judge(figures);
    assert_int_equal(verdict.warning_count, 0);
    assert_string_equal(verdict.main.code, "device-limited");
    assert_false(verdict.is_warning);
}

static void test_direct_not_honoured(void **state)
{
    (void)state;
    struct figures figures = {
        .method = "dd-direct", .written = 100 * MIB, .rate = 10 * MIB, .o_direct = "not honoured"};
    struct verdict verdict = judge(figures);
    assert_true(warns(&verdict, "direct-not-honoured"));
    assert_string_equal(verdict.main.code, "unknown");
    figures.o_direct = "honoured";
    verdict = judge(figures);
    assert_int_equal(verdict.warning_count, 0);
    assert_string_equal(verdict.main.code, "device-limited");
}

static void test_other_traffic_needs_both_bounds(void **state)
{
    (void)state;
    struct figures figures = {.method = "dd-direct",
                              .written = 1000 * MIB,
                              .rate = 100 * MIB,
                              .device_written = 1050 * MIB};
    struct verdict verdict = judge(figures); /* exactly 5 % */
    assert_false(warns(&verdict, "other-traffic"));
    figures.device_read = 1 * MIB;
    verdict = judge(figures);
    assert_true(warns(&verdict, "other-traffic"));
    figures.written = 10 * MIB;
    figures.device_written = 18 * MIB; /* 80 %, but no more than 8 MiB */
    figures.device_read = 0;
    verdict = judge(figures);
    assert_false(warns(&verdict, "other-traffic"));
}

static void test_fsync_share(void **state)
{
    (void)state;
    struct figures figures = {
        .written = 524288000, .rate = 67.1e6, .real_s = 8, .sync_s = 4, .ceiling = "104000000"};
    struct verdict verdict = judge(figures);
    assert_string_equal(verdict.main.code, "device-limited");
    assert_non_null(strstr(verdict.main.text, "67.1 MB/s of 104 MB/s (64"));
    assert_non_null(strstr(verdict.main.text, "50 % of the time spent in sync"));
    assert_true(verdict.ceiling_bps == 104e6);
    assert_string_equal(verdict.ceiling_source, "SDR104, 4 bit");
    assert_true(verdict.fraction > 0.645 && verdict.fraction < 0.646);
    figures.sync_s = 3.9;
    verdict = judge(figures);
    assert_string_equal(verdict.main.code, "unknown");
    assert_non_null(strstr(verdict.main.text, "3.9 s of 8.0 s"));
}

static void test_bus_and_over_ceiling(void **state)
{
    (void)state;
    struct figures figures = {
        .method = "dd-direct", .written = 100 * MIB, .rate = 80e6, .ceiling = "100000000"};
    struct verdict verdict = judge(figures);
    assert_string_equal(verdict.main.code, "bus-limited");
    figures.rate = 79.9e6;
    verdict = judge(figures);
    assert_string_equal(verdict.main.code, "device-limited");
    figures.rate = 102e6;
    verdict = judge(figures);
    assert_string_equal(verdict.main.code, "bus-limited");
    figures.rate = 103e6;
    verdict = judge(figures);
    assert_string_equal(verdict.main.code, "over-ceiling");
    assert_true(verdict.is_warning);
    assert_non_null(strstr(verdict.main.text, "103 MB/s is more than the 100 MB/s that SDR104"));
    figures.ceiling = "many";
    verdict = judge(figures);
    assert_string_equal(verdict.main.code, "device-limited");
    assert_true(verdict.ceiling_bps == 0 && verdict.fraction == 0);
}

static void test_stalls(void **state)
{
    (void)state;
    struct verdict verdict = judge(
        (struct figures){.method = "dd-direct", .written = 100 * MIB, .rate = 10e6, .stalls = 3});
    assert_true(warns(&verdict, "stalled"));
    assert_non_null(strstr(verdict.warnings[0].text, "3 times"));
    assert_string_equal(verdict.main.code, "device-limited");
}

static void test_a_stall_that_lasts_is_the_verdict(void **state)
{
    (void)state;
    struct figures figures = {.written = 100 * MIB};
    struct model *model = model_new();
    start(model, &figures);
    struct verdict verdict;
    verdict_of(model, &verdict);
    assert_string_equal(verdict.main.code, "unknown");
    assert_string_equal(verdict.main.text, "nothing has been measured yet");
    measure(model, &figures);
    struct frame event;
    assert_int_equal(model_tick(model, 16 * S, &event), 1);
    assert_int_equal(model_apply(model, &event), 0);
    verdict_of(model, &verdict);
    assert_string_equal(verdict.main.code, "stalled");
    assert_non_null(strstr(verdict.main.text, "5.0 s"));
    model_free(model);
}

static void test_runs_that_did_not_end_well_get_the_reason(void **state)
{
    (void)state;
    static const struct {
        unsigned state;
        const char *part;
    } cases[] = {{RUN_FAILED, "the run failed: because"},
                 {RUN_CANCELLED, "the run was cancelled after 10 s: because"},
                 {RUN_REFUSED, "refused"},
                 {RUN_REMOVED, "the device was removed"},
                 {RUN_ABANDONED, "stuck in the kernel"},
                 {RUN_INTERRUPTED, "breaks off"}};
    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        struct verdict verdict = judge((struct figures){.method = "dd-direct",
                                                        .written = 100 * MIB,
                                                        .rate = 103e6,
                                                        .ceiling = "100000000",
                                                        .state = cases[i].state,
                                                        .sentence = "because"});
        assert_string_equal(verdict.main.code, "unknown");
        assert_true(str_starts(verdict.main.text, "no verdict: "));
        assert_non_null(strstr(verdict.main.text, cases[i].part));
        assert_false(verdict.is_warning);
        /* Only of a cancelled run the rate stands, so only there it can be too high. */
        assert_int_equal(warns(&verdict, "over-ceiling"), cases[i].state == RUN_CANCELLED);
    }
}

static void test_other_tests_are_honestly_unknown(void **state)
{
    (void)state;
    struct verdict verdict =
        judge((struct figures){.test = "selftest.sine", .written = 100 * MIB, .rate = 10e6});
    assert_string_equal(verdict.main.code, "unknown");
    assert_non_null(strstr(verdict.main.text, "no figure of this run"));
}

static void a_long_sentence_is_cut_between_characters(void **state)
{
    char sentence[1001];
    (void)state;
    for (unsigned shift = 0; shift < 3; shift++) {
        memset(sentence, 'x', shift);
        for (size_t i = shift; i + 3 < sizeof(sentence); i += 3)
            memcpy(sentence + i, "\xe2\x82\xac", 4);
        struct verdict verdict = judge((struct figures){.state = RUN_FAILED, .sentence = sentence});
        AUTO(str_done) struct str clean = {0};
        str_add_clean(&clean, verdict.main.text, strlen(verdict.main.text));
        assert_string_equal(str_text(&clean), verdict.main.text); /* no half character */
        assert_true(strlen(verdict.main.text) > VERDICT_TEXT_MAX - 5);
    }
}

static void test_long_texts_are_cut(void **state)
{
    (void)state;
    char sentence[1000];
    memset(sentence, 'x', sizeof(sentence) - 1);
    sentence[sizeof(sentence) - 1] = '\0';
    struct verdict verdict = judge((struct figures){.state = RUN_FAILED, .sentence = sentence});
    assert_int_equal(strlen(verdict.main.text), VERDICT_TEXT_MAX - 1);
}

static const char *warning(const struct verdict *verdict, const char *code)
{
    for (unsigned i = 0; i < verdict->warning_count; i++)
        if (!strcmp(verdict->warnings[i].code, code))
            return verdict->warnings[i].text;
    return "";
}

static void test_ceiling_from_the_mode_alone(void **state)
{
    (void)state;
    struct verdict verdict = judge((struct figures){
        .method = "dd-direct", .written = 100 * MIB, .rate = 80e6, .pairs = {{NULL, NULL}}});
    assert_true(verdict.ceiling_bps == 104e6); /* SDR104, 4 bit */
    assert_string_equal(verdict.main.code, "device-limited");
    verdict = judge((struct figures){.method = "dd-direct",
                                     .written = 100 * MIB,
                                     .rate = 80e6,
                                     .pairs = {{"target.clock_hz", "100000000"}}});
    assert_true(verdict.ceiling_bps == 50e6);
    assert_string_equal(verdict.main.code, "over-ceiling");
    assert_non_null(strstr(verdict.main.text, "an error of method"));
}

static void test_cliff(void **state)
{
    struct figures figures = {.method = "dd-direct", .rate = 25e6};
    (void)state;
    for (unsigned i = 0; i < 30; i++)
        figures.seconds[i] = i < 15 ? 40 : 10;
    struct verdict verdict = judge(figures);
    assert_string_equal(warning(&verdict, "cliff"),
                        "after 600 MB the disk fell from 40.0 MB/s to 10.0 MB/s and stayed there: "
                        "its fast cache was full");
    figures.test = "selftest.sine";
    verdict = judge(figures);
    assert_false(warns(&verdict, "cliff"));
    figures.test = NULL;
    for (unsigned i = 0; i < 30; i++)
        figures.seconds[i] = i < 15 ? 40 : 25;
    verdict = judge(figures);
    assert_false(warns(&verdict, "cliff"));
}

static void test_long_calls(void **state)
{
    struct figures figures = {.method = "dd-direct", .written = 100 * MIB, .rate = 10e6};
    (void)state;
    figures.call_stalls = 3;
    figures.worst_stall = 2.1;
    struct verdict verdict = judge(figures);
    assert_string_equal(warning(&verdict, "stalled"),
                        "3 calls took longer than 0.5 s, the worst 2.1 s");
    figures.call_stalls = 1;
    figures.worst_stall = 0;
    verdict = judge(figures);
    assert_string_equal(warning(&verdict, "stalled"), "1 call took longer than 0.5 s");
    figures.call_stalls = 0;
    verdict = judge(figures);
    assert_int_equal(verdict.warning_count, 0);
}

static void test_below_capability(void **state)
{
    struct figures figures = {.method = "dd-direct",
                              .written = 100 * MIB,
                              .rate = 30e6,
                              .ceiling = "60000000",
                              .pairs = {{"target.capable", "500000000"},
                                        {"target.capable_source", "SuperSpeed"},
                                        {"target.advice", "try another port"}}};
    (void)state;
    struct verdict verdict = judge(figures);
    assert_string_equal(warning(&verdict, "below-capability"),
                        "the link runs at SDR104, 4 bit (60.0 MB/s), SuperSpeed would carry "
                        "500 MB/s: try another port");
    figures.pairs[0].value = "64000000"; /* 60 is 94 % of it */
    verdict = judge(figures);
    assert_true(warns(&verdict, "below-capability"));
    figures.pairs[0].value = "63000000";
    verdict = judge(figures);
    assert_false(warns(&verdict, "below-capability"));
    figures.pairs[0].value = "-1";
    verdict = judge(figures);
    assert_false(warns(&verdict, "below-capability"));
}

static void test_below_claim(void **state)
{
    struct figures figures = {.written = 100 * MIB,
                              .rate = 29.9e6,
                              .real_s = 5,
                              .sync_s = 4,
                              .pairs = {{"target.claim.speed_class", "10"},
                                        {"target.claim.uhs", "3"},
                                        {"target.claim.video", "30"}}};
    (void)state;
    struct verdict verdict = judge(figures);
    assert_string_equal(warning(&verdict, "below-claim"),
                        "29.9 MB/s is below the 30.0 MB/s that its mark U3 promises for writing");
    figures.rate = 30e6;
    verdict = judge(figures);
    assert_false(warns(&verdict, "below-claim"));
    figures.rate = 8e6;
    figures.pairs[1] = (struct pair){NULL, NULL};
    verdict = judge(figures);
    assert_non_null(strstr(warning(&verdict, "below-claim"), "10.0 MB/s that its mark Class 10"));
    figures.real_s = 4.9; /* too short to blame a card */
    verdict = judge(figures);
    assert_false(warns(&verdict, "below-claim"));
    figures.real_s = 5;
    figures.sync_s = 0; /* nobody knows what reached it */
    verdict = judge(figures);
    assert_false(warns(&verdict, "below-claim"));
}

static void test_thermal(void **state)
{
    struct figures figures = {.method = "dd-direct",
                              .written = 100 * MIB,
                              .rate = 10e6,
                              .heat = {60, 86},
                              .limit = {1.8e9, 1.2e9}};
    (void)state;
    struct verdict verdict = judge(figures);
    const char *text = warning(&verdict, "thermal");
    assert_non_null(strstr(text, "86"));
    assert_non_null(strstr(text, "its clock fell from 1.8"));
    figures.limit[1] = 1.72e9; /* 95.6 % */
    verdict = judge(figures);
    assert_false(warns(&verdict, "thermal"));
    figures.clock[0] = 1.8e9; /* for want of work */
    figures.clock[1] = 0.6e9;
    verdict = judge(figures);
    assert_false(warns(&verdict, "thermal"));
    figures.pairs[0] = (struct pair){"machine.governor", "performance"};
    verdict = judge(figures);
    assert_true(warns(&verdict, "thermal"));
    figures.heat[0] = 0; /* no sensor: nothing says that heat did it */
    verdict = judge(figures);
    assert_false(warns(&verdict, "thermal"));
}

static void test_slower_than_before(void **state)
{
    struct figures figures = {.method = "dd-direct",
                              .written = 100 * MIB,
                              .rate = 69.9e6,
                              .facts = {{"before", "100000000 B/s, the median of 5 runs"}}};
    static const char *const useless[] = {
        "100000000 B/s, the median of 1 run",
        "fast, the median of 5 runs",
        "100000000 B/s, the median of runs",
        "100000000 B/s",
        "-3 B/s, the median of 5 runs",
        "100000000 B/s, the median of 99999999999999999999999999999999999999 runs",
        "1111111111111111111111111111111111111111 B/s, the median of 5 runs",
        "",
    };
    (void)state;
    struct verdict verdict = judge(figures);
    assert_string_equal(warning(&verdict, "slower-than-before"),
                        "69.9 MB/s is 69.9 % of the 100 MB/s of earlier runs (the median of 5)");
    figures.rate = 70e6;
    verdict = judge(figures);
    assert_false(warns(&verdict, "slower-than-before"));
    figures.rate = 1e6;
    for (size_t i = 0; i < ARRAY_SIZE(useless); i++) {
        figures.facts[0].value = useless[i];
        verdict = judge(figures);
        assert_false(warns(&verdict, "slower-than-before"));
    }
}

static void test_kernel_errors(void **state)
{
    struct figures figures = {.method = "dd-direct",
                              .written = 100 * MIB,
                              .rate = 10e6,
                              .events = {{"kernel", "mmc1: first"},
                                         {"other", "mmc1: not one"},
                                         {"kernel", "mmc1: error -110"}}};
    (void)state;
    struct verdict verdict = judge(figures);
    assert_string_equal(warning(&verdict, "kernel-errors"),
                        "the kernel wrote 2 lines about this disk during the run: \"mmc1: error "
                        "-110\"");
    figures.events[0] = (struct pair){NULL, NULL};
    verdict = judge(figures);
    assert_false(warns(&verdict, "kernel-errors"));
    figures.facts[0] = (struct pair){"mmc-errors", "2 x Data CRC"};
    verdict = judge(figures);
    assert_string_equal(warning(&verdict, "kernel-errors"), "the host counted 2 x Data CRC");
}

static void test_fake_capacity(void **state)
{
    struct figures figures = {.method = "dd-direct",
                              .written = 100 * MIB,
                              .rate = 10e6,
                              .pairs = {{"target.doubt", "its maker number is 0"}}};
    (void)state;
    struct verdict verdict = judge(figures);
    assert_string_equal(warning(&verdict, "fake-capacity"),
                        "this may be a counterfeit: its maker number is 0");
    assert_string_equal(verdict.main.code, "device-limited");
    figures.facts[0] = (struct pair){"fake-capacity", "8.0 of 128 GB hold data"};
    verdict = judge(figures);
    assert_string_equal(verdict.main.code, "fake-capacity");
    assert_true(verdict.is_warning);
}

static void test_places(void **state)
{
    static const struct {
        const char *filesystem, *main, *warning, *part;
        bool has_ceiling;
    } cases[] = {
        {"tmpfs", "cached", NULL, "this is RAM", false},
        {"nfs4", "wrong-path", NULL, "this is NFS", false},
        {"cifs", "wrong-path", NULL, "this is SMB", false},
        {"fuse.sshfs", "device-limited", "wrong-path", "this is FUSE", false},
        {"fuseblk", "device-limited", "wrong-path", "this is FUSE", true},
        {"overlay", "device-limited", "wrong-path", "this is an overlay", false},
        {"ext4", "device-limited", NULL, "the disk is the limit", true},
    };
    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        struct verdict verdict =
            judge((struct figures){.method = "dd-direct",
                                   .written = 100 * MIB,
                                   .rate = 10e6,
                                   .ceiling = "100000000",
                                   .facts = {{"file-system", cases[i].filesystem}}});
        assert_string_equal(verdict.main.code, cases[i].main);
        const char *text =
            cases[i].warning ? warning(&verdict, cases[i].warning) : verdict.main.text;
        assert_non_null(strstr(text, cases[i].part));
        assert_int_equal(verdict.ceiling_bps > 0, cases[i].has_ceiling);
        assert_int_equal(verdict.warning_count, cases[i].warning ? 1 : 0);
    }
    struct verdict verdict = judge((struct figures){.method = "dd-direct",
                                                    .written = 100 * MIB,
                                                    .rate = 10e6,
                                                    .pairs = {{"target.disk", "zram"}}});
    assert_string_equal(verdict.main.code, "cached");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_cached_read),
        cmocka_unit_test(test_direct_not_honoured),
        cmocka_unit_test(test_other_traffic_needs_both_bounds),
        cmocka_unit_test(test_fsync_share),
        cmocka_unit_test(test_bus_and_over_ceiling),
        cmocka_unit_test(test_stalls),
        cmocka_unit_test(test_a_stall_that_lasts_is_the_verdict),
        cmocka_unit_test(test_runs_that_did_not_end_well_get_the_reason),
        cmocka_unit_test(test_other_tests_are_honestly_unknown),
        cmocka_unit_test(test_long_texts_are_cut),
        cmocka_unit_test(test_ceiling_from_the_mode_alone),
        cmocka_unit_test(test_cliff),
        cmocka_unit_test(test_long_calls),
        cmocka_unit_test(test_below_capability),
        cmocka_unit_test(test_below_claim),
        cmocka_unit_test(test_thermal),
        cmocka_unit_test(test_slower_than_before),
        cmocka_unit_test(test_kernel_errors),
        cmocka_unit_test(test_fake_capacity),
        cmocka_unit_test(test_places),
        cmocka_unit_test(a_long_sentence_is_cut_between_characters),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
