#include "chart/axis.h"

#include <math.h>
#include <stddef.h>
#include <stdio.h>

#include "base/cleanup.h"
#include "chart/scale.h"

#define DECIMALS_MAX 3

static const struct {
    double from_step_s, divisor_s;
    const char *unit;
} time_units[] = {{86400, 86400, "d"}, {3600, 3600, "h"}, {60, 60, "min"}, {0, 1, "s"}};

#define UNITS_IN_SPAN 3 /* a span of so many minutes has ticks by the minute, not by the second */

/* Above ten seconds clocks do not count in tens. */
static const double time_steps_s[] = {10,   20,   30,    60,    120,   300,   600,    900,   1800,
                                      3600, 7200, 10800, 21600, 43200, 86400, 172800, 604800};

const char *axis_number(double value, double step, char into[AXIS_LABEL_SIZE])
{
    static const struct {
        double from, divisor;
        const char *suffix;
    } large[] = {{1e11, 1e9, "G"}, {1e8, 1e6, "M"}, {1e5, 1e3, "k"}};
    int decimals = 0;
    double size = fabs(value);

    for (size_t i = 0; i < ARRAY_SIZE(large); i++) {
        if (size >= large[i].from) {
            (void)snprintf(into, AXIS_LABEL_SIZE, "%.0f%s", value / large[i].divisor,
                           large[i].suffix);
            return into;
        }
    }
    if (size > 0 && step < 1e-3) {
        (void)snprintf(into, AXIS_LABEL_SIZE, "%.0e", value);
        return into;
    }
    while (decimals < DECIMALS_MAX && step > 0 && step < 0.9999 * pow(10, -decimals))
        decimals++;
    (void)snprintf(into, AXIS_LABEL_SIZE, "%.*f", value > 0 ? decimals : 0, value);
    return into;
}

struct axis_time axis_time(double span_s, int columns, int apart)
{
    struct axis_time axis = {1, 1, "s"};
    double least_s = columns > 0 ? span_s * apart / columns : span_s;

    if (!(span_s > 0) || !isfinite(span_s))
        return axis;
    axis.step_s = scale_nice_step(least_s, 1);
    for (size_t i = 0; axis.step_s > 5 && i < ARRAY_SIZE(time_steps_s); i++) {
        if (time_steps_s[i] >= least_s) {
            axis.step_s = time_steps_s[i];
            break;
        }
    }
    for (size_t i = 0; i < ARRAY_SIZE(time_units); i++) {
        if (span_s >= UNITS_IN_SPAN * time_units[i].divisor_s) {
            axis.step_s = fmax(axis.step_s, time_units[i].from_step_s);
            break;
        }
    }
    size_t unit = 0;
    while (axis.step_s < time_units[unit].from_step_s)
        unit++;
    axis.divisor_s = time_units[unit].divisor_s;
    axis.unit = time_units[unit].unit;
    return axis;
}
