/* lanes: a row for each stream or client of a network run: what it moved over time, all to one
 * scale, and its figures. Made from the model alone. */
#ifndef VIEW_LANES_H
#define VIEW_LANES_H

#include "chart/scale.h"
#include "report/traffic.h"
#include "terminal/glyph.h"
#include "terminal/rect.h"
#include "view/picture.h"

/* Those that have a series. */
int lanes_count(const struct model *model, const struct traffic *traffic);
/* The window is the picture's last one. */
void lanes_draw(struct rect area, const struct model *model, const struct traffic *traffic,
                const struct picture *picture, struct scale *scale, enum glyph_tier tier);

#endif
