/* watch: the conductor's eyes. Looks at a crew's counters on two absolute grids: every 100 ms
 * (finer where less than a second is measured) for the statistics, every host tick for the live
 * samples, both counted from the beginning of the measurement.
 *
 * Lanes: of memory.bandwidth one per kernel, in the order of enum kernel, so that a screen draws a
 * bar per kernel from the lanes and the live series from the newest of them; both columns (one
 * thread, all threads) of a kernel follow each other on its lane, told apart by the phases. Of the
 * other tests lane 0, and lane 1 for the load of memory.latency.
 */
#ifndef MEMORY_WATCH_H
#define MEMORY_WATCH_H

#include "crew.h"
#include "spread.h"

#include <iodyno/plugin.h>

#define WATCH_STEP_NS 100000000ull
#define WATCH_STEP_LEAST_NS 25000000ull
#define WATCH_SAMPLES_WANTED 11u /* of a short measurement, the dropped one with them */

struct watch_mark { /* a grid's last point */
    uint64_t ns, moved;
};

struct watch { /* one per run */
    const struct dyno_host *host;
    struct dyno_run *run;
    uint64_t start_ns; /* of the run, for the progress */
    uint64_t tick_ns;
    uint64_t total_ns;             /* the run is expected to take; 0: no progress to tell */
    uint64_t planned_ns;           /* was asked for: progress is told as a part of it */
    void (*glance)(void *context); /* at each look; NULL: none */
    void (*tick)(void *context, uint64_t t0_ns, uint64_t t1_ns); /* with each live sample */
    void *context;
    struct watch_mark slow[CPUS_MAX]; /* of workers that tell when they moved what they moved */
};

struct watch_view { /* what some workers of a crew move */
    unsigned metric, lane;
    unsigned first, count; /* of the workers; count 0: all */
    bool is_silent;        /* no live samples */
    struct spread *spread; /* NULL: no statistics */
    bool has_gauge;        /* `gauge`: seconds for each gauge_bytes, live, same lane */
    unsigned gauge;
    double gauge_bytes;
    uint64_t bytes, ns;                /* ret: of the whole measurement */
    struct watch_mark ticked, stepped; /* the watch's own */
};

void watch_begin(struct watch *watch, const struct dyno_host *host, struct dyno_run *run,
                 uint64_t total_ns);
/* From now on at least `left_ns` will pass until the end: what is left is never told as less. */
void watch_expect(struct watch *watch, uint64_t left_ns);

struct watch_task {
    crew_duty *duty;
    void *context;
    uint64_t for_ns; /* 0: until it ends by itself or the run is cancelled */
};

/* Lets the crew begin the task, go on for its time, then stops it and waits for it. What is moved
 * before the first look counts too. The duty's error, or -ECANCELED. */
int watch_crew(struct watch *watch, struct crew *crew, const struct watch_task *task,
               struct watch_view *views, unsigned count);

/* The step of the statistics for a measurement of that length. Pure. */
uint64_t watch_step(uint64_t for_ns);

#endif
