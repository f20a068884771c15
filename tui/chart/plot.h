/* plot: draws series over time: axis, labels, units, ceiling line, phases, read-outs. Draws from
 * state given by its caller; knows no run. Filled series lie below, lines of markers are cut out of
 * them. A gap within a series is dotted (? in ASCII), a zero is not; before and after its samples
 * a series is blank. A line above the scale runs along the top as arrows, and the legend names its
 * largest value. What has no room falls away: phases, times, unit, axis. */
#ifndef CHART_PLOT_H
#define CHART_PLOT_H

#include <stdbool.h>
#include <stddef.h>

#include "chart/columns.h"
#include "chart/scale.h"
#include "terminal/glyph.h"
#include "terminal/rect.h"
#include "terminal/theme.h"

#define PLOT_SERIES_MAX 8
#define PLOT_PHASES_MAX 8
#define PLOT_ABOVE "↑" /* beyond the scale */

struct plot_series {
    const char *label;
    const struct column *columns; /* as many as plot_columns() said */
    enum theme_role role;
    bool is_filled; /* else drawn as a line of markers */
    int marker;     /* 0..7 */
};
struct plot_phase {
    const char *name;
    double from, to; /* fraction of the window, 0..1 */
};
struct plot {
    const char
        *unit; /* "MB/s": axis unit; values in columns are already in it times `unit_divisor` */
    double unit_divisor; /* 1e6 */
    struct plot_series series[PLOT_SERIES_MAX];
    size_t series_count;
    struct plot_phase phases[PLOT_PHASES_MAX];
    size_t phase_count;
    double ceiling; /* as the columns' values; 0: none; above the scale it is only named */
    const char *ceiling_label;
    double from_s, to_s; /* time axis */
    const struct scale *scale;
    int cursor;          /* column read out above the plot, -1: none */
    bool hides_times;    /* one below has the same time axis, with its labels and the phases */
    const char *waiting; /* said while there is no sample; NULL: "no samples yet" */
};

/* Columns of the plotting area for a rectangle of this size (axis labels taken off); <= 0: too
 * small. */
int plot_columns(struct rect area);
/* Rows of the plotting area itself. */
int plot_rows(struct rect area, const struct plot *plot);
void plot_draw(struct rect area, const struct plot *plot, enum glyph_tier tier);

#endif
