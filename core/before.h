/* before: what earlier runs of the same kind on the same device gave. Asks the store when a run
 * begins and tells the run as the fact `before`, without which no run ends: it holds the end of a
 * short one until the answer is there. Asynchronous on the loop. */
#ifndef CORE_BEFORE_H
#define CORE_BEFORE_H

#include <stdbool.h>

#include "loop/loop.h"
#include "run/runner.h"

#define BEFORE_LIMIT_NS (2ull * 1000000000) /* that a run waits at its end */
#define BEFORE_RUNS 5                       /* the newest; their median counts */

struct before;

/* Of a run that has started. NULL when nothing can be asked. It must be freed before the runner. */
struct before *before_ask(struct loop *loop, const char *database, struct runner *runner);
/* The run is ending: waits no longer than BEFORE_LIMIT_NS for the answer. */
void before_hurry(struct before *before);
struct before *before_free(struct before *before); /* accepts NULL, returns NULL */

/* The middle of `count` numbers, which are put in order. Pure. */
double before_median(double *rates, size_t count);

/* Is the stored run (a row of the store) one of the same unit? Asked for by identity, which units
 * of a USB disk's model may share: a person's label parts those. Pure. */
bool before_is_same_unit(const char *kind, const char *label, const struct frame *row);

#endif
