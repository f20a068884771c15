/* panels: the charts of a test whose figures stand by lane: which ones, by a table of the metrics
 * they need; one below the other. Also the line of figures under them. Made from the model alone,
 * so that a replay shows the same. State of a view, not of the run. */
#ifndef VIEW_PANELS_H
#define VIEW_PANELS_H

#include "diagnose/verdict.h"
#include "run/model.h"
#include "terminal/glyph.h"
#include "terminal/rect.h"

/* Whether this run has charts of its own; else the picture over time is all there is. */
bool panels_has(const struct model *model);
/* Whether one of them is a rate that the peak of the memory bounds. */
bool panels_has_ceiling(const struct model *model);
/* Points or rows the cursor can stand on. */
int panels_stops(const struct model *model);
/* `cursor` < 0: none. The figures take the last row where that leaves room for a chart, and the
 * whole of an area that has none. Any size. */
void panels_draw(struct rect area, const struct model *model, const struct verdict *verdict,
                 int cursor, bool has_figures, enum glyph_tier tier);

#endif
