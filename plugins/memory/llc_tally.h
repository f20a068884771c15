/* llc_tally: caches counted once each, by level. */
#ifndef MEMORY_LLC_TALLY_H
#define MEMORY_LLC_TALLY_H

#include "llc.h"

#define LLC_KEYS 8192 /* caches of one level that are told apart */

struct llc_tally {
    struct llc_level {
        uint64_t one, sum; /* bytes: the largest cache, all of them */
        uint8_t seen[LLC_KEYS / 8];
    } level[LLC_LEVELS];
};

/* Counts a cache once by its key; nonsense is left out. */
void llc_tally_take(struct llc_tally *tally, unsigned level, unsigned key, uint64_t bytes);

#endif
