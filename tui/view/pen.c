#include "view/pen.h"

#include "terminal/canvas.h"

#define APART 3 /* cells between figures */

struct pen pen_at(struct rect row)
{
    return (struct pen){row, row.column + 1};
}

static int end_of(const struct pen *pen)
{
    return rect_is_empty(pen->row) ? 0 : pen->row.column + pen->row.columns - 1;
}

void pen_text(struct pen *pen, enum theme_role role, const char *text)
{
    int end = end_of(pen);
    if (pen->column < end)
        pen->column += canvas_text(pen->row.row, pen->column, end - pen->column, role, text);
}

bool pen_figure(struct pen *pen, const char *name, enum theme_role role, const char *value)
{
    int gap = name[0] ? 1 : 0;
    if (pen->column + canvas_width(name) + gap + canvas_width(value) > end_of(pen))
        return false;
    pen_text(pen, ROLE_DIM, name);
    pen->column += gap;
    pen_text(pen, role, value);
    pen->column += APART;
    return true;
}
