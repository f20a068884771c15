/* latency: how long requests took, in a histogram of fixed size whose buckets are 1.6 % wide
 * (log-linear). Any thread may add. Times are nanoseconds; the last bucket holds all above 18 min.
 */
#ifndef STORAGE_LATENCY_H
#define STORAGE_LATENCY_H

#include <stdatomic.h>
#include <stdint.h>

#define LATENCY_BITS 6 /* 64 buckets to each power of two */
#define LATENCY_SUB (1u << LATENCY_BITS)
#define LATENCY_TOP 40 /* powers of two in all */
#define LATENCY_BUCKETS ((LATENCY_TOP - LATENCY_BITS + 1) * LATENCY_SUB)
#define LATENCY_STALL_NS 500000000ull

struct latency { /* zero-initialised */
    atomic_uint_least64_t counts[LATENCY_BUCKETS];
    atomic_uint_least64_t most_ns, stalls; /* stalls: requests above LATENCY_STALL_NS */
};

void latency_add(struct latency *latency, uint64_t ns);

/* The time that a share of all requests (0.5, 0.99) stayed at or below, to 1.6 %; 0 when there was
 * none. Call it when no thread adds any more. */
uint64_t latency_at(const struct latency *latency, double share);
uint64_t latency_count(const struct latency *latency);

/* Pure: the bucket of a time, and the middle of a bucket. */
unsigned latency_bucket(uint64_t ns);
uint64_t latency_middle(unsigned bucket);

#endif
