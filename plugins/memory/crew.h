/* crew: threads that measure, each pinned to its CPU, each with an area of its own.
 *
 * The conductor (one thread, not of the crew) gives all of them the same duty; they begin it
 * together and publish how many bytes they moved. They read no clock. Owned by who makes it.
 * Errors: negative errno.
 */
#ifndef MEMORY_CREW_H
#define MEMORY_CREW_H

#include "area.h"
#include "cpus.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#define CREW_BLOCK (256u << 10) /* bytes between two looks at the stop flag */

#define WORKER_WRITES 1u

struct crew;

struct worker {
    /* Alone on their cache lines: what is written while others read it. */
    _Alignas(128) atomic_uint_least64_t moved;
    /* When, for a duty whose steps take so long that a clock is nothing beside them; else 0.
     * WORKER_WRITES while the two do not belong together. */
    atomic_uint_least64_t moved_ns;
    _Alignas(128) struct crew *crew;
    unsigned index; /* 0.. within the crew */
    unsigned cpu;
    struct area area;
    pthread_t thread;
    int error;         /* of its last duty */
    uint64_t switches; /* involuntary, during its last duty */
};

/* 0 or negative errno. Must look at crew->stop often, but for what ends by itself. */
typedef int crew_duty(struct worker *worker, void *context);

struct crew {
    struct worker *workers;
    unsigned count;
    atomic_bool stop;
    pthread_mutex_t lock;
    pthread_cond_t changed;
    pthread_barrier_t together;
    uint64_t turn; /* number of the newest duty */
    unsigned busy; /* workers not yet done with it */
    crew_duty *duty;
    void *context;
    unsigned started; /* threads that exist */
    bool is_leaving;
    bool has_barrier;
    int idle_fd; /* readable once all have done their duty: for who waits for more than that */
};

/* `count` threads on the first CPUs of `cpus`. -EPERM and the like when one cannot be pinned. */
int crew_new(const struct cpus *cpus, unsigned count, struct crew **ret_crew);
struct crew *crew_free(struct crew *crew); /* drops the areas too; NULL */

/* All begin the duty together; their counters are 0 before. */
void crew_begin(struct crew *crew, crew_duty *duty, void *context);
/* Waits until the last one has done; the first error, or 0. Stop first what does not end itself. */
int crew_end(struct crew *crew);
static inline void crew_stop(struct crew *crew)
{
    atomic_store_explicit(&crew->stop, true, memory_order_relaxed);
}

/* Begin and end of a duty that ends by itself. */
int crew_do(struct crew *crew, crew_duty *duty, void *context);

/* All bytes moved since the duty began. */
uint64_t crew_moved(const struct crew *crew);
uint64_t crew_switches(const struct crew *crew);

static inline bool worker_stops(const struct worker *worker)
{
    return atomic_load_explicit(&worker->crew->stop, memory_order_relaxed);
}

static inline void worker_publish(struct worker *worker, uint64_t moved)
{
    atomic_store_explicit(&worker->moved, moved, memory_order_relaxed);
}

#endif
