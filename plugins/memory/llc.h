/* llc: the caches of this machine: sysfs, else device tree, else sysconf, else a guess. */
#ifndef MEMORY_LLC_H
#define MEMORY_LLC_H

#include <stdint.h>

struct llc {
    uint64_t bytes; /* sum of the distinct instances of the highest level */
    unsigned levels;
    struct {
        unsigned level;
        uint64_t bytes; /* of one instance */
    } level[4];
    const char *source; /* "sysfs", "device tree", "sysconf", "guess" */
};

/* root "" or "/": this machine. */
int llc_find(const char *root, struct llc *into);

#endif
