/* wrap: where to break a text into lines of so many cells. */
#ifndef WIDGET_WRAP_H
#define WIDGET_WRAP_H

#include <stddef.h>

/* Bytes of `text` that fit into `columns` cells, up to a blank where there is one; the rest begins
 * with that blank. Never 0 but for an empty text: what is too wide for a line is not broken up. */
size_t wrap_size(const char *text, int columns);

#endif
