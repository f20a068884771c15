/* told: a model made from frames as a plugin of memory tells them. */
#ifndef TEST_TOLD_H
#define TEST_TOLD_H

#include "base/str.h"
#include "iodyno/plugin.h"
#include "run/model.h"

#define S 1000000000ull
#define ZERO (100 * S)

static inline void told_apply(struct model *model, const struct frame *frame)
{
    assert_int_equal(model_apply(model, frame), 0);
}

static inline struct model *told_start(const char *test, const struct frame_metric *metrics,
                                       unsigned count)
{
    struct model *model = model_new();
    struct str pairs = {0};
    str_add_pair(&pairs, "test", test);
    str_add_pair(&pairs, "target.kind", "mem");
    str_add_pair(&pairs, "target.id", "dram");
    struct frame start = {
        .type = FRAME_START,
        .start = {.tick_ns = S, .report_ns = S, .mono_ns = ZERO, .metric_count = count},
        .metrics = metrics,
        .pairs = pairs.text,
        .pairs_size = pairs.size};
    told_apply(model, &start);
    str_done(&pairs);
    return model;
}

static inline void told_pair(struct model *model, struct frame frame, const char *key,
                             const char *text)
{
    struct str pairs = {0};
    str_add_pair(&pairs, key, text);
    frame.pairs = pairs.text;
    frame.pairs_size = pairs.size;
    told_apply(model, &frame);
    str_done(&pairs);
}

static inline void told_fact(struct model *model, const char *key, const char *text)
{
    told_pair(model, (struct frame){.type = FRAME_FACT}, key, text);
}

static inline void told_phase(struct model *model, const char *name, uint64_t second)
{
    told_pair(model, (struct frame){.type = FRAME_PHASE, .phase = {ZERO + second * S}}, "name",
              name);
}

static inline void told_event(struct model *model, const char *code, const char *text,
                              uint64_t second)
{
    told_pair(model, (struct frame){.type = FRAME_EVENT, .event = {ZERO + second * S}}, code, text);
}

static inline void told_sample(struct model *model, unsigned metric, unsigned lane, uint64_t second,
                               double value)
{
    struct frame frame = {.type = FRAME_SAMPLE,
                          .sample = {.metric = (uint16_t)metric,
                                     .lane = (uint16_t)lane,
                                     .t0_ns = ZERO + second * S,
                                     .t1_ns = ZERO + (second + 1) * S,
                                     .value = value}};
    told_apply(model, &frame);
}

static inline void told_result(struct model *model, unsigned metric, unsigned lane, double value)
{
    struct frame frame = {
        .type = FRAME_RESULT,
        .result = {.metric = (uint16_t)metric, .lane = (uint16_t)lane, .value = value}};
    told_apply(model, &frame);
}

static inline void told_end(struct model *model, unsigned state, uint64_t second)
{
    struct frame frame = {.type = FRAME_END};
    frame.end.state = state;
    frame.end.t_ns = ZERO + second * S;
    told_pair(model, frame, "sentence", "");
}

#endif
