/* rect: a rectangle of cells. Pure. */
#ifndef TERMINAL_RECT_H
#define TERMINAL_RECT_H

#include <stdbool.h>

struct rect {
    int row, column, rows, columns; /* cells; rows or columns <= 0: empty */
};

bool rect_is_empty(struct rect r);
struct rect rect_take_top(struct rect *from, int rows); /* cuts off and returns; clamps */
struct rect rect_take_bottom(struct rect *from, int rows);
struct rect rect_take_left(struct rect *from, int columns);
struct rect rect_take_right(struct rect *from, int columns);
struct rect rect_inset(struct rect r, int rows, int columns);

#endif
