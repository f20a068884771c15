/* spread: the rates of one measurement's samples, and what is told of them. The first sample is
 * dropped: caches, pages and clocks settle in it. */
#ifndef MEMORY_SPREAD_H
#define MEMORY_SPREAD_H

#include <stddef.h>

#define SPREAD_MOST                                                                                \
    (1u << 16) /* rates kept; beyond, two become their mean, and so on from there                  \
                */

struct spread { /* zero-initialised: empty */
    double *rates;
    size_t count, capacity;
    size_t merged; /* samples behind each rate, a power of two; 0 as 1 */
    size_t waiting;
    double waiting_sum; /* of samples that make no whole rate yet */
    int has_first;      /* the one that is dropped */
    double first;       /* used when there is no other */
};

struct spread_figures {
    double median, p5, p95, best;
    size_t samples; /* rates; 0: nothing was measured */
};

void spread_add(struct spread *spread, double rate);
/* Sorts the rates. */
struct spread_figures spread_figures(struct spread *spread);
/* Mean of the last tenth over that of the first, less 1; before spread_figures. 0 below 20. */
double spread_drift(const struct spread *spread);
void spread_done(struct spread *spread);

/* Value at p (0..1) of sorted values, interpolated; count > 0. Pure. */
double spread_at(const double *sorted, size_t count, double p);

#endif
