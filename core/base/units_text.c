/* The half of units that prints. */
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/units.h"
#include "iodyno/plugin.h"

#define TENTHS_MAX 1e17 /* what the printing of one decimal can hold as an integer */
#define KI 1024ull
#define SI 1000ull

/* Prints with one decimal below 100, none above, as dd does; `unit` follows behind a space. No
 * floating-point conversion of the libc: its decimal point depends on the locale. */
static struct units_text print_rounded(double value, bool is_whole, const char *prefix,
                                       const char *unit)
{
    struct units_text out;
    const char *sign = value < 0 ? "-" : "";
    const double size = fabs(value);
    const unsigned long long tenths = (unsigned long long)llround(fmin(size * 10, TENTHS_MAX));

    if (is_whole || tenths >= 1000)
        (void)snprintf(out.text, sizeof(out.text), "%s%llu %s%s", sign,
                       (unsigned long long)llround(fmin(size, TENTHS_MAX)), prefix, unit);
    else
        (void)snprintf(out.text, sizeof(out.text), "%s%llu.%llu %s%s", sign, tenths / 10,
                       tenths % 10, prefix, unit);
    return out;
}

static struct units_text print_unknown(void)
{
    return (struct units_text){"unknown"};
}

/* Scales up by `base` while the printed number would have four digits. */
static struct units_text print_scaled(double value, double base, const char *const *prefixes,
                                      size_t count, const char *unit)
{
    size_t step = 0;

    if (!isfinite(value))
        return print_unknown();
    while (step + 1 < count && fabs(value) >= base - 0.5) {
        value /= base;
        step++;
    }
    /* Below the first prefix these are whole things, unless someone divided them. */
    return print_rounded(value, step == 0 && value == floor(value), prefixes[step], unit);
}

static const char *const DECIMAL[] = {"", "k", "M", "G", "T", "P"};
static const char *const BINARY[] = {"", "Ki", "Mi", "Gi", "Ti", "Pi"};

static struct units_text print_decimal(double value, const char *unit)
{
    return print_scaled(value, 1000, DECIMAL, ARRAY_SIZE(DECIMAL), unit);
}

static struct units_text print_binary(double value, const char *unit)
{
    return print_scaled(value, 1024, BINARY, ARRAY_SIZE(BINARY), unit);
}

struct units_text units_byte_rate(double bytes_per_s)
{
    return print_decimal(bytes_per_s, "B/s");
}

struct units_text units_byte_rate_binary(double bytes_per_s)
{
    return print_binary(bytes_per_s, "B/s");
}

struct units_text units_bit_rate(double bits_per_s)
{
    return print_decimal(bits_per_s, "bit/s");
}

struct units_text units_bytes(double bytes)
{
    return print_decimal(bytes, "B");
}

struct units_text units_bytes_binary(double bytes)
{
    return print_binary(bytes, "B");
}

struct units_text units_size_option(uint64_t bytes)
{
    static const struct {
        const char *suffix;
        uint64_t factor;
    } SPELLINGS[] = {
        {"T", KI * KI * KI * KI},  {"G", KI * KI * KI},  {"M", KI * KI},  {"K", KI},
        {"TB", SI * SI * SI * SI}, {"GB", SI * SI * SI}, {"MB", SI * SI}, {"kB", SI},
    };
    struct units_text best, other;

    (void)snprintf(best.text, sizeof(best.text), "%llu", (unsigned long long)bytes);
    for (size_t i = 0; bytes > 0 && i < ARRAY_SIZE(SPELLINGS); i++) {
        if (bytes % SPELLINGS[i].factor != 0)
            continue;
        (void)snprintf(other.text, sizeof(other.text), "%llu%s",
                       (unsigned long long)(bytes / SPELLINGS[i].factor), SPELLINGS[i].suffix);
        if (strlen(other.text) < strlen(best.text))
            best = other;
    }
    return best;
}

