/* run: one run while it goes on: plot, read-outs, progress, sentence. */
#ifndef SCREEN_RUN_H
#define SCREEN_RUN_H

#include "screen/screen.h"

extern const struct screen run_screen;

#endif
