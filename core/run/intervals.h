/* intervals: adds ticks up to report intervals, per metric and lane. Pure; each amount is handed
 * out exactly once, so the intervals of a DELTA metric sum to its total. */
#ifndef RUN_INTERVALS_H
#define RUN_INTERVALS_H

#include <stdbool.h>
#include <stdint.h>

#include "wire/frame.h"

struct intervals;

struct interval {
    uint16_t metric, lane;
    uint32_t merged; /* samples that the line could not take one by one */
    uint64_t t0_ns, t1_ns;
    double value;    /* DELTA: sum; GAUGE: last */
    bool is_widened; /* joined with the next ones for want of requests, or merged */
};
typedef void (*interval_fn)(void *user, const struct interval *interval);

/* From the start frame: report interval, zero, metrics (a metric with key "requests" rules the
 * widening of "written" and "read" of its lane). */
struct intervals *intervals_new(const struct frame *start, interval_fn fn, void *user);
struct intervals *intervals_free(struct intervals *intervals);
int intervals_push(struct intervals *intervals, const struct frame_sample *sample);
void intervals_finish(struct intervals *intervals); /* hands out the last, shorter ones */

/* The tick for a report interval: the largest of 100…1000 ms that divides it and is at most
 * `most_ns`. -EINVAL when there is none. */
int intervals_tick(uint64_t report_ns, uint64_t most_ns, uint64_t *ret_tick_ns);

#endif
