/* curve: y over x for a few series of points: axes of any kind, edges as upright lines with their
 * names above, a ceiling, a cursor on one point. A filled series is a landscape between its points,
 * another a line of markers. Draws from state given by its caller; knows no run. What has no room
 * falls away: names, x labels, unit, axes. */
#ifndef CHART_CURVE_H
#define CHART_CURVE_H

#include <stdbool.h>
#include <stddef.h>

#include "chart/ticks.h"
#include "terminal/glyph.h"
#include "terminal/rect.h"
#include "terminal/theme.h"

#define CURVE_SERIES_MAX 4
#define CURVE_EDGES_MAX 8
#define CURVE_NAME_MAX 32

struct curve_point {
    double x, y;
};
struct curve_series {
    const char *label;
    const struct curve_point *points; /* x not falling; in the units of the axes */
    size_t count;
    enum theme_role role;
    bool is_filled;
    int marker; /* 0..7 */
};
struct curve_edge {
    double x;
    char name[CURVE_NAME_MAX]; /* "": only a sign on the axis, as measured */
};
struct curve {
    struct ticks_axis x, y;
    const char *x_unit, *y_unit; /* "MB/s"; x_unit NULL: the labels tell it */
    struct curve_series series[CURVE_SERIES_MAX];
    size_t series_count;
    struct curve_edge edges[CURVE_EDGES_MAX];
    size_t edge_count;
    double ceiling; /* 0: none; beyond the axis it is only named */
    const char *ceiling_label;
    const char *waiting; /* said while there is no point */
    int cursor;          /* point of the first series, -1: none */
    bool hides_x;        /* no x labels: those of the curve below hold */
};

void curve_draw(struct rect area, const struct curve *curve, enum glyph_tier tier);

#endif
