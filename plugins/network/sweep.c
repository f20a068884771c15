#include "sweep.h"

#include <math.h>

#define GOOD_LOSS 0.001  /* more than that is no rate to build on */
#define KEPT_SHARE 0.95  /* of the rate asked for: below, the sender cannot keep it */
#define CLOSE_SHARE 0.05 /* between the bounds */
#define STEPS_MAX 24u
#define RATE_MIN 100000u /* bit/s: below, nothing is swept */

bool sweep_next(const struct sweep *sweep, uint64_t *ret_bps)
{
    uint64_t next = sweep->start_bps;
    if (sweep->steps >= STEPS_MAX)
        return false;
    if (sweep->good_bps && sweep->bad_bps) {
        if ((double)(sweep->bad_bps - sweep->good_bps) <= (double)sweep->bad_bps * CLOSE_SHARE)
            return false;
        next = sweep->good_bps + (sweep->bad_bps - sweep->good_bps) / 2;
    } else if (sweep->good_bps) {
        next = sweep->good_bps <= UINT64_MAX / 2 ? sweep->good_bps * 2 : sweep->good_bps;
    } else if (sweep->bad_bps) {
        next = sweep->bad_bps / 2;
    }
    *ret_bps = next;
    return next >= RATE_MIN && next != sweep->good_bps;
}

/* A sender that cannot keep a rate has shown its own limit, not that of the path. */
void sweep_take(struct sweep *sweep, uint64_t asked_bps, double sent_bps, double lost)
{
    bool is_kept = sent_bps >= (double)asked_bps * KEPT_SHARE;
    bool is_good = sent_bps > 0 && isfinite(lost) && lost <= GOOD_LOSS;
    uint64_t reached = is_kept ? asked_bps : (uint64_t)sent_bps;
    sweep->steps++;
    if (is_good && reached > sweep->good_bps && (!sweep->bad_bps || reached < sweep->bad_bps))
        sweep->good_bps = reached;
    if (!is_good || !is_kept)
        sweep->bad_bps = !sweep->bad_bps || asked_bps < sweep->bad_bps ? asked_bps : sweep->bad_bps;
    if (!is_kept && is_good)
        sweep->steps = STEPS_MAX;
}
