/* menu: the test kinds of one device; what does not fit stays, dim, with its reason. */
#ifndef SCREEN_MENU_H
#define SCREEN_MENU_H

#include "screen/screen.h"

extern const struct screen menu_screen;

#endif
