/* set: how much memory a measurement goes over, and what that is a measurement of. Pure. */
#ifndef MEMORY_SET_H
#define MEMORY_SET_H

#include "llc.h"

#include <stdbool.h>
#include <stdint.h>

#define SET_TOTAL_MOST (UINT64_C(512) << 20)
#define SET_THREAD_LEAST (UINT64_C(32) << 20)
#define SET_LLC_TIMES 8u
#define SET_LLC_OWNED (UINT64_C(64) << 20) /* a larger one is a server's, shared with others */
#define SET_WORKER_LEAST 4096u
#define SET_TEXT 400

struct set_wish {
    uint64_t asked;       /* of all threads together; 0: by the rule */
    uint64_t allocatable; /* room_find */
    const char *limit;    /* what limits it, in words */
    unsigned threads;
    uint64_t slack; /* bytes that each thread takes besides */
    bool is_alone;  /* what one thread has is measured by itself, and must be large by itself */
};

struct set {
    uint64_t bytes;      /* of one thread, a multiple of 4096 */
    bool is_dram;        /* beyond the caches */
    bool is_doubtful;    /* no more than perhaps: the cache is larger than we may take */
    const char *level;   /* "DRAM", "L1", "L2" … */
    char text[SET_TEXT]; /* size, and why */
};

/* 0; -EINVAL (too small) or -ENOSPC (too large, or too little room) with a sentence in `why`. */
int set_choose(const struct llc *llc, const struct set_wish *wish, struct set *ret_set,
               char why[SET_TEXT]);

/* "64 MiB", "512 KiB", "1.5 MiB": exact to a tenth. */
struct set_size {
    char text[40];
} set_size(uint64_t bytes);

#endif
