#include "store/pack.h"

#include <errno.h>
#include <math.h>
#include <string.h>

#include "base/cleanup.h"
#include "store/varint.h"

enum sample_flag {
    FOLLOWS = 1,   /* t0 is the t1 of the sample before */
    SAME_SPAN = 2, /* lasts as long as the one before */
    VALUE = 12,    /* two bits: how the value is written */
    MERGED = 16,
    FLAGGED = 32,
    SAMPLE_FLAGS = 63
};
enum value_form {
    VALUE_SAME = 0,
    VALUE_INTEGER = 4,
    VALUE_CHANGE = 8, /* of an integral value after an integral value */
    VALUE_DOUBLE = 12
};

#define INTEGRAL_MAX 9007199254740992.0 /* 2^53: beyond, doubles skip integers */
#define SYMBOL_OTHER 0u                 /* symbol n is series n - 1 */

void pack_done(struct pack *pack)
{
    for (size_t i = 0; i < pack->count; i++)
        str_done(&pack->series[i].blob);
    free(pack->series);
    str_done(&pack->order);
    *pack = (struct pack){0};
}

static struct pack_series *series_new_in(struct pack *pack, uint16_t metric, uint16_t lane)
{
    if (pack->count == pack->capacity) {
        pack->capacity = pack->capacity ? pack->capacity * 2 : 16;
        pack->series = mem_grow(pack->series, pack->capacity, sizeof(*pack->series));
    }
    struct pack_series *series = &pack->series[pack->count++];
    *series = (struct pack_series){.metric = metric, .lane = lane};
    return series;
}

/* The predicted series first: it is the right one nearly always, whatever their number. */
static uint32_t *follower_of(struct pack *pack, uint32_t symbol)
{
    return symbol == SYMBOL_OTHER ? &pack->after_other : &pack->series[symbol - 1].next;
}

static bool is_series(const struct pack *pack, uint32_t symbol, const struct frame_sample *sample)
{
    if (symbol == SYMBOL_OTHER || symbol > pack->count)
        return false;
    const struct pack_series *series = &pack->series[symbol - 1];
    return series->metric == sample->metric && series->lane == sample->lane;
}

static int find_symbol(struct pack *pack, const struct frame_sample *sample, uint32_t *ret_symbol)
{
    uint32_t symbol = *follower_of(pack, pack->last);
    if (!is_series(pack, symbol, sample)) {
        symbol = 1;
        while (symbol <= pack->count && !is_series(pack, symbol, sample))
            symbol++;
    }
    if (symbol > pack->count) {
        if (pack->count == PACK_SERIES_MAX)
            return -E2BIG;
        (void)series_new_in(pack, sample->metric, sample->lane);
    }
    *ret_symbol = symbol;
    return 0;
}

static void order_add(struct pack *pack, uint32_t symbol)
{
    uint32_t *follower = follower_of(pack, pack->last);
    if (*follower == symbol) {
        pack->run++;
    } else {
        varint_add(&pack->order, pack->run);
        varint_add(&pack->order, symbol);
        pack->run = 0;
        *follower = symbol;
    }
    pack->last = symbol;
}

static bool is_integral(double value)
{
    return fabs(value) < INTEGRAL_MAX && value == trunc(value) && !(value == 0 && signbit(value));
}

static bool is_same(double a, double b)
{
    return memcmp(&a, &b, sizeof(a)) == 0;
}

static size_t put_value(uint8_t *into, double value, double before, uint8_t *flags)
{
    if (is_same(value, before)) {
        *flags |= VALUE_SAME;
        return 0;
    }
    if (!is_integral(value)) {
        *flags |= VALUE_DOUBLE;
        memcpy(into, &value, sizeof(value));
        return sizeof(value);
    }
    uint64_t number = (uint64_t)(int64_t)value;
    size_t size = varint_put(into, varint_zigzag(number));
    if (is_integral(before)) {
        uint8_t change[VARINT_MAX];
        size_t change_size = varint_put(change, varint_zigzag(number - (uint64_t)(int64_t)before));
        if (change_size < size) {
            *flags |= VALUE_CHANGE;
            memcpy(into, change, change_size);
            return change_size;
        }
    }
    *flags |= VALUE_INTEGER;
    return size;
}

static void sample_add(struct pack_series *series, const struct frame *frame)
{
    const struct frame_sample *sample = &frame->sample;
    uint64_t span_ns = sample->t1_ns - sample->t0_ns;
    uint8_t bytes[1 + 5 * VARINT_MAX] = {0};
    size_t size = 1;

    if (sample->t0_ns == series->last_t1_ns)
        bytes[0] |= FOLLOWS;
    else
        size += varint_put(bytes + size, varint_zigzag(sample->t0_ns - series->last_t1_ns));
    if (span_ns == series->last_span_ns)
        bytes[0] |= SAME_SPAN;
    else
        size += varint_put(bytes + size, varint_zigzag(span_ns - series->last_span_ns));
    size += put_value(bytes + size, sample->value, series->last_value, &bytes[0]);
    if (sample->merged) {
        bytes[0] |= MERGED;
        size += varint_put(bytes + size, sample->merged);
    }
    if (frame->flags) {
        bytes[0] |= FLAGGED;
        size += varint_put(bytes + size, frame->flags);
    }
    str_add_bytes(&series->blob, bytes, size);
    series->samples++;
    series->last_t1_ns = sample->t1_ns;
    series->last_span_ns = span_ns;
    series->last_value = sample->value;
}

