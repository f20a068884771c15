/* witness: a thread of the worker that looks once a second at what may explain a run: how warm the
 * board is, how fast its CPU may run, what the kernel writes about the tested disk. A sensor that
 * hangs hangs this thread alone. */
#ifndef WORKER_WITNESS_H
#define WORKER_WITNESS_H

#include <stdbool.h>
#include <stdint.h>

#include "worker/outlet.h"

/* Host metrics it samples, from plan.first_metric on, in this order. */
enum { WITNESS_TEMPERATURE, WITNESS_CLOCK, WITNESS_LIMIT, WITNESS_MEMORY, WITNESS_METRICS };

#define WITNESS_NAMES 8     /* disks and hosts whose lines are looked for */
#define WITNESS_LINES 32    /* of the kernel that become events; further ones are counted */
#define WITNESS_STOP_MS 300 /* the end of a run waits no longer for a sensor */

struct witness_plan {
    struct outlet *outlet;
    const char *root;      /* "" */
    int kmsg_fd;           /* /dev/kmsg at its end, non-blocking; -1: not permitted; not owned */
    unsigned first_metric; /* lane 0 */
    uint64_t interval_ns;
    bool with_memory;                 /* also the clock of the memory */
    const char *names[WITNESS_NAMES]; /* NULL-ended when fewer */
};

struct witness;

/* The log of the kernel from now on; -1 when it may not be read. The caller closes. */
int witness_open_kmsg(void);

/* The plan's texts outlive it. 0 or negative errno: then the run goes on without. */
int witness_start(const struct witness_plan *plan, struct witness **ret_witness);
/* Looks a last time and ends the thread, unless it hangs: then it is left behind, mute. Returns
 * NULL. Accepts NULL. */
struct witness *witness_stop(struct witness *witness);

#endif
