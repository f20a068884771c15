/* flowline: the figures of a network run in rows: what each direction moved and lost, how its
 * connections do, what each stream does. Made from the model alone. */
#ifndef VIEW_FLOWLINE_H
#define VIEW_FLOWLINE_H

#include "report/traffic.h"
#include "terminal/glyph.h"
#include "terminal/rect.h"

/* Rows that all of it takes. */
int flowline_rows(const struct model *model, const struct traffic *traffic);
/* As many rows as `area` has, those that matter first. */
void flowline_draw(struct rect area, const struct model *model, const struct traffic *traffic,
                   enum glyph_tier tier);
/* "940 Mbit/s", "out 938 in 113 Mbit/s": for a screen of one line; nothing before the first sample.
 */
void flowline_add_short(const struct model *model, const struct traffic *traffic, struct str *into);

#endif
