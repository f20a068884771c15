#include "run/series.h"

#include <errno.h>
#include <math.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/str.h"
#include "iodyno/plugin.h"

/* Raw sample i is child of bucket i/4 of level 1, that one of bucket i/16 of level 2, and so on.
 * A level begins only when the one below it has filled half of its ring, so that a short run
 * touches no more than the pages of its raw samples; everything of the level below is then still
 * there to build it from. Memory is not cleared for the same reason: nothing is read before it was
 * written. */

struct raw {
    uint64_t t0_ns, t1_ns;
    double value;
};

struct shape {
    size_t raw, buckets; /* powers of two */
};
static const struct shape shape_full = {SERIES_RAW, SERIES_BUCKETS};
static const struct shape shape_lane = {SERIES_LANE_RAW, SERIES_LANE_BUCKETS};

struct series {
    unsigned kind;
    struct shape shape;
    uint64_t counts[SERIES_LEVELS + 1]; /* of all time; [0]: raw samples; 0: level not begun */
    uint64_t forgotten;                 /* raw samples before [0], counted only */
    double sum;
    uint64_t t0_ns;
    bool has_retired; /* the extremes of buckets that left the highest level */
    double retired_min, retired_max;
    struct raw *raw;
    struct series_bucket *levels; /* SERIES_LEVELS rings, one after the other */
};

static struct series *series_with(unsigned kind, const struct shape *shape)
{
    struct series *series = mem_new(1, sizeof(*series));
    series->kind = kind;
    series->shape = *shape;
    series->raw = mem_grow(NULL, shape->raw, sizeof(*series->raw));
    series->levels = mem_grow(NULL, SERIES_LEVELS * shape->buckets, sizeof(*series->levels));
    return series;
}

struct series *series_new(unsigned kind)
{
    return series_with(kind, &shape_full);
}

struct series *series_new_lane(unsigned kind)
{
    return series_with(kind, &shape_lane);
}

struct series *series_free(struct series *series)
{
    if (series) {
        free(series->raw);
        free(series->levels);
        free(series);
    }
    return NULL;
}

static struct raw *raw_at(const struct series *series, uint64_t index)
{
    return &series->raw[index & (series->shape.raw - 1)];
}

static size_t level_room(const struct series *series, unsigned level)
{
    return level ? series->shape.buckets : series->shape.raw;
}

/* Index of the oldest one still kept. */
static uint64_t level_oldest(const struct series *series, unsigned level)
{
    uint64_t count = series->counts[level];
    size_t room = level_room(series, level);
    return count > room ? count - room : 0;
}

static struct series_bucket *bucket_slot(const struct series *series, unsigned level,
                                         uint64_t index)
{
    size_t room = series->shape.buckets;
    return &series->levels[(level - 1) * room + (size_t)(index & (room - 1))];
}

static double raw_rate(const struct series *series, const struct raw *raw)
{
    if (series->kind != DYNO_DELTA)
        return raw->value;
    return raw->value * (double)NS_PER_S / (double)(raw->t1_ns - raw->t0_ns);
}

static struct series_bucket bucket_at(const struct series *series, unsigned level, uint64_t index)
{
    if (level)
        return *bucket_slot(series, level, index);
    const struct raw *raw = raw_at(series, index);
    double rate = raw_rate(series, raw);
    return (struct series_bucket){raw->t0_ns, raw->t1_ns, rate, rate, raw->value, 1};
}

static void bucket_join(struct series_bucket *into, const struct series_bucket *next)
{
    into->t1_ns = next->t1_ns;
    into->min = fmin(into->min, next->min);
    into->max = fmax(into->max, next->max);
    into->sum += next->sum;
    into->count += next->count;
}

static void retire(struct series *series, const struct series_bucket *bucket)
{
    double min = bucket->min, max = bucket->max;
    series->retired_min = series->has_retired ? fmin(series->retired_min, min) : min;
    series->retired_max = series->has_retired ? fmax(series->retired_max, max) : max;
    series->has_retired = true;
}

static void build_bucket(struct series *series, unsigned level, uint64_t index)
{
    uint64_t child = index * 4, end = child + 4;
    if (end > series->counts[level - 1])
        end = series->counts[level - 1];
    struct series_bucket made = bucket_at(series, level - 1, child);
    while (++child < end) {
        struct series_bucket next = bucket_at(series, level - 1, child);
        bucket_join(&made, &next);
    }
    bool is_new = index >= series->counts[level];
    if (is_new && level == SERIES_LEVELS && index >= series->shape.buckets)
        retire(series, bucket_slot(series, level, index));
    *bucket_slot(series, level, index) = made;
    if (is_new)
        series->counts[level] = index + 1;
}

/* Brings all levels up to date with the raw samples from `first` on. */
static void rebuild(struct series *series, uint64_t first)
{
    for (unsigned level = 1; level <= SERIES_LEVELS; level++) {
        if (series->counts[level - 1] <= level_room(series, level - 1) / 2)
            return;
        first = series->counts[level] ? first / 4 : 0;
        uint64_t last = (series->counts[level - 1] - 1) / 4;
        for (uint64_t index = first; index <= last; index++)
            build_bucket(series, level, index);
    }
}

