/* term_style: a theme's roles as curses attributes and colour pairs, and the palette of a console.
 */
#ifndef TERMINAL_TERM_STYLE_H
#define TERMINAL_TERM_STYLE_H

#include <stdbool.h>
#include <stdint.h>

#include "terminal/theme.h"

struct term_style {
    uint32_t attributes; /* curses' attr_t */
    short pair;
};

/* What the terminal can: colours (0: mono), a Linux console, a font that takes the bold bit. */
void term_style_open(int colours, bool is_console, bool has_high_font);
void term_style_apply(const struct theme *theme);
bool term_style_has_palette(void); /* a console's palette is changed just now */
void term_style_reset(void);       /* gives the palette back */

struct term_style term_style(enum theme_role role, unsigned style); /* style: enum theme_style */

#endif
