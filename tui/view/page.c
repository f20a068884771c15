#include "view/page.h"

#include "terminal/canvas.h"

#define GAP 3 /* between the footer's entries */

bool page_is_small(struct rect area)
{
    return area.rows < PAGE_ROWS_MIN || area.columns < PAGE_COLUMNS_MIN;
}

void page_line(struct rect row, enum theme_role role, const char *text)
{
    if (!rect_is_empty(row))
        canvas_text(row.row, row.column + 1, row.columns - 2, role, text);
}

void page_title(struct rect row, const char *strong, const char *rest, const char *right,
                enum theme_role right_role)
{
    if (rect_is_empty(row))
        return;
    int column = row.column + 1, room = row.columns - 2;
    int right_cells = right ? canvas_width(right) : 0;
    if (right_cells > room)
        right_cells = room;
    if (right_cells > 0) {
        canvas_text_right(row.row, column + room - right_cells, right_cells, right_role, right);
        room -= right_cells + 2;
    }
    int used = canvas_text(row.row, column, room, ROLE_ACCENT, strong);
    if (rest && used + 3 < room)
        canvas_text(row.row, column + used + 3, room - used - 3, ROLE_TEXT, rest);
}

struct page page_begin(struct rect area, const char *strong, const char *rest, const char *right,
                       enum theme_role right_role)
{
    struct page page = {.title = rect_take_top(&area, 1)};
    page_title(page.title, strong, rest, right, right_role);
    struct rect rule = rect_take_top(&area, 1);
    page.footer = rect_take_bottom(&area, 1);
    page.note = rect_take_bottom(&area, 1);
    struct rect lower = rect_take_bottom(&area, 1);
    page.body = area;
    if (!rect_is_empty(rule))
        canvas_rule(rule.row, rule.column, rule.columns);
    if (!rect_is_empty(lower))
        canvas_rule(lower.row, lower.column, lower.columns);
    return page;
}

struct rect page_small(struct rect area, const char *text, enum theme_role role)
{
    struct rect row = rect_take_top(&area, 1);
    if (!rect_is_empty(row))
        canvas_text(row.row, row.column, row.columns, role, text);
    bool has_room = area.rows >= PAGE_SMALL_ROWS && area.columns >= PAGE_SMALL_COLUMNS;
    return has_room ? area : (struct rect){0};
}

void page_footer(struct rect row, const struct key_row *keys)
{
    if (rect_is_empty(row))
        return;
    int column = row.column + 1, end = row.column + row.columns - 1;
    for (; keys->keys[0]; keys++) {
        if (!keys->label)
            continue;
        int cells = canvas_width(keys->name) + 1 + canvas_width(keys->label);
        if (column + cells > end)
            break;
        column += canvas_text(row.row, column, end - column, ROLE_ACCENT, keys->name) + 1;
        column += canvas_text(row.row, column, end - column, ROLE_DIM, keys->label) + GAP;
    }
}
