/* meter: what a storage run shows while it works. The loop publishes one counter; a sampler turns
 * it and the leaf disks' counters into samples and progress, tick by tick. */
#ifndef STORAGE_METER_H
#define STORAGE_METER_H

#include "leafstat.h"

#include <common/sampler.h>

/* Metric numbers, the same in both tables up to RATE…REAL_TIME. */
enum {
    METRIC_MOVED, /* written or read */
    METRIC_DEVICE_WRITTEN,
    METRIC_DEVICE_READ,
    METRIC_REQUESTS,
    METRIC_RATE,
    METRIC_TRANSFER_TIME,
    METRIC_REAL_TIME,
    METRIC_SYNC_TIME,                 /* storage.write */
    METRIC_CACHED = METRIC_SYNC_TIME, /* storage.read */
    METRIC_PREPARED                   /* storage.read: `written`, before the clock */
};

struct meter { /* embedded; must not move while it runs */
    struct leafstat leaf;
    struct sampler sampler;
    unsigned metric;         /* which one `moved` is */
    bool counts_reads;       /* whose device requests count */
    uint64_t total;          /* bytes, for progress; 0: none to tell */
    atomic_bool is_flushing; /* progress follows the device, not the loop */
    atomic_uint_least64_t moved, steps;
    uint64_t last_moved, last_steps; /* the sampler's own */
    struct leaf_counts base, last;   /* base: at meter_start */
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

/* The loop's side: one relaxed store or two, no clock, no call. */
static inline void meter_publish(struct meter *meter, uint64_t moved, uint64_t steps)
{
    atomic_store_explicit(&meter->moved, moved, memory_order_relaxed);
    atomic_store_explicit(&meter->steps, steps, memory_order_relaxed);
}

#endif
