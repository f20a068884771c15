/* charset: the locale of the screen. A set one is obeyed; an unset one becomes UTF-8, because a
 * console's getty unsets the variables while the console itself reads UTF-8. */
#ifndef TERMINAL_CHARSET_H
#define TERMINAL_CHARSET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

bool charset_open(void); /* sets LC_CTYPE only; true: UTF-8 */

/* The next character of UTF-8 text and its size in bytes (1..4; 0 at the end). Invalid bytes are
 * U+FFFD, one each. Independent of the locale. */
uint32_t charset_decode(const char *text, size_t *ret_size);
/* Into at most 4 bytes, not NUL-ended; returns their number. */
size_t charset_encode(uint32_t character, char into[4]);

#define CHARSET_BAD 0xfffd

#endif