static void append(struct series *series, uint64_t t0_ns, uint64_t t1_ns, double value)
{
    if (!series->counts[0])
        series->t0_ns = t0_ns;
    *raw_at(series, series->counts[0]++) = (struct raw){t0_ns, t1_ns, value};
}

int series_push(struct series *series, uint64_t t0_ns, uint64_t t1_ns, double value)
{
    uint64_t count = series->counts[0];
    if (t1_ns <= t0_ns || (count && t0_ns < raw_at(series, count - 1)->t1_ns))
        return -EINVAL;
    append(series, t0_ns, t1_ns, value);
    series->sum += value;
    rebuild(series, count);
    return 0;
}

/* Makes room at `index` and fills it; all later ones move up by one. */
static void insert(struct series *series, uint64_t index, struct raw piece)
{
    for (uint64_t i = series->counts[0]++; i > index; i--)
        *raw_at(series, i) = *raw_at(series, i - 1);
    *raw_at(series, index) = piece;
}

struct adding {
    uint64_t t0_ns, t1_ns, at_ns;
    double value, left;
};

/* The share of [at, until), which becomes the past. */
static double add_share(const struct series *series, struct adding *adding, uint64_t until_ns)
{
    if (series->kind != DYNO_DELTA) {
        adding->at_ns = until_ns;
        return adding->value;
    }
    double share = adding->left;
    if (until_ns < adding->t1_ns)
        share = adding->value *
                ((double)(until_ns - adding->at_ns) / (double)(adding->t1_ns - adding->t0_ns));
    adding->left -= share;
    adding->at_ns = until_ns;
    return share;
}

