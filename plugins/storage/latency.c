#include "latency.h"

unsigned latency_bucket(uint64_t ns)
{
    if (ns < LATENCY_SUB)
        return (unsigned)ns;
    if (ns >> LATENCY_TOP)
        return LATENCY_BUCKETS - 1;
    unsigned top = 63u - (unsigned)__builtin_clzll(ns), shift = top - LATENCY_BITS;
    return (shift << LATENCY_BITS) + (unsigned)(ns >> shift);
}

uint64_t latency_middle(unsigned bucket)
{
    if (bucket < 2 * LATENCY_SUB)
        return bucket;
    unsigned shift = (bucket >> LATENCY_BITS) - 1;
    uint64_t low = (uint64_t)(bucket - (shift << LATENCY_BITS)) << shift;
    return low + ((UINT64_C(1) << shift) >> 1);
}

void latency_add(struct latency *latency, uint64_t ns)
{
    atomic_fetch_add_explicit(&latency->counts[latency_bucket(ns)], 1, memory_order_relaxed);
    if (ns > LATENCY_STALL_NS)
        atomic_fetch_add_explicit(&latency->stalls, 1, memory_order_relaxed);
    uint64_t most = atomic_load_explicit(&latency->most_ns, memory_order_relaxed);
    while (ns > most &&
           !atomic_compare_exchange_weak_explicit(&latency->most_ns, &most, ns,
                                                  memory_order_relaxed, memory_order_relaxed))
        continue;
}

uint64_t latency_count(const struct latency *latency)
{
    uint64_t count = 0;
    for (unsigned i = 0; i < LATENCY_BUCKETS; i++)
        count += atomic_load_explicit(&latency->counts[i], memory_order_relaxed);
    return count;
}

uint64_t latency_at(const struct latency *latency, double share)
{
    uint64_t all = latency_count(latency), most = atomic_load(&latency->most_ns);
    double exact = share * (double)all;
    uint64_t rank = (uint64_t)exact, seen = 0;
    if ((double)rank < exact || rank == 0)
        rank++; /* nearest rank: at least that share lies at or below */
    for (unsigned i = 0; i < LATENCY_BUCKETS; i++) {
        seen += atomic_load_explicit(&latency->counts[i], memory_order_relaxed);
        if (seen >= rank && seen > 0)
            return latency_middle(i) < most ? latency_middle(i) : most;
    }
    return most;
}
