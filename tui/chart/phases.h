/* phases: the row below a plot: a shaded band for each phase of the run, with its name. */
#ifndef CHART_PHASES_H
#define CHART_PHASES_H

#include "chart/plot.h"

void phases_draw(struct rect row, const struct plot *plot, enum glyph_tier tier);

#endif
