/* columns: from a series to one value per screen column: rates for DELTA metrics, states for
 * gauges, gaps kept as gaps. Pure. */
#ifndef CHART_COLUMNS_H
#define CHART_COLUMNS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "run/series.h"

struct column {
    bool has_value;
    double mean, min, max;
};

/* Window [from, to) of the series in `count` columns. `factor` multiplies (8 for bytes shown as
 * bits). */
void columns_make(const struct series *series, uint64_t from_ns, uint64_t to_ns, double factor,
                  size_t count, struct column *ret_columns);
/* The window to show: the whole run so far, from zero_ns on, in a window that grows in steps (10,
 * 20, 30, 60, 120, 300, 600 s … doubling after two days), so that the picture stands still between
 * them; a window that holds more ticks than `count` columns shows several in one. A plan up to two
 * minutes long is shown whole from its start, a longer one as soon as the steps reach it. A
 * finished run passes its length as planned_ns (0: not known) and fills the picture. A sample
 * should not be wider than eight columns: the first window of a slow tick is longer. */
void columns_window(uint64_t zero_ns, uint64_t now_ns, uint64_t tick_ns, uint64_t planned_ns,
                    size_t count, uint64_t *ret_from_ns, uint64_t *ret_to_ns);

#endif
