/* typed: what is typed on a terminal without a screen, a character at a time. There a key comes by
 * itself, with CR for Enter, or in a whole line that ends in LF (an editor's shell, a script). One
 * terminal per process. */
#ifndef TERMINAL_TYPED_H
#define TERMINAL_TYPED_H

#include <stdbool.h>
#include <stdint.h>

/* No echo, no waiting for the end of a line, no signals from keys; the output stays as it is. */
void typed_open(int fd);

/* Waits at most so long. False when nothing came. Only the LF of an empty line is told, as '\n':
 * that of a filled one just ends it. */
bool typed_next(int wait_ms, uint32_t *ret_character);
void typed_again(uint32_t character); /* comes next once more; one at a time */

#endif
