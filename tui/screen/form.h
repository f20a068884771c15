/* form: the options of one test as a form; its values are kept when it is left. */
#ifndef SCREEN_FORM_H
#define SCREEN_FORM_H

#include "screen/screen.h"

extern const struct screen form_screen;

#endif
