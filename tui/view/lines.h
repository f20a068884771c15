/* lines: a text of many lines with roles, scrolled: help and results are built as one and then
 * drawn. Scrolling is pure. */
#ifndef VIEW_LINES_H
#define VIEW_LINES_H

#include <stddef.h>

#include "terminal/rect.h"
#include "terminal/theme.h"

struct lines_line {
    char *label, *text; /* label may be NULL: the text begins at the left */
    enum theme_role role;
};

struct lines { /* {0}: empty */
    struct lines_line *items;
    size_t count, capacity;
    int top, rows;
};

void lines_done(struct lines *lines);
void lines_clear(struct lines *lines); /* keeps the scroll position */
void lines_add(struct lines *lines, enum theme_role role, const char *text);
/* `label` in dim, `text` beside it in `role`. */
void lines_pair(struct lines *lines, const char *label, enum theme_role role, const char *text);
/* Adds text broken at blanks so that no line is wider than `columns` cells; the label stands before
 * the first. */
void lines_wrap(struct lines *lines, const char *label, enum theme_role role, const char *text,
                int columns);
void lines_scroll(struct lines *lines, int motion); /* enum list_motion */
void lines_draw(struct rect area, struct lines *lines, int label_cells);

#endif
