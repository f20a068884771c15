/* sampler: one thread that looks at a test's counters on an absolute grid of ticks.
 *
 * The test's own threads only publish counters (one relaxed store each step); the sampler calls
 * `tick` with the interval it really measured, every host tick, the last one shorter. It also
 * watches for the cancel, so that a test reads a plain flag instead of asking the host per step.
 * The thread starts with all signals blocked. Errors: negative errno.
 */
#ifndef COMMON_SAMPLER_H
#define COMMON_SAMPLER_H

#include <iodyno/plugin.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>

/* t1 > t0; t0 is the t1 of the tick before. Called from the sampler's thread only. */
typedef void sampler_tick(void *context, uint64_t t0_ns, uint64_t t1_ns);

#define SAMPLER_GLANCE_NS 100000000ull

struct sampler { /* embedded by its owner, zero-initialised; must not move while it runs */
    const struct dyno_host *host;
    struct dyno_run *run;
    sampler_tick *tick;
    void *context;
    uint64_t start_ns; /* the grid's origin: t0 of the first tick */
    /* Between ticks, at least every SAMPLER_GLANCE_NS; the owner sets it before start. NULL: none.
     */
    void (*glance)(void *context, uint64_t now_ns);
    pthread_t thread;
    int stop_fd;
    bool is_running;
    atomic_bool is_cancelled;
};

/* The first interval begins now: whatever `tick` compares with must have been read before. */
int sampler_start(struct sampler *sampler, const struct dyno_host *host, struct dyno_run *run,
                  sampler_tick *tick, void *context);

/* One last, shorter tick, then the thread is gone. Harmless when it was never started. */
void sampler_stop(struct sampler *sampler);

/* Becomes true at once when the run is cancelled, while the sampler runs. */
static inline bool sampler_cancelled(const struct sampler *sampler)
{
    return atomic_load_explicit(&sampler->is_cancelled, memory_order_relaxed);
}

/* The first point of the grid start + k * step that lies after `now`. Pure. */
uint64_t sampler_next(uint64_t start_ns, uint64_t step_ns, uint64_t now_ns);

#endif
