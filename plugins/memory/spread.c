#include "spread.h"

#include <stdlib.h>

/* A day's samples tell of the day, not of its first hours. */
static void merge_pairs(struct spread *spread)
{
    for (size_t i = 0; i < spread->count / 2; i++)
        spread->rates[i] = (spread->rates[2 * i] + spread->rates[2 * i + 1]) / 2;
    spread->count /= 2;
    spread->merged *= 2;
}

void spread_add(struct spread *spread, double rate)
{
    if (!spread->has_first) {
        spread->has_first = 1;
        spread->first = rate;
        return;
    }
    if (spread->merged == 0)
        spread->merged = 1;
    spread->waiting_sum += rate;
    if (++spread->waiting < spread->merged)
        return;
    rate = spread->waiting_sum / (double)spread->waiting;
    spread->waiting_sum = 0;
    spread->waiting = 0;
    if (spread->count == spread->capacity && spread->capacity < SPREAD_MOST) {
        size_t capacity = spread->capacity ? spread->capacity * 2 : 64;
        double *rates = realloc(spread->rates, capacity * sizeof *rates);
        if (rates) {
            spread->rates = rates;
            spread->capacity = capacity;
        }
    }
    if (spread->capacity == 0)
        return;
    spread->rates[spread->count++] = rate;
    if (spread->count == spread->capacity && spread->capacity == SPREAD_MOST)
        merge_pairs(spread);
}

static int by_value(const void *left, const void *right)
{
    double a = *(const double *)left, b = *(const double *)right;
    return a < b ? -1 : a > b;
}

double spread_at(const double *sorted, size_t count, double p)
{
    double place = p * (double)(count - 1);
    size_t below = (size_t)place;
    if (below + 1 >= count)
        return sorted[count - 1];
    return sorted[below] + (sorted[below + 1] - sorted[below]) * (place - (double)below);
}

struct spread_figures spread_figures(struct spread *spread)
{
    if (spread->count == 0) {
        double only = spread->has_first ? spread->first : 0;
        return (struct spread_figures){only, only, only, only, spread->has_first ? 1 : 0};
    }
    qsort(spread->rates, spread->count, sizeof spread->rates[0], by_value);
    return (struct spread_figures){
        .median = spread_at(spread->rates, spread->count, 0.5),
        .p5 = spread_at(spread->rates, spread->count, 0.05),
        .p95 = spread_at(spread->rates, spread->count, 0.95),
        .best = spread->rates[spread->count - 1],
        .samples = spread->count,
    };
}

double spread_drift(const struct spread *spread)
{
    size_t tenth = spread->count / 10;
    double first = 0, last = 0;
    if (tenth < 2)
        return 0;
    for (size_t i = 0; i < tenth; i++) {
        first += spread->rates[i];
        last += spread->rates[spread->count - tenth + i];
    }
    return first > 0 ? last / first - 1 : 0;
}

void spread_done(struct spread *spread)
{
    free(spread->rates);
    *spread = (struct spread){0};
}
