/* poster: a run to be read from three metres: one or two large numbers with their unit, a bar
 * against the ceiling, which device, one sentence. Made from the model alone. */
#ifndef VIEW_POSTER_H
#define VIEW_POSTER_H

#include "diagnose/verdict.h"
#include "run/model.h"
#include "terminal/glyph.h"
#include "terminal/rect.h"
#include "terminal/theme.h"

/* `sentence` stands below, in `role`. Any size. */
void poster_draw(struct rect area, const struct model *model, const struct verdict *verdict,
                 enum theme_role role, const char *sentence, enum glyph_tier tier);

#endif
