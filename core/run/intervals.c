#include "run/intervals.h"

#include <errno.h>
#include <float.h>
#include <math.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/str.h"
#include "iodyno/plugin.h"

#define REQUESTS_MIN 4 /* in one interval; with fewer its rate is a matter of luck */
#define TICK_MIN_MS 100
#define TICK_MAX_MS 1000
#define REPORT_MAX_NS (3600 * NS_PER_S)

/* What one metric and lane has gathered since its last closed interval. */
struct gathered {
    bool is_open;
    bool is_joined; /* a border within it was passed over */
    uint32_t merged;
    uint64_t t0_ns, t1_ns;
    uint64_t border_ns; /* closes when t1 reaches it; 0: never opened */
    double value;
};

struct border_range { /* inclusive; to 0: empty */
    uint64_t from_ns, to_ns;
};

/* What the requests of a lane have said about the borders: all up to `decided_ns` are decided, and
 * those in the two newest ranges do not end an interval. Two, because the other metrics of a tick
 * may come after its requests. */
struct ruling {
    bool is_silent; /* a tick went by without requests: nobody waits for them */
    uint64_t decided_ns;
    struct border_range joined, joined_before;
};

struct track { /* one metric */
    unsigned kind;
    bool is_ruled; /* "written", "read": the requests of its lane decide on its borders */
    struct gathered *lanes;
    size_t lane_count;
};

struct intervals {
    uint64_t report_ns, zero_ns;
    interval_fn fn;
    void *user;
    struct track *tracks;
    size_t track_count;
    int requests; /* metric number, -1: none */
    struct ruling rulings[DYNO_LANE_MAX + 1];
};

enum answer { ANSWER_CLOSE, ANSWER_JOIN, ANSWER_WAIT };

struct intervals *intervals_new(const struct frame *start, interval_fn fn, void *user)
{
    struct intervals *intervals = mem_new(1, sizeof(*intervals));
    *intervals = (struct intervals){
        .report_ns = start->start.report_ns ? start->start.report_ns : NS_PER_S,
        .zero_ns = start->start.mono_ns,
        .fn = fn,
        .user = user,
        .track_count = start->start.metric_count,
        .requests = -1,
    };
    intervals->tracks = mem_new(intervals->track_count + 1, sizeof(*intervals->tracks));
    for (size_t i = 0; i < intervals->track_count; i++) {
        const struct frame_metric *metric = &start->metrics[i];
        struct track *track = &intervals->tracks[i];
        track->kind = metric->kind;
        if (metric->kind != DYNO_DELTA)
            continue;
        track->is_ruled = !strcmp(metric->key, "written") || !strcmp(metric->key, "read");
        if (intervals->requests < 0 && !strcmp(metric->key, "requests"))
            intervals->requests = (int)i;
    }
    return intervals;
}

struct intervals *intervals_free(struct intervals *intervals)
{
    if (intervals) {
        for (size_t i = 0; i < intervals->track_count; i++)
            free(intervals->tracks[i].lanes);
        free(intervals->tracks);
        free(intervals);
    }
    return NULL;
}

static uint64_t border_after(const struct intervals *intervals, uint64_t t_ns)
{
    uint64_t zero_ns = intervals->zero_ns, report_ns = intervals->report_ns;
    uint64_t whole = t_ns > zero_ns ? (t_ns - zero_ns) / report_ns : 0;
    if (whole >= (UINT64_MAX - zero_ns) / report_ns)
        return UINT64_MAX;
    return zero_ns + (whole + 1) * report_ns;
}

static struct gathered *find_lane(struct track *track, uint16_t lane)
{
    if (lane >= track->lane_count) {
        size_t count = (size_t)lane + 1;
        track->lanes = mem_grow(track->lanes, count, sizeof(*track->lanes));
        memset(track->lanes + track->lane_count, 0,
               (count - track->lane_count) * sizeof(*track->lanes));
        track->lane_count = count;
    }
    return &track->lanes[lane];
}

static bool range_has(const struct border_range *range, uint64_t border_ns)
{
    return range->to_ns && range->from_ns <= border_ns && border_ns <= range->to_ns;
}

/* One long sample may cross many borders; they are decided together. */
static enum answer rule_requests(struct intervals *intervals, struct ruling *ruling,
                                 const struct gathered *requests, uint64_t reached_ns)
{
    uint64_t first_ns = requests->border_ns;
    uint64_t last_ns = border_after(intervals, reached_ns) - intervals->report_ns;
    if (last_ns < first_ns)
        last_ns = first_ns;
    ruling->decided_ns = last_ns;
    if (!(requests->value > 0 && requests->value < REQUESTS_MIN))
        return ANSWER_CLOSE;
    if (!requests->is_joined || !ruling->joined.to_ns) {
        ruling->joined_before = ruling->joined;
        ruling->joined.from_ns = first_ns;
    }
    ruling->joined.to_ns = last_ns;
    return ANSWER_JOIN;
}

