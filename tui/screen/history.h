/* history: stored runs, searched and replayed. */
#ifndef SCREEN_HISTORY_H
#define SCREEN_HISTORY_H

#include "screen/screen.h"

extern const struct screen history_screen;

#endif
