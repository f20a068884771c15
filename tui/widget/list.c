#include "widget/list.h"

#include "terminal/canvas.h"
#include "terminal/theme.h"

static bool can_select(const struct list *list, int index)
{
    return !list->is_selectable || list->is_selectable(list->user, index);
}

/* The nearest selectable row from `index` on in steps of `step`, -1 when there is none. */
static int seek(const struct list *list, int index, int step)
{
    for (; index >= 0 && index < list->count; index += step)
        if (can_select(list, index))
            return index;
    return -1;
}

void list_select(struct list *list, int index)
{
    if (index >= list->count)
        index = list->count - 1;
    if (index < 0)
        index = 0;
    int found = seek(list, index, 1);
    if (found < 0)
        found = seek(list, index, -1);
    list->selected = found;
}

void list_set_count(struct list *list, int count)
{
    list->count = count > 0 ? count : 0;
    list_select(list, list->selected);
}

static void step_by(struct list *list, int distance)
{
    int step = distance < 0 ? -1 : 1;
    int wanted = list->selected + distance;
    if (wanted < 0)
        wanted = 0;
    if (wanted >= list->count)
        wanted = list->count - 1;
    int found = seek(list, wanted, step);
    if (found < 0)
        found = seek(list, wanted, -step);
    bool is_behind = found >= 0 && (found - list->selected) * step < 0;
    if (found >= 0 && !is_behind)
        list->selected = found;
}

bool list_move(struct list *list, int motion)
{
    int page = list->rows > 1 ? list->rows - 1 : 1;
    int distance;
    switch (motion) {
    case LIST_UP:
        distance = -1;
        break;
    case LIST_DOWN:
        distance = 1;
        break;
    case LIST_PAGE_UP:
        distance = -page;
        break;
    case LIST_PAGE_DOWN:
        distance = page;
        break;
    case LIST_FIRST:
        distance = -list->count;
        break;
    case LIST_LAST:
        distance = list->count;
        break;
    default:
        return false;
    }
    if (list->selected >= 0)
        step_by(list, distance);
    return true;
}

void list_show(struct list *list, int rows)
{
    list->rows = rows;
    if (rows <= 0)
        return;
    int selected = list->selected < 0 ? 0 : list->selected;
    int first = selected; /* with its heading */
    while (first > 0 && selected - first + 1 < rows && !can_select(list, first - 1))
        first--;
    if (list->top > first)
        list->top = first;
    if (list->top < selected - rows + 1)
        list->top = selected - rows + 1;
    if (list->top > list->count - rows)
        list->top = list->count - rows;
    if (list->top < 0)
        list->top = 0;
}

void list_draw(struct rect area, struct list *list, enum glyph_tier tier, list_row_fn fn,
               void *user)
{
    if (rect_is_empty(area))
        return;
    list_show(list, area.rows);
    for (int i = 0; i < area.rows && list->top + i < list->count; i++) {
        int index = list->top + i;
        struct rect row = {area.row + i, area.column, 1, area.columns};
        struct rect text = row;
        (void)rect_take_left(&text, LIST_SIGN_CELLS);
        (void)rect_take_right(&text, 1);
        bool is_selected = index == list->selected;
        fn(user, index, text, is_selected);
        if (!is_selected)
            continue;
        canvas_text(row.row, row.column + 1, 1, ROLE_ACCENT, glyph_sign(tier, GLYPH_SELECTED));
        canvas_highlight(row.row, row.column, row.columns, ROLE_SELECT);
    }
    int below = list->count - list->top - area.rows;
    if (below > 0 && area.columns > 12)
        canvas_textf(area.row + area.rows - 1, area.column + area.columns - 11, 11, ROLE_DIM,
                     "  %3d more ", below);
}
