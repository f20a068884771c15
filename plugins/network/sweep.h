/* sweep: which rate to try next, to find the highest one that arrives. Pure. */
#ifndef NETWORK_SWEEP_H
#define NETWORK_SWEEP_H

#include <stdbool.h>
#include <stdint.h>

struct sweep { /* zero-initialised but for start_bps */
    uint64_t start_bps;
    uint64_t good_bps; /* the highest rate of which (nearly) nothing was lost; 0: none yet */
    uint64_t bad_bps;  /* the lowest of which something was; 0: none yet */
    unsigned steps;
};

/* The rate of the next step; false when the sweep is over: the two bounds are close, the sender
 * cannot go faster, or the steps are used up. */
bool sweep_next(const struct sweep *sweep, uint64_t *ret_bps);
/* What became of a step: the rate asked for, the rate it was really sent at, and the share lost. */
void sweep_take(struct sweep *sweep, uint64_t asked_bps, double sent_bps, double lost);

#endif
