/* theme_colour: one colour in three forms, for terminals of 16 million, 256 and 16 colours. Pure.
 */
#ifndef TERMINAL_THEME_COLOUR_H
#define TERMINAL_THEME_COLOUR_H

#include <stddef.h>

#include "terminal/theme.h"

/* "#ffb000 | 214 | yellow", "cyan", "default"; missing forms are computed. 0 or -EINVAL. */
int theme_colour_parse(const char *text, size_t size, struct theme_colour *ret_colour);

#endif
