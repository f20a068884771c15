#include "terminal/rect.h"

static int clamp(int value, int low, int high)
{
    return value < low ? low : value > high ? high : value;
}

bool rect_is_empty(struct rect r)
{
    return r.rows <= 0 || r.columns <= 0;
}

struct rect rect_take_top(struct rect *from, int rows)
{
    struct rect taken = *from;

    taken.rows = clamp(rows, 0, from->rows > 0 ? from->rows : 0);
    from->row += taken.rows;
    from->rows -= taken.rows;
    return taken;
}

struct rect rect_take_bottom(struct rect *from, int rows)
{
    struct rect taken = *from;

    taken.rows = clamp(rows, 0, from->rows > 0 ? from->rows : 0);
    from->rows -= taken.rows;
    taken.row = from->row + from->rows;
    return taken;
}

struct rect rect_take_left(struct rect *from, int columns)
{
    struct rect taken = *from;

    taken.columns = clamp(columns, 0, from->columns > 0 ? from->columns : 0);
    from->column += taken.columns;
    from->columns -= taken.columns;
    return taken;
}

struct rect rect_take_right(struct rect *from, int columns)
{
    struct rect taken = *from;

    taken.columns = clamp(columns, 0, from->columns > 0 ? from->columns : 0);
    from->columns -= taken.columns;
    taken.column = from->column + from->columns;
    return taken;
}

struct rect rect_inset(struct rect r, int rows, int columns)
{
    struct rect inner = {r.row + rows, r.column + columns, r.rows - 2 * rows,
                         r.columns - 2 * columns};

    if (inner.rows < 0)
        inner.rows = 0;
    if (inner.columns < 0)
        inner.columns = 0;
    return inner;
}
