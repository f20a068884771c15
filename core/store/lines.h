/* lines: a foreign text file, line by line, each of at most JSONL_LINE_MAX bytes. */
#ifndef STORE_LINES_H
#define STORE_LINES_H

#include <stddef.h>

struct str;

/* One line without its newline; a negative errno ends the reading. */
typedef int (*lines_fn)(void *user, const char *line, size_t size);

/* Calls `fn` for each line that is not empty. 0; the error of `fn`; or negative errno with a
 * sentence in `why` (no such file, a line too long). */
int lines_read(const char *path, lines_fn fn, void *user, struct str *why);

#endif
