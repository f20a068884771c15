/* legend: the row above a plot: unit, names of the series, or what stands under the cursor; at the
 * right the ceiling. */
#ifndef CHART_LEGEND_H
#define CHART_LEGEND_H

#include "chart/plot.h"

void legend_draw(struct rect row, int field_columns, const struct plot *plot, enum glyph_tier tier);

#endif
