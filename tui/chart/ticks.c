#include "chart/ticks.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>

#include "base/cleanup.h"
#include "chart/scale.h"

#define LABELS_MOST 5
#define ROOM_BELOW 1.25 /* the least value is at least so many times the floor of a logarithm */

static bool is_log(const struct ticks_axis *axis)
{
    return axis->kind != TICKS_LINEAR;
}

static bool is_usable(const struct ticks_axis *axis)
{
    return isfinite(axis->from) && isfinite(axis->to) && axis->to > axis->from &&
           (!is_log(axis) || axis->from > 0);
}

double ticks_place(const struct ticks_axis *axis, double value)
{
    if (!is_usable(axis) || !isfinite(value) || (is_log(axis) && !(value > 0)))
        return 0;
    double place = is_log(axis) ? log(value / axis->from) / log(axis->to / axis->from)
                                : (value - axis->from) / (axis->to - axis->from);
    return place < 0 ? 0 : place > 1 ? 1 : place;
}

double ticks_value(const struct ticks_axis *axis, double place)
{
    if (!is_usable(axis))
        return axis->from;
    return is_log(axis) ? axis->from * pow(axis->to / axis->from, place)
                        : axis->from + (axis->to - axis->from) * place;
}

const char *ticks_bytes(double bytes, char into[AXIS_LABEL_SIZE])
{
    static const struct {
        double divisor;
        const char *suffix;
    } units[] = {{1024.0 * 1024 * 1024, "G"}, {1024.0 * 1024, "M"}, {1024.0, "K"}, {1, ""}};
    size_t unit = 0;
    while (unit + 1 < ARRAY_SIZE(units) && bytes < units[unit].divisor)
        unit++;
    double number = bytes / units[unit].divisor;
    bool is_whole = fabs(number - round(number)) < 0.05 || number >= 99.5;
    (void)snprintf(into, AXIS_LABEL_SIZE, "%.*f%s", is_whole ? 0 : 1, number, units[unit].suffix);
    return into;
}

static void add(const struct ticks_axis *axis, double value, double step, struct tick *into,
                size_t *count)
{
    if (*count == TICKS_MAX)
        return;
    struct tick *tick = &into[(*count)++];
    tick->at = ticks_place(axis, value);
    if (axis->kind == TICKS_BINARY)
        (void)ticks_bytes(value, tick->label);
    else
        (void)axis_number(value, step, tick->label);
}

static size_t make_linear(const struct ticks_axis *axis, int most, struct tick into[TICKS_MAX])
{
    size_t count = 0;
    double span = axis->to - axis->from;
    double step = scale_nice_step(span, most < LABELS_MOST ? most : LABELS_MOST);
    double first = ceil(axis->from / step - 1e-9);
    for (int i = 0; i < TICKS_MAX && (first + i) * step <= axis->to * (1 + 1e-9); i++)
        add(axis, (first + i) * step, step, into, &count);
    return count;
}

static size_t make_binary(const struct ticks_axis *axis, int most, struct tick into[TICKS_MAX])
{
    size_t count = 0;
    double first = ceil(log2(axis->from) - 1e-9), last = floor(log2(axis->to) + 1e-9);
    double step = 1;
    while (step <= last - first && floor((last - first) / step) + 1 > most)
        step++;
    for (double power = first; power <= last; power += step)
        add(axis, exp2(power), 1, into, &count);
    return count;
}

/* 1-2-5 within the bounds; every tenth only (or rarer) where all have no room. */
static size_t make_log(const struct ticks_axis *axis, int cells, int apart,
                       struct tick into[TICKS_MAX])
{
    static const double all[] = {1, 2, 5};
    size_t count = 0;
    double first = floor(log10(axis->from)), last = ceil(log10(axis->to));
    double cells_a_decade = cells / log10(axis->to / axis->from);
    bool has_all = cells_a_decade * log10(2) >= apart;
    double every = ceil(apart / cells_a_decade);
    for (double power = first; power <= last; power += has_all ? 1 : every) {
        for (size_t i = 0; i < ARRAY_SIZE(all); i++) {
            double value = all[i] * pow(10, power);
            bool is_wanted = i == 0 || has_all;
            if (is_wanted && value >= axis->from * (1 - 1e-9) && value <= axis->to * (1 + 1e-9))
                add(axis, value, value, into, &count);
        }
    }
    return count;
}

/* Fewer than two labels would leave the scale a riddle: then the bounds have them. */
static size_t add_bounds(const struct ticks_axis *axis, struct tick into[TICKS_MAX])
{
    size_t count = 0;
    add(axis, axis->from, axis->from, into, &count);
    add(axis, axis->to, axis->to, into, &count);
    return count;
}

size_t ticks_make(const struct ticks_axis *axis, int cells, int apart, struct tick into[TICKS_MAX])
{
    if (!is_usable(axis) || cells < 1 || apart < 1)
        return 0;
    int most = cells / apart > 1 ? cells / apart : 1;
    if (axis->kind == TICKS_LINEAR)
        return make_linear(axis, most, into);
    size_t count = axis->kind == TICKS_BINARY ? make_binary(axis, most, into)
                                              : make_log(axis, cells, apart, into);
    return count < 2 && cells >= apart ? add_bounds(axis, into) : count;
}

static double nice_below(double value)
{
    double above = scale_nice_step(value, 1);
    if (above <= value * (1 + 1e-9))
        return above;
    double power = pow(10, floor(log10(value)));
    double digit = value / power;
    return (digit >= 5 ? 5 : digit >= 2 ? 2 : 1) * power;
}

void ticks_around(struct ticks_axis *axis, double least, double largest)
{
    bool is_known = isfinite(least) && isfinite(largest) && largest > 0 &&
                    (!is_log(axis) || (least > 0 && largest >= least));
    if (!is_known) {
        axis->from = is_log(axis) ? 1 : 0;
        axis->to = is_log(axis) ? 10 : 1;
        return;
    }
    if (is_log(axis)) {
        axis->from = nice_below(least / ROOM_BELOW);
        axis->to = scale_nice_step(largest, 1);
        return;
    }
    double step = scale_nice_step(largest, LABELS_MOST);
    axis->from = 0;
    axis->to = ceil(largest / step - 1e-9) * step;
}
