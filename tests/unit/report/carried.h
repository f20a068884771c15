/* carried: a model made from frames as a network test tells them; the document too, when given. */
#ifndef TEST_CARRIED_H
#define TEST_CARRIED_H

#include "base/str.h"
#include "iodyno/plugin.h"
#include "report/document.h"
#include "run/model.h"

#define S 1000000000ull
#define ZERO (100 * S)

enum {
    SENT,
    RECEIVED,
    RETRANSMITS,
    SHARE,
    OUT_OF_ORDER,
    CWND,
    RTT,
    PACKETS,
    LOST,
    JITTER,
    RATE,
    RATE_OUT,
    RATE_IN
};
static const struct frame_metric carried_metrics[] = {
    {DYNO_BYTE, DYNO_DELTA, DYNO_HIGHER, 0, "sent", "Sent"},
    {DYNO_BYTE, DYNO_DELTA, DYNO_HIGHER, 0, "received", "Received"},
    {DYNO_COUNT, DYNO_DELTA, DYNO_ZERO, 0, "retransmits", "Retransmits"},
    {DYNO_RATIO, DYNO_GAUGE, DYNO_ZERO, 0, "retransmit_share", "Share"},
    {DYNO_COUNT, DYNO_DELTA, DYNO_ZERO, 0, "out_of_order", "Out of order"},
    {DYNO_BYTE, DYNO_GAUGE, DYNO_NONE, 0, "cwnd", "Congestion window"},
    {DYNO_SECOND, DYNO_GAUGE, DYNO_LOWER, 0, "rtt", "Round trip"},
    {DYNO_COUNT, DYNO_DELTA, DYNO_NONE, 0, "packets", "Packets"},
    {DYNO_COUNT, DYNO_DELTA, DYNO_ZERO, 0, "lost", "Lost"},
    {DYNO_SECOND, DYNO_GAUGE, DYNO_LOWER, 0, "jitter", "Jitter"},
    {DYNO_BIT_PER_S, DYNO_TOTAL, DYNO_HIGHER, 0, "rate", "Rate"},
    {DYNO_BIT_PER_S, DYNO_TOTAL, DYNO_HIGHER, 0, "rate_out", "Rate out"},
    {DYNO_BIT_PER_S, DYNO_TOTAL, DYNO_HIGHER, 0, "rate_in", "Rate in"},
};

struct carried {
    struct model *model;
    struct document *document;
};

static inline void carried_apply(struct carried *carried, const struct frame *frame)
{
    assert_int_equal(model_apply(carried->model, frame), 0);
    assert_int_equal(document_apply(carried->document, frame), 0);
}

static inline struct carried carried_start(const char *test, const char *direction,
                                           const char *parallel)
{
    struct carried carried = {model_new(), document_new()};
    struct str pairs = {0};
    str_add_pair(&pairs, "test", test);
    str_add_pair(&pairs, "target.kind", "net");
    str_add_pair(&pairs, "target.id", "eth0");
    str_add_pair(&pairs, "target.speed_mbps", "1000");
    str_add_pair(&pairs, "target.duplex", "full");
    str_add_pair(&pairs, "option.server", "192.168.0.2");
    str_add_pair(&pairs, "option.port", "5201");
    str_add_pair(&pairs, "option.direction", direction);
    str_add_pair(&pairs, "option.parallel", parallel);
    struct frame start = {
        .type = FRAME_START,
        .start = {.tick_ns = S,
                  .report_ns = S,
                  .mono_ns = ZERO,
                  .metric_count = sizeof carried_metrics / sizeof carried_metrics[0]},
        .metrics = carried_metrics,
        .pairs = pairs.text,
        .pairs_size = pairs.size};
    carried_apply(&carried, &start);
    str_done(&pairs);
    return carried;
}

static inline void carried_pair(struct carried *carried, struct frame frame, const char *key,
                                const char *text)
{
    struct str pairs = {0};
    str_add_pair(&pairs, key, text);
    frame.pairs = pairs.text;
    frame.pairs_size = pairs.size;
    carried_apply(carried, &frame);
    str_done(&pairs);
}

static inline void carried_phase(struct carried *carried, const char *name, uint64_t second)
{
    carried_pair(carried, (struct frame){.type = FRAME_PHASE, .phase = {ZERO + second * S}}, "name",
                 name);
}

static inline void carried_event(struct carried *carried, const char *code, uint64_t second)
{
    carried_pair(carried, (struct frame){.type = FRAME_EVENT, .event = {ZERO + second * S}}, code,
                 "told");
}

static inline void carried_sample(struct carried *carried, unsigned metric, unsigned lane,
                                  uint64_t second, double value)
{
    struct frame frame = {.type = FRAME_SAMPLE,
                          .sample = {.metric = (uint16_t)metric,
                                     .lane = (uint16_t)lane,
                                     .t0_ns = ZERO + second * S,
                                     .t1_ns = ZERO + (second + 1) * S,
                                     .value = value}};
    carried_apply(carried, &frame);
}

static inline void carried_result(struct carried *carried, unsigned metric, unsigned lane,
                                  double value)
{
    struct frame frame = {
        .type = FRAME_RESULT,
        .result = {.metric = (uint16_t)metric, .lane = (uint16_t)lane, .value = value}};
    carried_apply(carried, &frame);
}

static inline void carried_end(struct carried *carried, uint64_t second)
{
    struct frame frame = {.type = FRAME_END};
    frame.end.state = RUN_DONE;
    frame.end.t_ns = ZERO + second * S;
    carried_pair(carried, frame, "sentence", "");
}

static inline void carried_done(struct carried *carried)
{
    carried->model = model_free(carried->model);
    carried->document = document_free(carried->document);
}

#endif
