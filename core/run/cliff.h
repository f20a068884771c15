/* cliff: finds where writing falls off for good: the fast cache of a card or stick is full. Fed
 * with what was written, sample by sample; keeps seconds, not samples, so that a night's run costs
 * as little as a minute. Pure. */
#ifndef RUN_CLIFF_H
#define RUN_CLIFF_H

#include <stdbool.h>
#include <stdint.h>

#define CLIFF_FIRST_S 10 /* seconds whose median is the rate before */
#define CLIFF_WINDOW_S 5 /* seconds over which the rate lies below */
#define CLIFF_SHARE 0.60 /* of the rate before */

struct cliff {
    uint64_t zero_ns;      /* t0 of the first amount; 0: none yet */
    uint64_t second;       /* number of the one being filled */
    double amount;         /* in it so far */
    double total, settled; /* bytes in all; in whole seconds */
    uint64_t seconds;      /* whole ones seen */
    double first[CLIFF_FIRST_S], last[CLIFF_WINDOW_S];
    double before_bps; /* median of the first seconds; 0: not yet known */
    bool has_drop, is_closed;
    double drop_bytes; /* written when it began */
    uint64_t drop_second;
};

struct cliff_found {
    double bytes;                 /* written until the drop */
    double before_bps, after_bps; /* median of the first seconds; mean from the drop on */
    double at_s;                  /* seconds from the first byte */
};

/* An amount written within [t0, t1]; times do not run backwards by more than a second. */
void cliff_push(struct cliff *cliff, uint64_t t0_ns, uint64_t t1_ns, double bytes);
/* Writing began anew, in another manner. A drop that was found stays. */
void cliff_restart(struct cliff *cliff);
/* True when there was a drop and the rate has not come back since. */
bool cliff_find(const struct cliff *cliff, struct cliff_found *ret_found);

#endif
