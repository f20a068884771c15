/* room: how much memory may be taken without anything being killed: the least of what the machine
 * has available, what its control groups still grant and what the address-space limit leaves, each
 * less a reserve of 15 % of its whole, at least 64 MiB. A benchmark takes half of it at most. */
#ifndef MEMORY_ROOM_H
#define MEMORY_ROOM_H

#include <stdint.h>

#define ROOM_RESERVE_BYTES (UINT64_C(64) << 20)
#define ROOM_RESERVE_PERCENT 15

struct room {
    uint64_t allocatable; /* bytes; 0 is none */
    char why[160];        /* what limits it, as a sentence without a stop */
    /* The same without the address space: for what has its addresses and is to be touched. */
    uint64_t touchable;
    char touchable_why[160];
};

/* `root` as for llc_find; below another root its proc/self stands for this process. 0, or negative
 * errno with a sentence in `why` when nothing tells how much memory there is. */
int room_find(const char *root, struct room *into);

#endif
