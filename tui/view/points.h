/* points: what a chart shows of a run, gathered from its model: a curve's points from results by
 * lane, bars from its phases or from results by lane, edges from what it tells of the caches. Pure.
 */
#ifndef VIEW_POINTS_H
#define VIEW_POINTS_H

#include "chart/bars.h"
#include "chart/curve.h"
#include "run/model.h"
#include "view/quantity.h"

#define POINTS_MAX 256 /* lanes */

struct points {
    struct curve_point items[POINTS_MAX]; /* base units, x not falling */
    size_t count;
};

/* A result by metric and lane, or of the whole test: true when there is one. */
bool points_value(const struct model *model, int metric, unsigned lane, double *ret_value);
/* The lanes that have both. -1 as a metric: none. */
void points_gather(struct points *points, const struct model *model, int x, int y);
/* The points in shown units. */
void points_show(struct points *points, const struct quantity *x, const struct quantity *y);
double points_least(const struct points *points); /* of y; 0: there is none */
double points_largest(const struct points *points);

/* A row a lane that has a result; `name` as of one: "chain". */
void points_lanes(struct bars *bars, const struct model *model, int metric, const char *name);
/* A row for what a phase is named ("read, 2 threads": row "read", value "2 threads"; "50m rd": row
 * "rd", value "50m"): the mean rate of what moved within it, or the median that the facts of
 * the finished run tell. Base units. */
void points_phases(struct bars *bars, const struct model *model);
/* Base units into shown ones. */
void points_show_bars(struct bars *bars, const struct quantity *quantity);
double points_largest_bar(const struct bars *bars);

/* Cache edges: the measured ones without a name, those of the fact "caches" with theirs ("L1 48K").
 * How many. */
size_t points_edges(struct curve_edge edges[CURVE_EDGES_MAX], const struct model *model);
/* A size such as "48 KiB, …" at the beginning of a text; 0: none. */
double points_size(const char *text);

#endif