/* `is_late`: a tick beyond the border has begun, so a word from the requests would be overdue. */
static enum answer rule(struct intervals *intervals, size_t metric, uint16_t lane,
                        const struct gathered *gathered, uint64_t reached_ns, bool is_late)
{
    struct ruling *ruling = &intervals->rulings[lane];
    if ((int)metric == intervals->requests)
        return rule_requests(intervals, ruling, gathered, reached_ns);
    if (intervals->requests < 0 || !intervals->tracks[metric].is_ruled || ruling->is_silent)
        return ANSWER_CLOSE;
    uint64_t border_ns = gathered->border_ns;
    if (range_has(&ruling->joined, border_ns) || range_has(&ruling->joined_before, border_ns))
        return ANSWER_JOIN;
    if (border_ns <= ruling->decided_ns)
        return ANSWER_CLOSE;
    if (!is_late)
        return ANSWER_WAIT;
    ruling->is_silent = !ruling->decided_ns;
    return ANSWER_CLOSE;
}

/* Told by its length alone, so that an interval that comes back from a record, as one sample,
 * says the same. A tenth is more than the jitter of ticks. */
static bool is_widened(const struct intervals *intervals, size_t metric,
                       const struct gathered *gathered)
{
    uint64_t length_ns = gathered->t1_ns - gathered->t0_ns, report_ns = intervals->report_ns;
    return (intervals->tracks[metric].is_ruled || (int)metric == intervals->requests) &&
           length_ns > report_ns + report_ns / 10;
}

static void close_interval(struct intervals *intervals, size_t metric, uint16_t lane,
                           struct gathered *gathered)
{
    struct interval interval = {
        .metric = (uint16_t)metric,
        .lane = lane,
        .merged = gathered->merged,
        .t0_ns = gathered->t0_ns,
        .t1_ns = gathered->t1_ns,
        .value = gathered->value,
        .is_widened = is_widened(intervals, metric, gathered),
    };
    gathered->is_open = false;
    intervals->fn(intervals->user, &interval);
}

/* To the first border beyond the joined ones; false at the end of time. */
static bool pass_joined(const struct intervals *intervals, uint16_t lane, struct gathered *gathered)
{
    const struct ruling *ruling = &intervals->rulings[lane];
    const struct border_range *range = &ruling->joined;
    if (!range_has(range, gathered->border_ns))
        range = &ruling->joined_before;
    bool is_last = range->to_ns > UINT64_MAX - intervals->report_ns;
    gathered->border_ns = is_last ? UINT64_MAX : range->to_ns + intervals->report_ns;
    return !is_last;
}

static void settle(struct intervals *intervals, size_t metric, uint16_t lane, uint64_t reached_ns,
                   bool is_late)
{
    struct gathered *gathered = find_lane(&intervals->tracks[metric], lane);
    while (gathered->is_open && reached_ns >= gathered->border_ns) {
        switch (rule(intervals, metric, lane, gathered, reached_ns, is_late)) {
        case ANSWER_WAIT:
            return;
        case ANSWER_JOIN:
            gathered->is_joined = true;
            if (!pass_joined(intervals, lane, gathered))
                return;
            break;
        case ANSWER_CLOSE:
            close_interval(intervals, metric, lane, gathered);
            break;
        }
    }
}

static void settle_ruled(struct intervals *intervals, uint16_t lane)
{
    for (size_t i = 0; i < intervals->track_count; i++) {
        struct track *track = &intervals->tracks[i];
        if (track->is_ruled && lane < track->lane_count)
            settle(intervals, i, lane, track->lanes[lane].t1_ns, false);
    }
}

int intervals_push(struct intervals *intervals, const struct frame_sample *sample)
{
    size_t metric = sample->metric;
    uint16_t lane = sample->lane;
    if (metric >= intervals->track_count || lane > DYNO_LANE_MAX || sample->t1_ns <= sample->t0_ns)
        return -EINVAL;
    struct track *track = &intervals->tracks[metric];
    struct gathered *gathered = find_lane(track, lane);
    if (track->kind == DYNO_TOTAL || (gathered->border_ns && sample->t0_ns < gathered->t1_ns))
        return -EINVAL;

    settle(intervals, metric, lane, sample->t0_ns, true);
    if (!gathered->is_open)
        *gathered = (struct gathered){
            .is_open = true,
            .t0_ns = sample->t0_ns,
            .border_ns = border_after(intervals, sample->t0_ns),
        };
    gathered->t1_ns = sample->t1_ns;
    gathered->merged += sample->merged;
    double sum = gathered->value + sample->value;
    gathered->value =
        track->kind == DYNO_DELTA ? fmin(fmax(sum, -DBL_MAX), DBL_MAX) : sample->value;
    settle(intervals, metric, lane, sample->t1_ns, false);
    if ((int)metric == intervals->requests) {
        intervals->rulings[lane].is_silent = false;
        settle_ruled(intervals, lane);
    }
    return 0;
}

void intervals_finish(struct intervals *intervals)
{
    for (size_t i = 0; i < intervals->track_count; i++) {
        struct track *track = &intervals->tracks[i];
        for (size_t lane = 0; lane < track->lane_count; lane++) {
            if (track->lanes[lane].is_open)
                close_interval(intervals, i, (uint16_t)lane, &track->lanes[lane]);
        }
    }
}

int intervals_tick(uint64_t report_ns, uint64_t most_ns, uint64_t *ret_tick_ns)
{
    if (report_ns > REPORT_MAX_NS)
        return -EINVAL;
    for (uint64_t ms = TICK_MAX_MS; ms >= TICK_MIN_MS; ms--) {
        uint64_t tick_ns = ms * NS_PER_MS;
        if (tick_ns > most_ns || tick_ns > report_ns || report_ns % tick_ns)
            continue;
        *ret_tick_ns = tick_ns;
        return 0;
    }
    return -EINVAL;
}
