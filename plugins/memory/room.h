/* room: how many bytes may be taken without hurting anybody else. */
#ifndef MEMORY_ROOM_H
#define MEMORY_ROOM_H

#include <stdint.h>

struct room {
    uint64_t allocatable;
    char why[160]; /* what limits it, in words */
};

int room_find(const char *root, struct room *into);

#endif
