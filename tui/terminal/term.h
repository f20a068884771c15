/* term: the terminal itself: newterm with fall-backs, raw keys, size, restore on every exit path.
 * Only the term files and canvas include curses. One terminal per process. */
#ifndef TERMINAL_TERM_H
#define TERMINAL_TERM_H

#include <stdbool.h>
#include <stdint.h>

#include "terminal/glyph.h"
#include "terminal/paper.h"
#include "terminal/theme.h"

struct term_plan {
    const char *glyphs; /* "auto" or a tier's name */
    const struct theme *theme;
    bool no_colour; /* NO_COLOR is honoured besides */
};

/* Opens the terminal on stdin/stdout: sets the locale (an unset one becomes C.UTF-8), installs the
 * crash handlers, saves termios. 0 or negative errno with a sentence on stderr's behalf in `why`;
 * with 0 the sentence, when there is one, is worth showing: TERM says nothing, or no screen. */
int term_open(const struct term_plan *plan, char *why, unsigned why_size);
void term_close(void); /* restores; safe to call twice */

/* Where the terminal cannot move its cursor: drawings become lines. NULL on a screen. */
struct paper *term_paper(void);

int term_rows(void);
int term_columns(void);
enum glyph_tier term_glyphs(void);
bool term_is_serial(void); /* slow line: sweep plots, no clock seconds */
int term_colours(void);    /* 0: mono */
void term_resized(void);   /* after SIGWINCH: reads the size anew, forces a full repaint */
void term_repaint(void);   /* Ctrl-L */
void term_set_theme(const struct theme *theme);

/* Next key (enum key_code or a Unicode character), 0 when none waits. Waits only to see whether an
 * escape is a key of its own: 25 ms, 100 ms on a serial line. */
int term_key(void);

bool term_can_show(uint32_t character); /* whether it has a shape here */
bool term_is_open(void);

#endif
