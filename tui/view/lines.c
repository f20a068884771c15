#include "view/lines.h"

#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "terminal/canvas.h"
#include "widget/list.h"
#include "widget/wrap.h"

void lines_clear(struct lines *lines)
{
    for (size_t i = 0; i < lines->count; i++) {
        free(lines->items[i].label);
        free(lines->items[i].text);
    }
    lines->count = 0;
}

void lines_done(struct lines *lines)
{
    lines_clear(lines);
    free(lines->items);
    *lines = (struct lines){0};
}

void lines_pair(struct lines *lines, const char *label, enum theme_role role, const char *text)
{
    if (lines->count == lines->capacity) {
        lines->capacity = lines->capacity ? 2 * lines->capacity : 32;
        lines->items = mem_grow(lines->items, lines->capacity, sizeof *lines->items);
    }
    lines->items[lines->count++] = (struct lines_line){
        .label = label ? mem_copy_text(label) : NULL,
        .text = mem_copy_text(text),
        .role = role,
    };
}

void lines_add(struct lines *lines, enum theme_role role, const char *text)
{
    lines_pair(lines, NULL, role, text);
}

void lines_wrap(struct lines *lines, const char *label, enum theme_role role, const char *text,
                int columns)
{
    do {
        size_t size = wrap_size(text, columns > 8 ? columns : 8);
        struct str part = {0};
        str_add_bytes(&part, text, size);
        lines_pair(lines, label, role, str_text(&part));
        str_done(&part);
        label = label ? "" : NULL;
        text += size;
        while (*text == ' ')
            text++;
    } while (*text);
}

void lines_scroll(struct lines *lines, int motion)
{
    int page = lines->rows > 1 ? lines->rows - 1 : 1;
    int last = (int)lines->count - lines->rows;
    switch (motion) {
    case LIST_UP:
        lines->top--;
        break;
    case LIST_DOWN:
        lines->top++;
        break;
    case LIST_PAGE_UP:
        lines->top -= page;
        break;
    case LIST_PAGE_DOWN:
        lines->top += page;
        break;
    case LIST_FIRST:
        lines->top = 0;
        break;
    case LIST_LAST:
        lines->top = last;
        break;
    default:
        return;
    }
    if (lines->top > last)
        lines->top = last;
    if (lines->top < 0)
        lines->top = 0;
}

void lines_draw(struct rect area, struct lines *lines, int label_cells)
{
    lines->rows = area.rows;
    if (rect_is_empty(area))
        return;
    if (lines->top > (int)lines->count - area.rows)
        lines->top = (int)lines->count - area.rows;
    if (lines->top < 0)
        lines->top = 0;
    for (int i = 0; i < area.rows && lines->top + i < (int)lines->count; i++) {
        const struct lines_line *line = &lines->items[lines->top + i];
        int row = area.row + i, column = area.column + 1, room = area.columns - 2;
        if (line->label) {
            canvas_text(row, column, label_cells - 1, ROLE_DIM, line->label);
            column += label_cells;
            room -= label_cells;
        }
        canvas_text(row, column, room, line->role, line->text);
    }
    int below = (int)lines->count - lines->top - area.rows;
    if (below > 0 && area.columns > 12)
        canvas_textf(area.row + area.rows - 1, area.column + area.columns - 11, 11, ROLE_DIM,
                     "  %3d more ", below);
}
