/* line: one line of text being typed: UTF-8, a cursor between characters. Pure. */
#ifndef WIDGET_LINE_H
#define WIDGET_LINE_H

#include <stdbool.h>
#include <stddef.h>

#define LINE_MAX_BYTES 256 /* with the ending NUL */

struct line { /* {0}: empty */
    char text[LINE_MAX_BYTES];
    size_t size, cursor; /* bytes; cursor <= size, never inside a character */
};

/* Takes the text up to the last whole character that fits; the cursor goes to its end. */
void line_set(struct line *line, const char *text);
/* Characters are put in at the cursor; arrows, home, end, backspace, delete and Ctrl-U do what they
 * say. True when the key was one of these, whether or not it changed anything. */
bool line_key(struct line *line, int key);

#endif
