/* home: the first screen: what can be tested here, in groups, with the last figures. */
#ifndef SCREEN_HOME_H
#define SCREEN_HOME_H

#include "screen/screen.h"

extern const struct screen home_screen;

#endif
