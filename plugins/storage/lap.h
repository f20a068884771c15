/* lap: a stretch of wall time, and the CPU time this process spent in it. Never blocks. */
#ifndef STORAGE_LAP_H
#define STORAGE_LAP_H

#include <stdint.h>

#define NS_PER_S 1000000000ull

struct lap {
    uint64_t start_ns, user0_ns, sys0_ns;
    uint64_t wall_ns, user_ns, sys_ns; /* valid after lap_end */
};

uint64_t lap_now_ns(void); /* CLOCK_MONOTONIC */
void lap_begin(struct lap *lap);
void lap_end(struct lap *lap); /* may be called again: the lap grows */

static inline double lap_seconds(uint64_t ns)
{
    return (double)ns / (double)NS_PER_S;
}

#endif
