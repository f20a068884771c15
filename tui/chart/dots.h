/* dots: a straight dotted line between two places of a field: braille dots where the terminal has
 * them, else a dot a cell. */
#ifndef CHART_DOTS_H
#define CHART_DOTS_H

#include "terminal/glyph.h"
#include "terminal/rect.h"
#include "terminal/theme.h"

/* Places are 0..1 from the left and from the floor. */
void dots_line(struct rect field, double x0, double y0, double x1, double y1, enum theme_role role,
               enum glyph_tier tier);

#endif
