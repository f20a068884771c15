/* list: a choice among rows: which is selected, which are in view. The state is pure; list_draw
 * puts it on the canvas. */
#ifndef WIDGET_LIST_H
#define WIDGET_LIST_H

#include <stdbool.h>

#include "terminal/glyph.h"
#include "terminal/keys.h"
#include "terminal/rect.h"

enum list_motion { /* actions of LIST_KEYS; above every screen's own */
                   LIST_UP = 1000,
                   LIST_DOWN,
                   LIST_PAGE_UP,
                   LIST_PAGE_DOWN,
                   LIST_FIRST,
                   LIST_LAST,
                   LIST_END
};

/* Rows for a key table. */
#define LIST_KEYS                                                                                  \
    {{KEY_CODE_UP}, LIST_UP, "up", NULL, "one line up"},                                           \
        {{KEY_CODE_DOWN}, LIST_DOWN, "down", NULL, "one line down"},                               \
        {{KEY_CODE_PAGE_UP}, LIST_PAGE_UP, "page up", NULL, "one screen up"},                      \
        {{KEY_CODE_PAGE_DOWN}, LIST_PAGE_DOWN, "page down", NULL, "one screen down"},              \
        {{KEY_CODE_HOME}, LIST_FIRST, "home", NULL, "the first line"},                             \
    {                                                                                              \
        {KEY_CODE_END}, LIST_LAST, "end", NULL, "the last line"                                    \
    }

struct list { /* {0}: empty, every row selectable */
    int count, selected, top;
    bool (*is_selectable)(const void *user, int index); /* NULL: all are */
    const void *user;
    int rows; /* height at the last list_show, what a page is */
};

/* Tells how many rows there are now; the selection stays where it can, and stands on a selectable
 * row when there is one (else -1). */
void list_set_count(struct list *list, int count);
void list_select(struct list *list, int index); /* or the nearest selectable row */
bool list_move(struct list *list, int motion);  /* false: not a motion */
/* Scrolls so that the selection is in view in `rows` lines, with the unselectable rows right above
 * it (its heading) when they fit. */
void list_show(struct list *list, int rows);

/* Draws row `index` into `row`, which begins LIST_SIGN_CELLS after the list's left edge: there is
 * the sign of the selected one. */
#define LIST_SIGN_CELLS 3
typedef void (*list_row_fn)(void *user, int index, struct rect row, bool is_selected);
void list_draw(struct rect area, struct list *list, enum glyph_tier tier, list_row_fn fn,
               void *user);

#endif
