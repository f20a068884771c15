/* rig: a file, an engine and the counters around them, as all tests with a queue use them.
 *
 * Order: rig_begin, then a file (rig_create, or one of the reads' in queued.c), perhaps
 * rig_lay_out, then rig_go as often as wanted, rig_end. Every error has been explained to the host
 * when it comes back, unless it is -ECANCELED. */
#ifndef STORAGE_RIG_H
#define STORAGE_RIG_H

#include "lap.h"
#include "queue.h"
#include "report.h"

struct rig { /* zero-initialised */
    struct report report;
    struct job job;
    struct parts file;
    struct pattern source; /* of writes */
    struct meter meter;
    enum engine engine;
    /* Of the last rig_go. */
    struct latency latency;
    struct lap lap;
    uint64_t bytes, sync_ns;
};

/* What one rig_go does; all else is the job's. */
struct rig_load {
    const char *phase;
    size_t bs;
    unsigned depth;
    bool is_random;
    unsigned write_percent;
    uint64_t limit_bytes; /* 0: until the time */
    uint64_t time_ns;     /* 0: until the limit */
    bool has_progress;    /* of limit_bytes */
};

/* `job` has been parsed: opens the counters. */
void rig_begin(struct rig *rig, const struct dyno_host *host, struct dyno_run *run);
void rig_end(struct rig *rig); /* removes what is not kept */

/* A fresh file, O_DIRECT where it can be, and the engine for it. */
int rig_create(struct rig *rig);
/* The engine for an open file; facts `engine` and, where it is not the best one, `engine-why`. */
int rig_choose_engine(struct rig *rig);
/* Phase `prepare`: the whole file is written and flushed, counted as METRIC_PREPARED, and put out
 * of RAM. A random request to a hole, or beyond the end, would measure the file system. */
int rig_lay_out(struct rig *rig);

/* One load; writes are flushed within the time, in a phase `fsync` of their own when the load has
 * a name. 0 and -ECANCELED leave bytes, lap, latency filled. */
int rig_go(struct rig *rig, const struct rig_load *load);

/* bytes / time of the last load; 0 when it took none. */
double rig_rate(const struct rig *rig);
double rig_iops(const struct rig *rig);

/* Facts o_direct, o_direct-why for a file that was laid out or given: rig->file, mostly. */
void rig_report_direct(struct rig *rig, struct parts *file, bool is_write);

#endif
