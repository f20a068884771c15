/* frames: what a run told, put into a model frame by frame. */
#ifndef TEST_DIAGNOSE_FRAMES_H
#define TEST_DIAGNOSE_FRAMES_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/cleanup.h"
#include "base/str.h"
#include "run/model.h"
#include "wire/frame.h"

#define S 1000000000ull

struct pair {
    const char *key, *value;
};

static inline void apply(struct model *model, struct frame *frame, const struct str *pairs)
{
    if (pairs) {
        frame->pairs = pairs->text;
        frame->pairs_size = pairs->size;
    }
    assert_int_equal(model_apply(model, frame), 0);
}

static inline void tell(struct model *model, const struct pair *pairs, unsigned type)
{
    for (; pairs->key; pairs++) {
        AUTO(str_done) struct str pair = {0};
        struct frame frame = {.type = (uint16_t)type};
        str_add_pair(&pair, pairs->key, pairs->value);
        apply(model, &frame, &pair);
    }
}

static inline void add_sample(struct model *model, unsigned metric, uint64_t second, double value)
{
    struct frame frame = {.type = FRAME_SAMPLE,
                          .sample = {.metric = (uint16_t)metric,
                                     .t0_ns = (1 + second) * S,
                                     .t1_ns = (2 + second) * S,
                                     .value = value}};
    apply(model, &frame, NULL);
}

/* Two readings, a second apart; 0: none. */
static inline void add_gauge(struct model *model, unsigned metric, const double values[2])
{
    for (unsigned k = 0; k < 2 && values[k] > 0; k++)
        add_sample(model, metric, k, values[k]);
}

#endif
