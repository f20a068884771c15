/* lull: the worst report interval of a run, and how many had no data at all. Fed with amounts, lane
 * by lane; only the newest intervals are open, so that a night's run costs as little as a minute.
 * Pure. */
#ifndef RUN_LULL_H
#define RUN_LULL_H

#include <stdbool.h>
#include <stdint.h>

#define LULL_OPEN 8      /* intervals that late lanes may still add to */
#define LULL_SHARE 0.9   /* of an interval that must be covered, for it to count */
#define LULL_STEPS 65536 /* intervals that one amount is shared out to at most */

struct lull {
    uint64_t zero_ns, step_ns; /* of the report intervals; step 0: not begun */
    uint64_t newest;           /* number of the newest open one, from 1; 0: none yet */
    struct lull_open {
        double amount;
        uint64_t t0_ns, t1_ns; /* covered so far; t1 0: nothing */
    } open[LULL_OPEN];
    uint64_t count, zeros; /* closed ones; those of them without an amount */
    double least;          /* per second, of the closed ones */
    uint64_t least_ns;     /* where that one begins */
};

struct lull_found {
    uint64_t count, zeros;
    double least; /* per second */
    uint64_t least_ns;
};

void lull_begin(struct lull *lull, uint64_t zero_ns, uint64_t step_ns);
/* An amount of one lane within [t0, t1); zero counts as silence. What is older than the open
 * intervals is left out. */
void lull_push(struct lull *lull, uint64_t t0_ns, uint64_t t1_ns, double amount);
/* Over all intervals but those that the run cut short; with `is_over` the open ones too. False:
 * there is none. */
bool lull_find(const struct lull *lull, bool is_over, struct lull_found *ret_found);

#endif
