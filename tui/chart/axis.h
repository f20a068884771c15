/* axis: where ticks stand and how they are written. Pure. */
#ifndef CHART_AXIS_H
#define CHART_AXIS_H

#define AXIS_LABEL_CELLS 5 /* the widest label */
#define AXIS_LABEL_SIZE 16

/* A value with as many decimals as the step asks for, in at most AXIS_LABEL_CELLS cells: "0.25",
 * "1000", "200k", "1e-05". Returns `into`. */
const char *axis_number(double value, double step, char into[AXIS_LABEL_SIZE]);

struct axis_time {
    double step_s;    /* between ticks: 1, 2, 5 x 10^n s, then 30 s, minutes, hours, days */
    double divisor_s; /* labels are seconds divided by this, in ... */
    const char *unit; /* "s", "min", "h", "d" */
};
/* Ticks for a window of `span_s` in `columns` cells, at least `apart` cells from each other. */
struct axis_time axis_time(double span_s, int columns, int apart);

#endif
