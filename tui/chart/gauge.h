/* gauge: a horizontal bar with a value against a whole. */
#ifndef CHART_GAUGE_H
#define CHART_GAUGE_H

#include "terminal/glyph.h"
#include "terminal/rect.h"
#include "terminal/theme.h"

void gauge_draw(struct rect area, double fraction, enum theme_role role, enum glyph_tier tier);

#endif
