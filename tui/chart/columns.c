#include "chart/columns.h"

#include "base/cleanup.h"
#include "base/str.h"
#include "iodyno/plugin.h"

#define NS 1000000000ull
#define TICK_COLUMNS_MAX 8 /* a sample is drawn at most this wide while the window can grow */
#define PLANNED_WHOLE_NS (120 * NS) /* a plan up to this long is shown whole from its start */

static const uint64_t steps_s[] = {10,   20,   30,   60,    120,   300,   600,   1200,
                                   1800, 3600, 7200, 14400, 28800, 43200, 86400, 172800};

static struct column column_of(const struct series_bucket *bucket, bool is_delta, double factor)
{
    struct column column = {.has_value = true};
    double covered_s = (double)(bucket->t1_ns - bucket->t0_ns) / (double)NS;

    column.mean = bucket->sum * factor / (is_delta ? covered_s : (double)bucket->count);
    column.min = bucket->min * factor;
    column.max = bucket->max * factor;
    return column;
}

void columns_make(const struct series *series, uint64_t from_ns, uint64_t to_ns, double factor,
                  size_t count, struct column *ret_columns)
{
    bool is_delta = series_kind(series) == DYNO_DELTA;
    AUTO_FREE struct series_bucket *buckets = mem_new(count ? count : 1, sizeof(*buckets));

    series_columns(series, from_ns, to_ns, count, buckets);
    for (size_t i = 0; i < count; i++) {
        bool is_known = buckets[i].count > 0 && buckets[i].t1_ns > buckets[i].t0_ns;
        ret_columns[i] =
            is_known ? column_of(&buckets[i], is_delta, factor) : (struct column){false, 0, 0, 0};
    }
}

/* The smallest step that holds the time; one that was passed by less than a fiftieth still does,
 * so that a run that ends a moment late does not halve its picture. */
static uint64_t step_holding(uint64_t elapsed_ns)
{
    uint64_t step_ns = NS;

    for (size_t i = 0; i < ARRAY_SIZE(steps_s); i++) {
        step_ns = steps_s[i] * NS;
        if (elapsed_ns <= step_ns + step_ns / 50)
            return step_ns;
    }
    while (elapsed_ns > step_ns + step_ns / 50)
        step_ns *= 2;
    return step_ns;
}

static uint64_t larger(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

void columns_window(uint64_t zero_ns, uint64_t now_ns, uint64_t tick_ns, uint64_t planned_ns,
                    size_t count, uint64_t *ret_from_ns, uint64_t *ret_to_ns)
{
    uint64_t elapsed_ns = now_ns > zero_ns ? now_ns - zero_ns : 0;

    if (tick_ns)
        elapsed_ns = (elapsed_ns + tick_ns - 1) / tick_ns * tick_ns;
    uint64_t window_ns = step_holding(larger(elapsed_ns, tick_ns * count / TICK_COLUMNS_MAX));
    bool is_late = elapsed_ns > planned_ns + planned_ns / 50 + tick_ns;
    if (planned_ns && !is_late && (planned_ns <= PLANNED_WHOLE_NS || window_ns > planned_ns))
        window_ns = planned_ns;
    *ret_from_ns = zero_ns;
    *ret_to_ns = zero_ns + larger(window_ns, elapsed_ns);
}
