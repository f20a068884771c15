/* runs: all runs of this screen, alive and over. */
#ifndef SCREEN_RUNS_H
#define SCREEN_RUNS_H

#include "screen/screen.h"

extern const struct screen runs_screen;

#endif
