/* figures: a run told in a few figures, and the verdict on it; for the tests of all rules. */
#ifndef TEST_DIAGNOSE_FIGURES_H
#define TEST_DIAGNOSE_FIGURES_H

#include "frames.h"

#include <string.h>

#include "diagnose/verdict.h"
#include "iodyno/plugin.h"

#define MIB 1048576.0

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
    LATENCY_MAX,
    PREPARED,
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
    {DYNO_COUNT, DYNO_TOTAL, DYNO_ZERO, 0, "stalls_count", ""},
    {DYNO_SECOND, DYNO_TOTAL, DYNO_LOWER, 0, "latency_max", ""},
    {DYNO_BYTE, DYNO_DELTA, DYNO_NONE, 0, "prepared", ""},
    {DYNO_PER_S, DYNO_TOTAL, DYNO_HIGHER, 0, "iops", ""},
    {DYNO_RATIO, DYNO_TOTAL, DYNO_NONE, 0, "cpu_share", ""},
    {DYNO_RATIO, DYNO_TOTAL, DYNO_NONE, 0, "kernel_share", ""},
    {DYNO_SECOND, DYNO_TOTAL, DYNO_NONE, 1, "cpu_user", ""},
    {DYNO_SECOND, DYNO_TOTAL, DYNO_NONE, 1, "cpu_sys", ""},
    {DYNO_BYTE_PER_S, DYNO_TOTAL, DYNO_HIGHER, 0, "seq1m_q8_read", ""},
    {DYNO_BYTE_PER_S, DYNO_TOTAL, DYNO_HIGHER, 0, "seq1m_q1_read", ""},
    {DYNO_BYTE_PER_S, DYNO_TOTAL, DYNO_HIGHER, 0, "seq1m_q8_write", ""},
    {DYNO_BYTE_PER_S, DYNO_TOTAL, DYNO_HIGHER, 0, "seq1m_q1_write", ""},
    {DYNO_PER_S, DYNO_TOTAL, DYNO_HIGHER, 0, "rnd4k_q32_read_iops", ""},
    {DYNO_PER_S, DYNO_TOTAL, DYNO_HIGHER, 0, "rnd4k_q1_read_iops", ""},
    {DYNO_PER_S, DYNO_TOTAL, DYNO_HIGHER, 0, "rnd4k_q32_write_iops", ""},
    {DYNO_PER_S, DYNO_TOTAL, DYNO_HIGHER, 0, "rnd4k_q1_write_iops", ""},
    {DYNO_CELSIUS, DYNO_GAUGE, DYNO_NONE, 1, "temperature", ""},
    {DYNO_HERTZ, DYNO_GAUGE, DYNO_NONE, 1, "cpu_clock", ""},
    {DYNO_HERTZ, DYNO_GAUGE, DYNO_NONE, 1, "cpu_limit", ""},
};

struct named {
    const char *key;
    double value;
};

/* A finished run in figures; 0 (cached: below 0) leaves one out. */
struct figures {
    const char *test, *method, *ceiling, *o_direct, *sentence;
    double written, read, device_written, device_read, rate, cached, real_s, sync_s;
    unsigned stalls, state;
    /* ended by {NULL}; target and machine pairs with their prefix */
    struct pair pairs[8], facts[6], events[4];
    struct named results[10]; /* further ones, also 0; ended by {NULL} */
    double prepared;
    bool has_no_method; /* as tests without that option */
    double call_stalls, worst_stall;
    double heat[2], clock[2], limit[2]; /* two readings each; 0: none */
    double seconds[40];                 /* MB/s written second by second, instead of `written` */
};

static inline void start(struct model *model, const struct figures *figures)
{
    AUTO(str_done) struct str pairs = {0};
    /* Of two pairs with one key the first counts. */
    for (size_t i = 0; figures->pairs[i].key; i++)
        str_add_pair(&pairs, figures->pairs[i].key, figures->pairs[i].value);
    str_add_pair(&pairs, "test", figures->test ? figures->test : "storage.write");
    if (!figures->has_no_method)
        str_add_pair(&pairs, "option.method", figures->method ? figures->method : "dd-fsync");
    str_add_pair(&pairs, "target.mode", "SDR104");
    str_add_pair(&pairs, "target.width", "4");
    if (figures->ceiling)
        str_add_pair(&pairs, "target.ceiling", figures->ceiling);
    struct frame frame = {
        .type = FRAME_START,
        .start = {.tick_ns = S, .report_ns = S, .mono_ns = S, .metric_count = ARRAY_SIZE(metrics)},
        .metrics = metrics};
    apply(model, &frame, &pairs);
}

static inline void measure_course(struct model *model, const struct figures *figures)
{
    for (unsigned i = 0; i < ARRAY_SIZE(figures->seconds) && figures->seconds[i] > 0; i++)
        add_sample(model, WRITTEN, i, figures->seconds[i] * 1e6);
    static const char *const keys[] = {"temperature", "cpu_clock", "cpu_limit"};
    const double *gauges[] = {figures->heat, figures->clock, figures->limit};
    for (unsigned i = 0; i < ARRAY_SIZE(gauges); i++)
        add_gauge(model, (unsigned)model_metric(model, keys[i]), gauges[i]);
}

static inline void measure(struct model *model, const struct figures *figures)
{
    const struct {
        unsigned metric;
        double value;
    } amounts[] = {{WRITTEN, figures->written},
                   {READ, figures->read},
                   {DEVICE_WRITTEN, figures->device_written},
                   {DEVICE_READ, figures->device_read},
                   {PREPARED, figures->prepared}};
    for (unsigned i = 0; i < ARRAY_SIZE(amounts); i++) {
        struct frame frame = {.type = FRAME_SAMPLE,
                              .sample = {.metric = (uint16_t)amounts[i].metric,
                                         .t0_ns = S,
                                         .t1_ns = 11 * S,
                                         .value = amounts[i].value}};
        if (amounts[i].value > 0)
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
    for (const struct named *result = figures->results; result->key; result++) {
        struct frame frame = {.type = FRAME_RESULT,
                              .result = {.metric = (uint16_t)model_metric(model, result->key),
                                         .lane = DYNO_LANE_ALL,
                                         .value = result->value}};
        apply(model, &frame, NULL);
    }
}

static inline struct model *run(const struct figures *figures)
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

static inline struct verdict judge(struct figures figures)
{
    struct verdict verdict = {.main = {.code = ""}};
    struct model *model = run(&figures);
    verdict_of(model, &verdict);
    model_free(model);
    return verdict;
}

static inline bool warns(const struct verdict *verdict, const char *code)
{
    for (unsigned i = 0; i < verdict->warning_count; i++) {
        if (!strcmp(verdict->warnings[i].code, code))
            return verdict->warnings[i].text[0] != '\0';
    }
    return false;
}

static inline const char *warning(const struct verdict *verdict, const char *code)
{
    for (unsigned i = 0; i < verdict->warning_count; i++)
        if (!strcmp(verdict->warnings[i].code, code))
            return verdict->warnings[i].text;
    return "";
}

#endif
