#include "view/quantity.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/cleanup.h"
#include "iodyno/plugin.h"

struct step { /* from `least` on, values are shown in this unit */
    double least;
    const char *unit;
    double divisor;
};

static const struct step bytes_per_s[] = {
    {2e10, "GB/s", 1e9}, {1e5, "MB/s", 1e6}, {0, "kB/s", 1e3}};
static const struct step bits_per_s[] = {
    {2e10, "Gbit/s", 1e9}, {1e5, "Mbit/s", 1e6}, {0, "kbit/s", 1e3}};
static const struct step per_s[] = {{1e6, "M/s", 1e6}, {1e5, "k/s", 1e3}, {0, "/s", 1}};
static const struct step bytes[] = {{1e9, "GB", 1e9}, {1e6, "MB", 1e6}, {0, "kB", 1e3}};
static const struct step bits[] = {{1e9, "Gbit", 1e9}, {1e6, "Mbit", 1e6}, {0, "kbit", 1e3}};
static const struct step seconds[] = {
    {1, "s", 1}, {1e-3, "ms", 1e-3}, {1e-6, "us", 1e-6}, {0, "ns", 1e-9}};
static const struct step counts[] = {{1e6, "M", 1e6}, {0, "", 1}};
static const struct step ratios[] = {{0, "%", 0.01}};
static const struct step hertz[] = {{1e5, "MHz", 1e6}, {0, "Hz", 1}};
static const struct step celsius[] = {{0, "degC", 1}};
static const struct step seconds_per_s[] = {{0, "s/s", 1}};

static const struct {
    const struct step *state, *rate; /* as a GAUGE or result; as a DELTA over time */
} ladders[] = {
    [0] = {counts, per_s},
    [DYNO_BYTE] = {bytes, bytes_per_s},
    [DYNO_BIT] = {bits, bits_per_s},
    [DYNO_SECOND] = {seconds, seconds_per_s},
    [DYNO_COUNT] = {counts, per_s},
    [DYNO_RATIO] = {ratios, per_s},
    [DYNO_HERTZ] = {hertz, per_s},
    [DYNO_CELSIUS] = {celsius, per_s},
    [DYNO_BYTE_PER_S] = {bytes_per_s, bytes_per_s},
    [DYNO_BIT_PER_S] = {bits_per_s, bits_per_s},
    [DYNO_PER_S] = {per_s, per_s},
};

/* Network amounts are bytes in the record and bits to the eye. */
static bool is_network_amount(const struct frame_metric *metric)
{
    return metric->kind == DYNO_DELTA && metric->unit == DYNO_BYTE &&
           (strcmp(metric->key, "sent") == 0 || strcmp(metric->key, "received") == 0);
}

struct quantity quantity_of(const struct frame_metric *metric, double largest)
{
    struct quantity quantity = {.factor = is_network_amount(metric) ? 8 : 1};
    unsigned unit = metric->unit < ARRAY_SIZE(ladders) ? metric->unit : 0;
    const struct step *step = metric->kind == DYNO_DELTA ? ladders[unit].rate : ladders[unit].state;
    if (is_network_amount(metric))
        step = bits_per_s;
    if (!(fabs(largest) > 0)) /* nothing yet: the unit people expect, not the smallest */
        largest = 1e6;
    while (step->least > 0 && fabs(largest) * quantity.factor < step->least)
        step++;
    quantity.unit = step->unit;
    quantity.divisor = step->divisor;
    return quantity;
}

static double shown(const struct quantity *quantity, double value)
{
    return value * quantity->factor / quantity->divisor;
}

struct quantity_text quantity_number(const struct quantity *quantity, double value)
{
    struct quantity_text into;
    double number = shown(quantity, value);
    double size = fabs(number);
    int digits = size >= 99.95 || size == 0 ? 0 : size >= 0.95 ? 1 : 2;
    (void)snprintf(into.text, sizeof into.text, "%.*f", digits, number);
    return into;
}

struct quantity_text quantity_column(const struct quantity *quantity, double value)
{
    struct quantity_text into;
    double number = shown(quantity, value);
    if (fabs(number) >= 99.95)
        (void)snprintf(into.text, sizeof into.text, "%4.0f  ", number);
    else
        (void)snprintf(into.text, sizeof into.text, "%6.1f", number);
    return into;
}
