/* help: all keys, from the key tables. */
#ifndef SCREEN_HELP_H
#define SCREEN_HELP_H

#include "screen/screen.h"

extern const struct screen help_screen;

#endif