static struct units_text print_seconds(double seconds)
{
    static const struct {
        double factor;
        const char *unit;
    } STEPS[] = {{1e9, "ns"}, {1e6, "us"}, {1e3, "ms"}};
    struct units_text out;

    if (!isfinite(seconds))
        return print_unknown();
    for (size_t i = 0; seconds != 0 && i < ARRAY_SIZE(STEPS); i++) {
        if (fabs(seconds) * STEPS[i].factor < 999.5)
            return print_rounded(seconds * STEPS[i].factor, false, "", STEPS[i].unit);
    }
    /* Three digits: a method's own clock and the real time often differ in the third. */
    const unsigned long long hundredths = (unsigned long long)llround(fabs(seconds) * 100);
    if (seconds == 0 || hundredths >= 1000)
        return print_rounded(seconds, seconds == 0, "", "s");
    (void)snprintf(out.text, sizeof(out.text), "%s%llu.%02llu s", seconds < 0 ? "-" : "",
                   hundredths / 100, hundredths % 100);
    return out;
}

struct units_text units_duration(double seconds)
{
    struct units_text out;
    unsigned long long whole;

    if (!isfinite(seconds) || seconds < 0)
        return print_unknown();
    if (seconds < 9.95)
        return seconds < 0.0995 ? print_seconds(seconds) : print_rounded(seconds, false, "", "s");
    whole = (unsigned long long)llround(fmin(seconds, TENTHS_MAX));
    if (whole < 60)
        (void)snprintf(out.text, sizeof(out.text), "%llu s", whole);
    else if (whole < 3600)
        (void)snprintf(out.text, sizeof(out.text), "%llu min %llu s", whole / 60, whole % 60);
    else
        (void)snprintf(out.text, sizeof(out.text), "%02llu:%02llu:%02llu", whole / 3600,
                       whole / 60 % 60, whole % 60);
    return out;
}

static struct units_text print_count(double value)
{
    struct units_text out = print_unknown();
    char *space;

    if (isfinite(value))
        out = print_rounded(value, value == floor(value), "", "");
    space = strchr(out.text, ' ');
    if (space)
        *space = '\0';
    return out;
}

static struct units_text print_ratio(double ratio)
{
    struct units_text out;
    const double percent = ratio * 100;

    if (!isfinite(percent))
        return print_unknown();
    if (fabs(percent) >= 0.995 || percent == 0)
        return print_rounded(percent, percent == floor(percent), "", "%");
    (void)snprintf(out.text, sizeof(out.text), "%s0.%02llu %%", percent < 0 ? "-" : "",
                   (unsigned long long)llround(fabs(percent) * 100));
    return out;
}

static struct units_text print_hertz(double hertz)
{
    return print_decimal(hertz, "Hz");
}

static struct units_text print_celsius(double degrees)
{
    return isfinite(degrees) ? print_rounded(degrees, false, "", "degC") : print_unknown();
}

static struct units_text print_bits(double bits)
{
    return print_decimal(bits, "bit");
}

/* Requests per second are compared digit by digit up to 99999. */
static struct units_text print_per_second(double value)
{
    if (!isfinite(value))
        return print_unknown();
    if (fabs(value) < 99999.5)
        return print_rounded(value, value == floor(value), "", "/s");
    return print_decimal(value, "/s");
}

struct units_text units_value(double value, unsigned unit)
{
    static struct units_text (*const PRINTERS[])(double) = {
        [DYNO_BYTE] = units_bytes,         [DYNO_BIT] = print_bits,
        [DYNO_SECOND] = print_seconds,     [DYNO_COUNT] = print_count,
        [DYNO_RATIO] = print_ratio,        [DYNO_HERTZ] = print_hertz,
        [DYNO_CELSIUS] = print_celsius,    [DYNO_BYTE_PER_S] = units_byte_rate,
        [DYNO_BIT_PER_S] = units_bit_rate, [DYNO_PER_S] = print_per_second,
    };

    if (unit == 0 || unit >= ARRAY_SIZE(PRINTERS))
        return print_count(value);
    return PRINTERS[unit](value);
}
