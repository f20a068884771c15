/* sweep: one kernel going over the areas of a crew again and again, and the proof that it did what
 * it says. Sums are known in closed form; what was written is looked at word by word afterwards. */
#ifndef MEMORY_SWEEP_H
#define MEMORY_SWEEP_H

#include "crew.h"
#include "kernel.h"
#include "wrong.h"

struct sweep_trace { /* how far one worker came */
    uint64_t passes; /* whole ones */
    size_t rest;     /* bytes of each buffer in the one it was stopped in */
};

struct sweep {
    enum kernel kernel;
    kernel_fn *fn;
    size_t bytes; /* of one worker's set: all buffers of it */
    uint64_t word;
    bool flips_bit; /* spoils one bit of what was written or is to be read, to prove the check */
    bool is_hasty;  /* looks at both ends of what was written only: somebody waits for the end */
    struct wrong *wrong;
    struct sweep_trace trace[CPUS_MAX];
};

/* Bytes of one buffer; 0 when the set is too small for this kernel. Pure. */
size_t sweep_buffer_bytes(enum kernel kernel, size_t set_bytes);

/* Duties, in this order. Prepare: puts the numbers of triad in place, spoils what will be written,
 * so that a loop that does nothing is found. Run: until stopped. Check: reports to `wrong`. The
 * first and the last end by themselves; stopped on the way they leave the area as it is known. */
crew_duty sweep_prepare, sweep_run, sweep_check;

#endif
