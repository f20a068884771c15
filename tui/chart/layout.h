/* layout: from a screen size to the rectangles of a run's parts; parts fall away in a stated order
 * as room gets short. Pure. */
#ifndef CHART_LAYOUT_H
#define CHART_LAYOUT_H

#include "terminal/rect.h"

struct layout_run { /* an empty rectangle: the part is left out */
    struct rect title, rule, plot, phases, readout, progress, verdict, footer;
};

/* `phases` is the last row of `plot`, where plot_draw puts them; the others do not overlap. From
 * 20 rows on the readout has two rows, from 24 on the verdict, from 40 on it has three.
 * Order of falling away: verdict, phases, rule, footer, readout, progress. Below 40x12 there is no
 * plot, and what room is left goes to the others in the same order; the title always stays. Any
 * size from 1x1 works. */
void layout_run(int rows, int columns, struct layout_run *ret_layout);

/* One to six plots of equal rank as a grid that fills the area; returns how many cells there are.
 */
#define LAYOUT_GRID_MAX 6
int layout_grid(struct rect area, int count, struct rect ret_cells[LAYOUT_GRID_MAX]);

#endif
