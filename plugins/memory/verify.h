/* verify: metric numbers of memory.verify. */
#ifndef MEMORY_VERIFY_H
#define MEMORY_VERIFY_H

#include <iodyno/plugin.h>

enum {
    VERIFY_MOVED,  /* DELTA: bytes written, read, copied */
    VERIFY_RATE,   /* headline: all of it a second */
    VERIFY_ERRORS, /* GAUGE: wrong words so far; at the end the result */
    VERIFY_PASSES, /* GAUGE: patterns that went through all memory; at the end the result */
    VERIFY_SIZE,
    VERIFY_DRIFT, /* last tenth against the first */
    VERIFY_SWITCHES,
    VERIFY_TAKEN, /* DELTA: memory taken before */
    VERIFY_METRICS
};

int memory_verify(const struct dyno_host *host, struct dyno_run *run);

#endif
