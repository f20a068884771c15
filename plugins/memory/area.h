/* area: one thread's private memory: 2 MiB aligned, touched step by step, filled.
 *
 * Owned by who takes it. It is filled by the thread that calls area_take, so that it lies near that
 * thread. Between steps of AREA_STEP bytes the room is read again: what other programs took
 * meanwhile ends the taking early, never the machine. Errors: negative errno.
 */
#ifndef MEMORY_AREA_H
#define MEMORY_AREA_H

#include "room.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define AREA_STEP (16u << 20)
#define AREA_ALIGN (2u << 20) /* never more, whatever the machine calls a huge page */
#define AREA_APART 2048u /* buffers of one area start this much further each, modulo AREA_ALIGN */
#define AREA_SLACK (3u * AREA_ALIGN) /* for the alignment of up to three buffers */

struct area { /* zero-initialised: none */
    char *map;
    size_t map_bytes;
    char *base;    /* aligned */
    size_t bytes;  /* touched, from base on */
    size_t intact; /* of them still hold the fill, from base on */
};

/* What all threads of a crew share while they take memory. */
struct area_gate {
    const char *root;
    int (*find_room)(const char *root, struct room *into);
    bool wants_huge;
    atomic_bool *stop; /* ends the taking */
    pthread_mutex_t lock;
    uint64_t pending; /* allowed, not yet touched */
    bool is_short;    /* the room gave out */
    char why[160];
};

/* Reserves `bytes` and touches them with the fill of kernel.h, word 0 at base. With less room, or
 * once stopped, `bytes` of the area is what was touched, and it is no error. -ENOMEM when not even
 * the address space is to be had; then the others stop too. `taken` follows how far it is. */
int area_take(struct area *area, size_t bytes, struct area_gate *gate,
              atomic_uint_least64_t *taken);
void area_drop(struct area *area);

/* Start of buffer `number` of `bytes` each. Pure. */
static inline char *area_buffer(const struct area *area, unsigned number, size_t bytes)
{
    size_t apart = (bytes + AREA_ALIGN - 1) / AREA_ALIGN * AREA_ALIGN + AREA_APART;
    return area->base + number * apart;
}

/* Bytes of the area that lie in huge pages, from /proc/self/smaps; 0 when it cannot be told. */
uint64_t area_huge_bytes(const struct area *area);

#endif
