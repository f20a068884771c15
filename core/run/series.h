/* series: the samples of one metric and lane: a ring of the newest raw samples and a pyramid of
 * min/max/sum/count for the rest of the run. Push is O(1) and allocates nothing after series_new.
 * Pure. */
#ifndef RUN_SERIES_H
#define RUN_SERIES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SERIES_RAW 4096     /* raw samples kept */
#define SERIES_LEVELS 6     /* level n holds buckets of 4^n raw samples */
#define SERIES_BUCKETS 1024 /* per level */
#define SERIES_LANE_RAW 256 /* of series_new_lane */
#define SERIES_LANE_BUCKETS 256

struct series;

struct series_bucket {
    uint64_t t0_ns, t1_ns;
    double min, max; /* of rates (per second) for DELTA, of values for GAUGE */
    double sum;      /* of values */
    uint64_t count;  /* raw samples; 0: a gap */
};

struct series_total { /* of the whole run, never thinned */
    uint64_t t0_ns, t1_ns;
    double sum, min, max, last; /* min, max, last as in series_bucket */
    uint64_t count;
};

struct series *series_new(unsigned kind); /* enum dyno_kind */
/* A smaller one (80 KB when full instead of 384 KB), for one lane of many. */
struct series *series_new_lane(unsigned kind);
/* A smaller one with the same totals and the raw samples still known. */
struct series *series_copy_lane(const struct series *series);
struct series *series_free(struct series *series);

/* 0; -EINVAL when t1 <= t0 or t0 lies before the last t1. */
int series_push(struct series *series, uint64_t t0_ns, uint64_t t1_ns, double value);
/* Adds an amount of another lane: the raw samples it overlaps grow by their share, the part after
 * the last one, or within a gap, becomes a new one. For the sum over lanes; exact in its total. Of
 * a GAUGE the overlapped samples take the new value. -EINVAL when t1 <= t0. */
int series_add(struct series *series, uint64_t t0_ns, uint64_t t1_ns, double value);

void series_total(const struct series *series, struct series_total *ret_total);
unsigned series_kind(const struct series *series);

/* Aggregates [from, to) into `count` equal columns from the finest level that still reaches back to
 * `from`. O(count + buckets read). Columns without a sample have count 0. t0 and t1 of a column are
 * the part of it that samples cover, so that of a DELTA sum / (t1 - t0) is its mean rate, and of a
 * GAUGE sum / count its mean. A sample that lies in several columns counts in each. */
void series_columns(const struct series *series, uint64_t from_ns, uint64_t to_ns, size_t count,
                    struct series_bucket *ret_columns);
/* p in 0..1 of the rates (DELTA) or values (GAUGE) still known; NaN when empty. */
double series_percentile(const struct series *series, double p);

#endif