int pack_add(struct pack *pack, const struct frame *frame)
{
    uint32_t symbol = SYMBOL_OTHER;
    if (frame->type == FRAME_SAMPLE) {
        int r = find_symbol(pack, &frame->sample, &symbol);
        if (r < 0)
            return r;
        sample_add(&pack->series[symbol - 1], frame);
        pack->samples++;
    }
    order_add(pack, symbol);
    return 0;
}

void pack_finish(struct pack *pack)
{
    if (pack->run > 0)
        varint_add(&pack->order, pack->run);
    pack->run = 0;
}

int pack_add_series(struct pack *pack, uint16_t metric, uint16_t lane, const void *blob,
                    size_t size)
{
    if (pack->count == PACK_SERIES_MAX)
        return -E2BIG;
    str_add_bytes(&series_new_in(pack, metric, lane)->blob, blob, size);
    return 0;
}

static int get_value(struct pack_series *series, uint8_t flags, double *ret_value)
{
    uint64_t coded = 0;
    switch ((enum value_form)(flags & VALUE)) {
    case VALUE_SAME:
        *ret_value = series->last_value;
        return 0;
    case VALUE_DOUBLE:
        if (series->blob.size - series->at < sizeof(*ret_value))
            return -EPROTO;
        memcpy(ret_value, series->blob.text + series->at, sizeof(*ret_value));
        series->at += sizeof(*ret_value);
        return isfinite(*ret_value) ? 0 : -EPROTO;
    case VALUE_CHANGE:
        if (!is_integral(series->last_value))
            return -EPROTO;
        break;
    case VALUE_INTEGER:
        break;
    }
    if (varint_get(series->blob.text, series->blob.size, &series->at, &coded) < 0)
        return -EPROTO;
    uint64_t number = varint_unzigzag(coded);
    if ((flags & VALUE) == VALUE_CHANGE)
        number += (uint64_t)(int64_t)series->last_value;
    *ret_value = (double)(int64_t)number;
    return is_integral(*ret_value) ? 0 : -EPROTO;
}

/* Reads a number when `flag` is set in this way, else takes `otherwise`. */
static int get_unless(struct pack_series *series, bool is_implied, uint64_t otherwise,
                      uint64_t *ret_value)
{
    *ret_value = otherwise;
    if (is_implied)
        return 0;
    return varint_get(series->blob.text, series->blob.size, &series->at, ret_value);
}

static int sample_next(struct pack_series *series, struct frame *ret_frame)
{
    if (series->at >= series->blob.size)
        return -EPROTO;
    uint8_t flags = (uint8_t)series->blob.text[series->at++];
    uint64_t gap = 0, growth = 0, merged = 0, frame_flags = 0;
    double value = 0;
    if (flags & ~SAMPLE_FLAGS || get_unless(series, flags & FOLLOWS, 0, &gap) < 0 ||
        get_unless(series, flags & SAME_SPAN, 0, &growth) < 0 ||
        get_value(series, flags, &value) < 0 ||
        get_unless(series, !(flags & MERGED), 0, &merged) < 0 ||
        get_unless(series, !(flags & FLAGGED), 0, &frame_flags) < 0)
        return -EPROTO;

    uint64_t t0_ns = series->last_t1_ns + varint_unzigzag(gap);
    uint64_t span_ns = series->last_span_ns + varint_unzigzag(growth);
    if (span_ns == 0 || t0_ns + span_ns < t0_ns || merged > UINT32_MAX || frame_flags > UINT16_MAX)
        return -EPROTO;
    *ret_frame = (struct frame){.type = FRAME_SAMPLE, .flags = (uint16_t)frame_flags};
    ret_frame->sample = (struct frame_sample){.metric = series->metric,
                                              .lane = series->lane,
                                              .merged = (uint32_t)merged,
                                              .t0_ns = t0_ns,
                                              .t1_ns = t0_ns + span_ns,
                                              .value = value};
    series->samples++;
    series->last_t1_ns = t0_ns + span_ns;
    series->last_span_ns = span_ns;
    series->last_value = value;
    return 0;
}

/* 1: *ret_symbol, 0: the order is over, -EPROTO. */
static int order_next(struct pack *pack, uint32_t *ret_symbol)
{
    uint64_t symbol = 0;
    while (pack->run == 0) {
        if (pack->is_at_exception) {
            if (varint_get(pack->order.text, pack->order.size, &pack->at, &symbol) < 0 ||
                symbol > pack->count)
                return -EPROTO;
            pack->is_at_exception = 0;
            *follower_of(pack, pack->last) = (uint32_t)symbol;
            pack->last = *ret_symbol = (uint32_t)symbol;
            return 1;
        }
        if (pack->at == pack->order.size)
            return 0;
        if (varint_get(pack->order.text, pack->order.size, &pack->at, &pack->run) < 0)
            return -EPROTO;
        pack->is_at_exception = pack->at < pack->order.size;
        if (pack->run == 0 && !pack->is_at_exception)
            return -EPROTO;
    }
    pack->run--;
    pack->last = *ret_symbol = *follower_of(pack, pack->last);
    return 1;
}

static int end_whole(const struct pack *pack)
{
    for (size_t i = 0; i < pack->count; i++)
        if (pack->series[i].at != pack->series[i].blob.size)
            return -EPROTO;
    return PACK_END;
}

int pack_next(struct pack *pack, struct frame *ret_frame)
{
    uint32_t symbol = SYMBOL_OTHER;
    int r = order_next(pack, &symbol);
    if (r < 0)
        return r;
    if (r == 0)
        return end_whole(pack);
    if (symbol == SYMBOL_OTHER)
        return PACK_OTHER;
    r = sample_next(&pack->series[symbol - 1], ret_frame);
    if (r < 0)
        return r;
    pack->samples++;
    return PACK_SAMPLE;
}
