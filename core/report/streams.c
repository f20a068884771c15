#include "report/streams.h"

#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/str.h"

static bool is_omitted(const struct model *model, uint64_t t_ns)
{
    for (size_t i = 0; i < model->phase_count; i++) {
        const struct model_phase *phase = &model->phases[i];
        if (strcmp(phase->name, "omit") == 0 && t_ns >= phase->t0_ns &&
            (phase->t1_ns == 0 || t_ns < phase->t1_ns))
            return true;
    }
    return false;
}

static uint64_t number_of(const struct model *model, uint64_t t_ns)
{
    return t_ns > model->zero_ns ? (t_ns - model->zero_ns) / model->report_ns : 0;
}

static int compare_cells(const void *a, const void *b)
{
    const struct streams_cell *left = a, *right = b;
    if (left->interval != right->interval)
        return left->interval < right->interval ? -1 : 1;
    return (left->lane > right->lane) - (left->lane < right->lane);
}

static void take_moved(struct streams *streams, const struct interval *interval)
{
    struct streams_cell made = {.interval = number_of(streams->model, interval->t0_ns),
                                .t0_ns = interval->t0_ns,
                                .t1_ns = interval->t1_ns,
                                .lane = interval->lane,
                                .is_omitted = is_omitted(streams->model, interval->t0_ns),
                                .bytes = interval->value};
    uint64_t *base_ns = made.is_omitted ? &streams->omitted_ns : &streams->base_ns;
    if (*base_ns == 0 || made.t0_ns < *base_ns)
        *base_ns = made.t0_ns;
    streams->cells[streams->count++] = made;
}

static void take_other(struct streams *streams, const struct interval *interval, size_t offset)
{
    const struct streams_cell key = {.interval = number_of(streams->model, interval->t0_ns),
                                     .lane = interval->lane};
    struct streams_cell *cell =
        bsearch(&key, streams->cells, streams->count, sizeof *streams->cells, compare_cells);
    if (cell)
        memcpy((char *)cell + offset, &interval->value, sizeof interval->value);
}

/* In turns each direction has the samples of its own phase. */
static bool is_in_time(const struct streams *streams, const struct interval *interval)
{
    const struct model *model = streams->model;
    const char *other = traffic_way(streams->way == TRAFFIC_OUT ? TRAFFIC_IN : TRAFFIC_OUT);
    for (size_t i = 0; streams->traffic->is_in_turns && i < model->phase_count; i++) {
        const struct model_phase *phase = &model->phases[i];
        uint64_t end_ns = phase->t1_ns ? phase->t1_ns : model->now_ns;
        if (strcmp(phase->name, other) == 0 && interval->t0_ns >= phase->t0_ns &&
            interval->t0_ns < end_ns)
            return false;
    }
    return true;
}

static void gather_lanes(struct streams *streams)
{
    bool has[DYNO_LANE_MAX + 1] = {false};
    for (size_t i = 0; i < streams->count; i++)
        has[streams->cells[i].lane] = true;
    for (unsigned lane = 0; lane <= DYNO_LANE_MAX; lane++)
        if (has[lane])
            streams->lanes[streams->lane_count++] = lane;
}

void streams_gather(struct streams *streams, const struct model *model,
                    const struct traffic *traffic, enum traffic_way way,
                    const struct interval *intervals, size_t count)
{
    static const struct {
        const char *key;
        size_t offset;
    } others[] = {{"retransmits", offsetof(struct streams_cell, retransmits)},
                  {"cwnd", offsetof(struct streams_cell, cwnd)},
                  {"packets", offsetof(struct streams_cell, packets)},
                  {"lost", offsetof(struct streams_cell, lost)},
                  {"jitter", offsetof(struct streams_cell, jitter)}};
    *streams = (struct streams){.model = model, .traffic = traffic, .way = way};
    int moved = traffic->moved[way];
    streams->cells = mem_new(count + 1, sizeof *streams->cells);
    for (size_t i = 0; i < count; i++)
        if (intervals[i].metric == moved && intervals[i].lane <= DYNO_LANE_MAX &&
            is_in_time(streams, &intervals[i]))
            take_moved(streams, &intervals[i]);
    qsort(streams->cells, streams->count, sizeof *streams->cells, compare_cells);
    for (size_t k = 0; k < ARRAY_SIZE(others); k++) {
        int metric = model_metric(streams->model, others[k].key);
        for (size_t i = 0; metric >= 0 && i < count; i++)
            if (intervals[i].metric == metric)
                take_other(streams, &intervals[i], others[k].offset);
    }
    gather_lanes(streams);
}

void streams_done(struct streams *streams)
{
    free(streams->cells);
    *streams = (struct streams){0};
}

struct streams_cell streams_sum(const struct streams *streams, int lane)
{
    struct streams_cell sum = {.t0_ns = UINT64_MAX};
    unsigned count = 0;
    for (size_t i = 0; i < streams->count; i++) {
        const struct streams_cell *cell = &streams->cells[i];
        if (cell->is_omitted || (lane >= 0 && cell->lane != (unsigned)lane))
            continue;
        sum.t0_ns = cell->t0_ns < sum.t0_ns ? cell->t0_ns : sum.t0_ns;
        sum.t1_ns = cell->t1_ns > sum.t1_ns ? cell->t1_ns : sum.t1_ns;
        sum.bytes += cell->bytes;
        sum.retransmits += cell->retransmits;
        sum.packets += cell->packets;
        sum.lost += cell->lost;
        sum.jitter = cell->jitter; /* a running mean: the last one */
        count++;
    }
    if (count == 0)
        sum.t0_ns = sum.t1_ns = streams->base_ns;
    return sum;
}
