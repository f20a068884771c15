/* exercise: what memory.verify does with one worker's memory: write a pattern, compare, copy,
 * compare, invert back, compare, and add both up. Ends at the stop flag, within a chunk. */
#ifndef MEMORY_EXERCISE_H
#define MEMORY_EXERCISE_H

#include "crew.h"
#include "wrong.h"

#define EXERCISE_CHUNK (1u << 20)
#define EXERCISE_WRONG_MOST 65536u /* words: then it is plain enough */

struct exercise {
    struct wrong *wrong;
    bool flips_bit;                       /* once, in the first pattern of worker 0 */
    atomic_uint_least64_t done[CPUS_MAX]; /* patterns that were gone through, by each worker */
};

/* Patterns that went through the memory of all of `count` workers: the slowest one's. */
uint64_t exercise_passes(const struct exercise *exercise, unsigned count);

crew_duty exercise_run;

#endif
