/* bandwidth: metric numbers of memory.bandwidth, for its tables and its parts. */
#ifndef MEMORY_BANDWIDTH_H
#define MEMORY_BANDWIDTH_H

#include <iodyno/plugin.h>

enum {
    BANDWIDTH_MOVED,     /* DELTA, lane = kernel */
    BANDWIDTH_PUBLISHED, /* DELTA, lane = published operation: rd, wr … */
    BANDWIDTH_RATE,      /* headline: read */
    BANDWIDTH_WRITE,
    BANDWIDTH_WRITE_NT,
    BANDWIDTH_COPY,
    BANDWIDTH_TRIAD,
    BANDWIDTH_P5, /* of the headline */
    BANDWIDTH_P95,
    BANDWIDTH_BEST,
    BANDWIDTH_SAMPLES,
    BANDWIDTH_SWITCHES, /* of the whole run */
    BANDWIDTH_SHARE,    /* headline / peak */
    BANDWIDTH_WRITE_SHARE,
    BANDWIDTH_PEAK,
    BANDWIDTH_RD,
    BANDWIDTH_WR,
    BANDWIDTH_ONE, /* by lane, one thread: COLUMN_* from here */
    BANDWIDTH_ALL = BANDWIDTH_ONE + 7,
    BANDWIDTH_TAKEN = BANDWIDTH_ALL + 7, /* DELTA: memory taken before */
    BANDWIDTH_METRICS
};

enum { /* of a column, by lane */
       COLUMN_MEDIAN,
       COLUMN_P5,
       COLUMN_P95,
       COLUMN_BEST,
       COLUMN_MEAN, /* all bytes / all seconds, the settling included */
       COLUMN_SAMPLES,
       COLUMN_SWITCHES,
       COLUMN_FIGURES
};

int memory_bandwidth(const struct dyno_host *host, struct dyno_run *run);
int memory_published(const struct dyno_host *host, struct dyno_run *run); /* method=bw_mem */

#endif
