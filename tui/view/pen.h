/* pen: writes figures side by side into one row: a name in dim, its value beside it. A figure that
 * has no room is left out whole: one that is cut would be another figure. */
#ifndef VIEW_PEN_H
#define VIEW_PEN_H

#include <stdbool.h>

#include "terminal/rect.h"
#include "terminal/theme.h"

struct pen {
    struct rect row;
    int column;
};

struct pen pen_at(struct rect row); /* one cell in from the left */
void pen_text(struct pen *pen, enum theme_role role, const char *text);
/* False: it had no room. `name` may be "". */
bool pen_figure(struct pen *pen, const char *name, enum theme_role role, const char *value);

#endif
