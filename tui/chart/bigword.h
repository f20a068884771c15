/* bigword: a word in letters five rows high, to be read from three metres. */
#ifndef CHART_BIGWORD_H
#define CHART_BIGWORD_H

#include "terminal/glyph.h"
#include "terminal/rect.h"
#include "terminal/theme.h"

#define BIGWORD_ROWS 5

/* Cells the word takes at most in so many columns: letters twice as wide where that has room; 0: it
 * does not fit even narrow. Capital letters, digits, a point, blanks; others are blank. */
int bigword_columns(const char *word, int columns);
/* Draws from the left, as many times larger as the area has rows and columns for; in one row of
 * plain text where it does not fit. */
void bigword_draw(struct rect area, const char *word, enum theme_role role, enum glyph_tier tier);

#endif
