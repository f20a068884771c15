/* meter: what a storage run shows while it works. The loop publishes one counter; a sampler turns
 * it and the leaf disks' counters into samples and progress, tick by tick. */
#ifndef STORAGE_METER_H
#define STORAGE_METER_H

#include "cores.h"
#include "leafstat.h"

#include <common/sampler.h>

/* Metric numbers, the same in all tables; METRIC_MOVED is `written` or `read`. */
enum {
    METRIC_MOVED, /* written or read */
    METRIC_DEVICE_WRITTEN,
    METRIC_DEVICE_READ,
    METRIC_REQUESTS,
    METRIC_RATE,
    METRIC_TRANSFER_TIME,
    METRIC_REAL_TIME,
    METRIC_STALLS,
    METRIC_LATENCY_MAX,
    METRIC_IOPS, /* with a queue, as are the percentiles */
    METRIC_LATENCY_P50,
    METRIC_LATENCY_P95,
    METRIC_LATENCY_P99,
    METRIC_LATENCY_P999,
    METRIC_SYNC_TIME,
    METRIC_CACHED,
    METRIC_CPU_SHARE,    /* CPU time of the process, in seconds of one core a second */
    METRIC_KERNEL_SHARE, /* of the core that was busiest in the kernel, whoever made it so */
    METRIC_WRITTEN,      /* where METRIC_MOVED is `read` */
    METRIC_PREPARED = METRIC_WRITTEN, /* before the clock */
    METRIC_OWN                        /* the first one of a test's own */
};

struct meter { /* embedded; must not move while it runs */
    struct leafstat leaf;
    struct sampler sampler;
    unsigned metric;         /* which one `moved` is */
    bool counts_reads;       /* whose device requests count */
    bool counts_steps;       /* requests are the test's own, not the disk's */
    bool counts_writes;      /* writes go to METRIC_WRITTEN, reads to `metric` */
    bool watches_stalls;     /* looks at the steps every 0.1 s: for loops without a clock */
    uint64_t total;          /* bytes, for progress; 0: none to tell */
    atomic_bool is_flushing; /* progress follows the device, not the loop */
    atomic_uint_least64_t moved, written, steps;
    uint64_t last_moved, last_written, last_steps; /* the sampler's own */
    struct {
        uint64_t steps, since_ns, longest_ns, stalls;
        bool is_counted;
    } watch;
    struct leaf_counts base, last; /* base: at meter_start */
    struct cores before, after;
};

/* Opens the leaf files; once per run. */
void meter_open(struct meter *meter, const struct dyno_target *target);
void meter_close(struct meter *meter);

/* From now on `metric` is sampled; counters start at 0. */
int meter_start(struct meter *meter, const struct dyno_host *host, struct dyno_run *run,
                unsigned metric, bool counts_reads, uint64_t total);
/* The last samples are out when it returns. Harmless when not started. */
void meter_stop(struct meter *meter);

/* What the leaf disks moved between start and stop; call after meter_stop. */
struct leaf_counts meter_device(const struct meter *meter);
/* The same for the busiest core's time in the kernel; negative: unknown. */
double meter_kernel_share(const struct meter *meter);

/* The loop's side: one relaxed store or two, no clock, no call. */
static inline void meter_publish(struct meter *meter, uint64_t moved, uint64_t steps)
{
    atomic_store_explicit(&meter->moved, moved, memory_order_relaxed);
    atomic_store_explicit(&meter->steps, steps, memory_order_relaxed);
}

/* The same for many threads: one request is done. */
static inline void meter_add(struct meter *meter, uint64_t bytes, bool is_write)
{
    atomic_uint_least64_t *amount =
        is_write && meter->counts_writes ? &meter->written : &meter->moved;
    atomic_fetch_add_explicit(amount, bytes, memory_order_relaxed);
    atomic_fetch_add_explicit(&meter->steps, 1, memory_order_relaxed);
}

/* All bytes of the loop since meter_start. */
static inline uint64_t meter_moved(struct meter *meter)
{
    return atomic_load(&meter->moved) + atomic_load(&meter->written);
}

#endif
