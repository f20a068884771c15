/* quantity: in which unit a metric is drawn and read: chosen by its unit and by its largest value,
 * so that axis and read-outs agree. Pure. */
#ifndef VIEW_QUANTITY_H
#define VIEW_QUANTITY_H

#include "run/model.h"

struct quantity {
    const char *unit; /* "MB/s" */
    double factor;    /* base value times factor (8: bytes shown as bits) ... */
    double divisor;   /* ... through divisor is the number shown */
};

/* `largest` is the largest live value of the metric in base units (a rate for DELTA). */
struct quantity quantity_of(const struct frame_metric *metric, double largest);

#define QUANTITY_TEXT_MAX 32
struct quantity_text {
    char text[QUANTITY_TEXT_MAX];
};
/* "4.9", "71.2", "940": a number of about three digits, without its unit. */
struct quantity_text quantity_number(const struct quantity *quantity, double value);
/* The same so that decimal points stand below each other: the part before the point is four cells
 * wide, the part after it two. */
struct quantity_text quantity_column(const struct quantity *quantity, double value);

#endif
