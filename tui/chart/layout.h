/* layout: from a screen size to the rectangles of a run's parts; parts fall away in a stated order
 * as room gets short. Pure. */
#ifndef CHART_LAYOUT_H
#define CHART_LAYOUT_H

#include "terminal/rect.h"

struct layout_run { /* an empty rectangle: the part is left out */
    struct rect title, rule, plot, phases, readout, progress, verdict, footer;
};

/* Order of falling away: verdict, phases, rule, footer, readout, progress; below 40x12 the plot
 * goes too and one status line (title) stays. Any size from 1x1 works. */
void layout_run(int rows, int columns, struct layout_run *ret_layout);

/* One to six plots of equal rank as a grid. */
#define LAYOUT_GRID_MAX 6
int layout_grid(struct rect area, int count, struct rect ret_cells[LAYOUT_GRID_MAX]);

#endif
