/* term_kind: what sort of terminal a TERM names, as its description tells. */
#ifndef TERMINAL_TERM_KIND_H
#define TERMINAL_TERM_KIND_H

#include <stdbool.h>

struct term_kind {
    bool is_known; /* there is a description that says something */
    bool is_paper; /* goes from line to line only: hardcopy, or a cursor that cannot be moved */
    bool is_ansi;  /* takes sequences that begin with ESC [ */
    bool is_wrapping_at_once; /* the cursor goes to the next line behind the last column */
};

/* Before curses is started: the description it looks at is let go again. */
struct term_kind term_kind_of(const char *name);

#endif
