/* tally: what one stream has moved, published by its thread and read by the others. Only grows, but
 * for `lost`, of which late datagrams are taken back, and the jitter. */
#ifndef NETWORK_TALLY_H
#define NETWORK_TALLY_H

#include <stdatomic.h>
#include <stdint.h>

struct tally {
    _Alignas(128) atomic_uint_least64_t bytes;
    atomic_uint_least64_t packets;      /* UDP: sent, or the highest number seen */
    atomic_uint_least64_t lost;         /* UDP receiver: gaps */
    atomic_uint_least64_t out_of_order; /* UDP receiver */
    atomic_uint_least64_t jitter_ns;    /* UDP receiver */
    atomic_uint_least64_t cpu_ns;       /* of the thread, when it has ended */
};

/* One look at it. */
struct tally_view {
    uint64_t bytes, packets, lost, out_of_order, jitter_ns;
};

static inline void tally_set(atomic_uint_least64_t *counter, uint64_t value)
{
    atomic_store_explicit(counter, value, memory_order_relaxed);
}

static inline uint64_t tally_get(const atomic_uint_least64_t *counter)
{
    return atomic_load_explicit(counter, memory_order_relaxed);
}

/* By the stream's own thread only: no locked instruction. */
static inline void tally_add(atomic_uint_least64_t *counter, uint64_t amount)
{
    tally_set(counter, tally_get(counter) + amount);
}

struct tally_view tally_view(const struct tally *tally);
/* What came after `base`; the jitter is the newer one. Lost that was taken back reads as 0. */
struct tally_view tally_since(const struct tally_view *now, const struct tally_view *base);

#endif
