/* llc: the caches of this machine, from the first of sysfs, device tree and sysconf that tells of
 * any; a guess of 1 MiB without levels when none does: then gauge.h measures. Only data and unified
 * caches count. */
#ifndef MEMORY_LLC_H
#define MEMORY_LLC_H

#include <stdint.h>

#define LLC_LEVELS 4
#define LLC_GUESS_BYTES (UINT64_C(1) << 20)

struct llc {
    uint64_t bytes; /* of all distinct caches of the highest level together */
    unsigned levels;
    struct {
        unsigned level;
        uint64_t bytes;  /* of one cache; where the cores differ, the largest */
    } level[LLC_LEVELS]; /* ascending */
    const char *source;  /* "sysfs", "device tree", "sysconf", "guess"; of gauge.h "measured" */
};

/* `root` "" or "/": this machine, else a folder that holds sys/ and proc/. Always 0. */
int llc_find(const char *root, struct llc *into);

#endif
