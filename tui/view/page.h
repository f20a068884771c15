/* page: the parts every screen has: title line, rules, body, note line, footer of keys. Small
 * screens have one line of status instead. */
#ifndef VIEW_PAGE_H
#define VIEW_PAGE_H

#include <stdbool.h>

#include "terminal/keys.h"
#include "terminal/rect.h"
#include "terminal/theme.h"

#define PAGE_ROWS_MIN 12
#define PAGE_COLUMNS_MIN 40

struct page { /* an empty rectangle: the part is left out */
    struct rect title, body, note, footer;
};

bool page_is_small(struct rect area);
/* Draws title and rules and returns where the rest goes. `rest` follows `strong` and may be NULL as
 * may `right`. */
struct page page_begin(struct rect area, const char *strong, const char *rest, const char *right,
                       enum theme_role right_role);
/* One line for a small screen; returns what is left for a list, empty when that is too little. */
#define PAGE_SMALL_ROWS 2
#define PAGE_SMALL_COLUMNS 16
struct rect page_small(struct rect area, const char *text, enum theme_role role);
/* The title line alone; page_begin draws it too. */
void page_title(struct rect row, const char *strong, const char *rest, const char *right,
                enum theme_role right_role);
/* As many of the table's keys as fit, in its order. */
void page_footer(struct rect row, const struct key_row *keys);
/* A line of text one cell in from the left. */
void page_line(struct rect row, enum theme_role role, const char *text);

#endif
