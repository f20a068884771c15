/* report: the facts and results of a storage run, said the same way by every method. */
#ifndef STORAGE_REPORT_H
#define STORAGE_REPORT_H

#include "direct.h"
#include "fault.h"
#include "job.h"
#include "lap.h"
#include "latency.h"
#include "stream.h"

struct report {
    const struct dyno_host *host;
    struct dyno_run *run;
    const struct job *job;
};

/* The fact file-system, which tells RAM, a network or another program from a disk. */
void report_place(const struct report *report);
/* Before the clock: engine, method, by-hand, flush. */
void report_plan(const struct report *report, bool is_write);

/* The fact `split`, where the data takes several files; report_plan tells it too. */
void report_split(const struct report *report);

/* stalls_count of a loop without clocks, as the sampler saw it, and the longest one. */
void report_watched_stalls(const struct report *report, const struct meter *meter);
/* stalls_count and all latencies; nothing when no request was made. */
void report_latency(const struct report *report, const struct latency *latency);

/* What of the CPU the timed part took; nothing of one that is too short. After meter_stop. */
void report_cpu(const struct report *report, const struct lap *lap, const struct meter *meter);

/* Removes what interrupted runs left in the folder, and says so in the log. */
void report_sweep(const struct report *report);

/* Rate, times, dd's line and time's. `real_ns`: with open and sync. `is_real`: the headline is over
 * the real time instead of dd's own. */
void report_times(const struct report *report, uint64_t bytes, const struct lap *dd,
                  const struct lap *real, uint64_t open_ns, bool is_real);

/* Facts o_direct and o_direct-why, for methods that ask for it. */
void report_direct(const struct report *report, const struct parts *parts,
                   const struct stream *stream, int alignment, bool is_write);

/* The sentence of an error; returns what run() returns. -ECANCELED passes without a sentence. */
int report_fault(const struct report *report, const char *doing, int error, uint64_t done,
                 uint64_t total, struct leafstat *leaf);

/* "12 %" of part in whole, and a fact made of it. */
void report_share(const struct report *report, const char *key, uint64_t part, uint64_t whole,
                  const char *of_what);

#endif
