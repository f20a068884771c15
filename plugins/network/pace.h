/* pace: when the next bytes are due at a given rate, on an absolute clock. Pure, but for the wait.
 */
#ifndef NETWORK_PACE_H
#define NETWORK_PACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define PACE_STEP_NS 1000000ull  /* at most this much data in one go */
#define PACE_WAIT_NS 50000000ull /* a wait ends then, due or not: a stop must not wait longer */

struct pace {
    uint64_t bps; /* 0: always due */
    uint64_t start_ns;
    uint64_t late_ns; /* what is later than this is given up, not caught up with */
    double given;     /* bytes since start */
};

void pace_start(struct pace *pace, uint64_t bps, uint64_t late_ns, uint64_t now_ns);
/* Bytes that make a millisecond, in whole blocks, 1..max of them. */
unsigned pace_blocks(const struct pace *pace, size_t block, unsigned max);
/* True when the next bytes are due; else after a wait of at most PACE_WAIT_NS, which ends in time.
 */
bool pace_wait(struct pace *pace, uint64_t (*clock_ns)(void));
void pace_give(struct pace *pace, size_t bytes);
/* When the next bytes are due. */
uint64_t pace_due_ns(const struct pace *pace);

#endif
