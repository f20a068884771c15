/* script: the commands of a script, a line each; dump.c lists them. */
#ifndef PTY_SCRIPT_H
#define PTY_SCRIPT_H

#include "judge.h"

/* Does one line: 0, 1 when something did not come true, 2 when the line is bad. */
int script_line(struct judge *judge, char *line);

#endif
