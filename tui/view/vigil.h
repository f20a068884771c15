/* vigil: a stability test that is left for a night: its state in one large word, then what was
 * tested, how often, for how long, how warm, and the last wrong word bit by bit. Made from the
 * model alone, so that a replay shows the same. */
#ifndef VIEW_VIGIL_H
#define VIEW_VIGIL_H

#include "run/model.h"
#include "run/runner.h"
#include "terminal/glyph.h"
#include "terminal/rect.h"
#include "terminal/theme.h"

/* Whether this run is a stability test: it counts wrong words and passes. */
bool vigil_has(const struct model *model);
/* "STABLE", "ERRORS", "TESTING" …; with its role. */
const char *vigil_word(const struct model *model, enum theme_role *ret_role);
/* Wrong words found so far. */
double vigil_errors(const struct model *model);
/* Draws and returns what is left below, for a plot. */
struct rect vigil_draw(struct rect area, const struct model *model, enum glyph_tier tier);

#endif
