#include "chart/scale.h"

#include <math.h>
#include <stddef.h>

#include "base/cleanup.h"

#define ROWS_PER_TICK 2 /* labels stand at least this far apart */
#define TICKS_MOST 5    /* more is no more exact, only less calm */
#define SHRINK_BELOW (1.0 / 3)

static const double nice_numbers[] = {1, 2, 5, 10};

/* The smallest of 1, 2, 5 x 10^n that is at least `value` (> 0). */
static double nice_above(double value)
{
    double power = pow(10, floor(log10(value)));

    for (size_t i = 0; i < ARRAY_SIZE(nice_numbers); i++) {
        /* a hair of slack: 0.1 + 0.2 shall fit into 0.3's step */
        if (value <= nice_numbers[i] * power * (1 + 1e-9))
            return nice_numbers[i] * power;
    }
    return 10 * power;
}

double scale_nice_step(double range, int most_ticks)
{
    if (!(range > 0) || !isfinite(range))
        return 1;
    return nice_above(range / (most_ticks > 1 ? most_ticks : 1));
}

/* Steps divide the top: a label stands at it. Two does not divide five, then five does. */
static double step_of(double top, int rows)
{
    int most = rows / ROWS_PER_TICK < TICKS_MOST ? rows / ROWS_PER_TICK : TICKS_MOST;
    double step = scale_nice_step(top, most);
    double ticks = top / step;

    if (fabs(ticks - round(ticks)) > 1e-6)
        step = scale_nice_step(top, 1);
    return step;
}

static int set_top(struct scale *scale, double top, int rows)
{
    double step = step_of(top, rows);
    int is_changed =
        scale->top < top || scale->top > top || scale->step < step || scale->step > step;

    scale->top = top;
    scale->step = step;
    scale->small_since_ns = 0;
    return is_changed;
}

int scale_update(struct scale *scale, double largest, uint64_t now_ns, int rows)
{
    if (!(largest > 0) || !isfinite(largest))
        largest = 0;
    if (largest > scale->top)
        return set_top(scale, nice_above(largest), rows);
    if (!(scale->top > 0))
        return 0;
    if (largest >= scale->top * SHRINK_BELOW) {
        scale->small_since_ns = 0;
    } else if (scale->small_since_ns == 0) {
        scale->small_since_ns = now_ns ? now_ns : 1;
    } else if (now_ns - scale->small_since_ns >= SCALE_SHRINK_NS && largest > 0) {
        return set_top(scale, nice_above(largest), rows);
    }
    /* The height may have changed, and with it the room for labels. */
    uint64_t since_ns = scale->small_since_ns;
    int is_changed = set_top(scale, scale->top, rows);
    scale->small_since_ns = since_ns;
    return is_changed;
}
