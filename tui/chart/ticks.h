/* ticks: an axis that may count in steps, in decades or in powers of two; where its ticks stand and
 * how they are written. Pure. */
#ifndef CHART_TICKS_H
#define CHART_TICKS_H

#include <stddef.h>

#include "chart/axis.h"

enum ticks_kind {
    TICKS_LINEAR, /* 0, 20, 40 */
    TICKS_LOG,    /* 1, 2, 5, 10, 20 */
    TICKS_BINARY, /* 32K, 64K, 128K: as a logarithm, labels are bytes */
};

struct ticks_axis {
    enum ticks_kind kind;
    double from, to; /* in the shown unit; of a logarithm both > 0 */
};

struct tick {
    double at; /* 0..1 of the axis */
    char label[AXIS_LABEL_SIZE];
};

#define TICKS_MAX 32

/* Where a value stands: 0..1, beyond that clamped; 0 for what a logarithm does not have. */
double ticks_place(const struct ticks_axis *axis, double value);
/* The value that stands there. */
double ticks_value(const struct ticks_axis *axis, double place);
/* Labelled ticks for so many cells, at least `apart` cells from each other; how many. */
size_t ticks_make(const struct ticks_axis *axis, int cells, int apart, struct tick into[TICKS_MAX]);
/* "512", "48K", "1.5M": bytes in the spelling sizes are typed in. */
const char *ticks_bytes(double bytes, char into[AXIS_LABEL_SIZE]);

/* Bounds around what is shown: of a logarithm in 1-2-5 steps, with room below its least value, so
 * that this one is more than nothing; a linear one begins at 0 and ends at one of its ticks.
 * Nothing known: 1 … 10 or 0 … 1. */
void ticks_around(struct ticks_axis *axis, double least, double largest);

#endif
