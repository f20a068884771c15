/* streams: the report intervals of a network run as a table of one direction: a cell for each
 * stream and interval with what it moved and lost. Pure. */
#ifndef REPORT_STREAMS_H
#define REPORT_STREAMS_H

#include "iodyno/plugin.h"
#include "report/traffic.h"
#include "run/intervals.h"

/* One stream in one report interval. */
struct streams_cell {
    uint64_t interval, t0_ns, t1_ns;
    unsigned lane;
    bool is_omitted;
    double bytes, retransmits, cwnd, packets, lost, jitter;
};

struct streams { /* of one direction */
    const struct model *model;
    const struct traffic *traffic;
    enum traffic_way way;
    struct streams_cell *cells;
    size_t count;
    uint64_t omitted_ns, base_ns; /* second 0.00 of what is omitted, of the rest; 0: none */
    unsigned lanes[DYNO_LANE_MAX + 1], lane_count; /* not falling */
};

/* In turns, only what lies in the direction's own phase. `model` and `traffic` outlive it. */
void streams_gather(struct streams *streams, const struct model *model,
                    const struct traffic *traffic, enum traffic_way way,
                    const struct interval *intervals, size_t count);
void streams_done(struct streams *streams);
/* All intervals of a lane, of all lanes for -1, without those at the start that do not count. */
struct streams_cell streams_sum(const struct streams *streams, int lane);

#endif
