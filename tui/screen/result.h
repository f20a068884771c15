/* result: what a run gave: headline, warnings, verdict, method, phases, facts. */
#ifndef SCREEN_RESULT_H
#define SCREEN_RESULT_H

#include "screen/screen.h"

extern const struct screen result_screen;

#endif