static uint64_t earlier(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

/* Of an amount the sum grows by all of it at once, exactly; a state takes another's place in it. */
static void count_state(struct series *series, double old, double value)
{
    if (series->kind != DYNO_DELTA)
        series->sum += value - old;
}

static void add_step(struct series *series, uint64_t index, struct adding *adding)
{
    uint64_t from_ns = adding->at_ns;
    if (index >= series->counts[0]) {
        double rest = add_share(series, adding, adding->t1_ns);
        append(series, from_ns, adding->t1_ns, rest);
        count_state(series, 0, rest);
        return;
    }
    struct raw *raw = raw_at(series, index);
    if (from_ns < raw->t0_ns) {
        uint64_t until_ns = earlier(raw->t0_ns, adding->t1_ns);
        double piece = add_share(series, adding, until_ns);
        insert(series, index, (struct raw){from_ns, until_ns, piece});
        count_state(series, 0, piece);
        return;
    }
    double share = add_share(series, adding, earlier(raw->t1_ns, adding->t1_ns));
    count_state(series, raw->value, share);
    raw->value = series->kind == DYNO_DELTA ? raw->value + share : share;
}

/* What is older than a quarter of the ring is not altered any more: an amount for it lands in what
 * follows. A quarter, because each gap it fills makes one sample more, and the parents of all that
 * change must have all their children. */
int series_add(struct series *series, uint64_t t0_ns, uint64_t t1_ns, double value)
{
    uint64_t count = series->counts[0];
    if (t1_ns <= t0_ns)
        return -EINVAL;
    if (!count || t0_ns >= raw_at(series, count - 1)->t1_ns)
        return series_push(series, t0_ns, t1_ns, value);

    uint64_t reach = series->shape.raw / 4;
    uint64_t floor = count > reach ? count - reach : 0;
    uint64_t index = count;
    while (index > floor && raw_at(series, index - 1)->t1_ns > t0_ns)
        index--;
    if (index == floor && floor) {
        uint64_t oldest_ns = raw_at(series, floor)->t0_ns;
        if (t0_ns < oldest_ns)
            t0_ns = oldest_ns;
        if (t1_ns <= t0_ns)
            t1_ns = t0_ns + 1;
    } else if (!index && t0_ns < series->t0_ns) {
        series->t0_ns = t0_ns;
    }
    struct adding adding = {t0_ns, t1_ns, t0_ns, value, value};
    uint64_t first = index;
    while (adding.at_ns < t1_ns)
        add_step(series, index++, &adding);
    if (series->kind == DYNO_DELTA)
        series->sum += value;
    rebuild(series, first);
    return 0;
}

struct series *series_copy_lane(const struct series *series)
{
    struct series *copy = series_new_lane(series->kind);
    uint64_t oldest = level_oldest(series, 0);
    for (uint64_t i = oldest; i < series->counts[0]; i++) {
        const struct raw *raw = raw_at(series, i);
        append(copy, raw->t0_ns, raw->t1_ns, raw->value);
        rebuild(copy, copy->counts[0] - 1);
    }
    struct series_total total;
    series_total(series, &total);
    copy->sum = total.sum;
    copy->t0_ns = total.t0_ns;
    copy->forgotten = total.count - copy->counts[0];
    if (copy->forgotten)
        retire(copy, &(struct series_bucket){.min = total.min, .max = total.max});
    return copy;
}

unsigned series_kind(const struct series *series)
{
    return series->kind;
}

static unsigned highest_level(const struct series *series)
{
    unsigned level = 0;
    while (level < SERIES_LEVELS && series->counts[level + 1])
        level++;
    return level;
}

void series_total(const struct series *series, struct series_total *ret_total)
{
    uint64_t count = series->counts[0];
    *ret_total = (struct series_total){0};
    if (!count)
        return;
    unsigned level = highest_level(series);
    uint64_t index = level_oldest(series, level);
    struct series_bucket all = bucket_at(series, level, index);
    while (++index < series->counts[level]) {
        struct series_bucket next = bucket_at(series, level, index);
        bucket_join(&all, &next);
    }
    if (series->has_retired) {
        all.min = fmin(all.min, series->retired_min);
        all.max = fmax(all.max, series->retired_max);
    }
    const struct raw *newest = raw_at(series, count - 1);
    *ret_total = (struct series_total){
        .t0_ns = series->t0_ns,
        .t1_ns = newest->t1_ns,
        .sum = series->sum,
        .min = all.min,
        .max = all.max,
        .last = raw_rate(series, newest),
        .count = count + series->forgotten,
    };
}

/* The finest level that still knows the moment `from_ns`; else the one that reaches back furthest.
 */
static unsigned level_reaching(const struct series *series, uint64_t from_ns)
{
    unsigned level = 0;
    for (; level < highest_level(series); level++) {
        uint64_t oldest = level_oldest(series, level);
        if (!oldest || bucket_at(series, level, oldest).t0_ns <= from_ns)
            break;
    }
    return level;
}

/* First bucket that ends after `from_ns`. */
static uint64_t find_bucket(const struct series *series, unsigned level, uint64_t from_ns)
{
    uint64_t low = level_oldest(series, level), high = series->counts[level];
    while (low < high) {
        uint64_t middle = low + (high - low) / 2;
        if (bucket_at(series, level, middle).t1_ns > from_ns)
            high = middle;
        else
            low = middle + 1;
    }
    return low;
}

struct grid {
    uint64_t from_ns, step_ns, rest_ns, count;
};

static uint64_t grid_border(const struct grid *grid, uint64_t column)
{
    return grid->from_ns + grid->step_ns * column + grid->rest_ns * column / grid->count;
}

/* Adds the part of `bucket` within [t0, t1). An amount is shared by overlap; states count whole. */
static void column_add(unsigned kind, struct series_bucket *column,
                       const struct series_bucket *bucket, uint64_t t0_ns, uint64_t t1_ns)
{
    struct series_bucket part = *bucket;
    part.t0_ns = bucket->t0_ns > t0_ns ? bucket->t0_ns : t0_ns;
    part.t1_ns = earlier(bucket->t1_ns, t1_ns);
    if (kind == DYNO_DELTA && (part.t0_ns != bucket->t0_ns || part.t1_ns != bucket->t1_ns))
        part.sum *= (double)(part.t1_ns - part.t0_ns) / (double)(bucket->t1_ns - bucket->t0_ns);
    if (column->count)
        bucket_join(column, &part);
    else
        *column = part;
}

void series_columns(const struct series *series, uint64_t from_ns, uint64_t to_ns, size_t count,
                    struct series_bucket *ret_columns)
{
    if (!count)
        return;
    memset(ret_columns, 0, count * sizeof(*ret_columns));
    if (to_ns <= from_ns || !series->counts[0])
        return;
    uint64_t span = to_ns - from_ns;
    struct grid grid = {from_ns, span / count, span % count, count};
    unsigned level = level_reaching(series, from_ns);
    size_t first = 0;
    for (uint64_t i = find_bucket(series, level, from_ns); i < series->counts[level]; i++) {
        struct series_bucket bucket = bucket_at(series, level, i);
        while (first < count && grid_border(&grid, first + 1) <= bucket.t0_ns)
            first++;
        for (size_t c = first; c < count && grid_border(&grid, c) < bucket.t1_ns; c++) {
            uint64_t t0_ns = grid_border(&grid, c), t1_ns = grid_border(&grid, c + 1);
            if (t1_ns > t0_ns)
                column_add(series->kind, &ret_columns[c], &bucket, t0_ns, t1_ns);
        }
        if (first == count)
            return;
    }
}

static int compare_doubles(const void *a, const void *b)
{
    double left = *(const double *)a, right = *(const double *)b;
    return (left > right) - (left < right);
}

double series_percentile(const struct series *series, double p)
{
    uint64_t oldest = level_oldest(series, 0);
    size_t count = (size_t)(series->counts[0] - oldest);
    if (!count || !(p >= 0 && p <= 1))
        return (double)NAN;
    AUTO_FREE double *rates = mem_new(count, sizeof(*rates));
    for (size_t i = 0; i < count; i++)
        rates[i] = raw_rate(series, raw_at(series, oldest + i));
    qsort(rates, count, sizeof(*rates), compare_doubles);
    double place = p * (double)(count - 1);
    size_t below = (size_t)place;
    if (below + 1 >= count)
        return rates[count - 1];
    return rates[below] + (rates[below + 1] - rates[below]) * (place - (double)below);
}
