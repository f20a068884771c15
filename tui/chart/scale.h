/* scale: axis ranges in 1-2-5 steps: grows at once, shrinks with hysteresis. Pure. */
#ifndef CHART_SCALE_H
#define CHART_SCALE_H

#include <stdint.h>

#define SCALE_SHRINK_NS (5ull * 1000000000) /* this long below a third before it shrinks */

struct scale {
    double top;              /* 1, 2 or 5 times a power of ten, 0 before the first value */
    double step;             /* between labelled ticks */
    uint64_t small_since_ns; /* 0: not small */
};

/* Takes the largest value now shown; `rows` = height of the plot in cells. Returns 1 when it
 * changed. */
int scale_update(struct scale *scale, double largest, uint64_t now_ns, int rows);
double scale_nice_step(double range, int most_ticks); /* 1, 2, 5 x 10^n */

#endif
