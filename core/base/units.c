#include "base/units.h"

#include <errno.h>
#include <locale.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "iodyno/plugin.h"

struct scale {
    const char *suffix;
    uint64_t factor;
};

#define KI 1024ull
#define SI 1000ull

static const struct scale SIZES[] = {
    {"", 1},
    {"B", 1},
    {"K", KI},
    {"k", KI},
    {"M", KI *KI},
    {"G", KI *KI *KI},
    {"T", KI *KI *KI *KI},
    {"KiB", KI},
    {"MiB", KI *KI},
    {"GiB", KI *KI *KI},
    {"TiB", KI *KI *KI *KI},
    {"kB", SI},
    {"KB", SI},
    {"MB", SI *SI},
    {"GB", SI *SI *SI},
    {"TB", SI *SI *SI *SI},
};

static const struct scale RATES[] = {
    {"", 1},
    {"K", SI},
    {"k", SI},
    {"M", SI *SI},
    {"G", SI *SI *SI},
    {"T", SI *SI *SI *SI},
    {"bit/s", 1},
    {"kbit/s", SI},
    {"Kbit/s", SI},
    {"Mbit/s", SI *SI},
    {"Gbit/s", SI *SI *SI},
    {"Tbit/s", SI *SI *SI *SI},
};

static const struct scale TIMES[] = {
    {"", 1000000000ull},
    {"s", 1000000000ull},
    {"ms", 1000000ull},
    {"us", 1000ull},
    {"ns", 1},
    {"m", 60000000000ull},
    {"min", 60000000000ull},
    {"h", 3600000000000ull},
    {"d", 86400000000000ull},
};

/* Every spelling of every unit that an expectation may use. */
static const struct {
    unsigned unit;
    const char *suffix;
    double factor;
} VALUES[] = {
    {DYNO_BYTE, "B", 1},
    {DYNO_BYTE, "kB", 1e3},
    {DYNO_BYTE, "KB", 1e3},
    {DYNO_BYTE, "MB", 1e6},
    {DYNO_BYTE, "GB", 1e9},
    {DYNO_BYTE, "TB", 1e12},
    {DYNO_BYTE, "K", 1024.0},
    {DYNO_BYTE, "M", 1048576.0},
    {DYNO_BYTE, "G", 1073741824.0},
    {DYNO_BYTE, "T", 1099511627776.0},
    {DYNO_BYTE, "KiB", 1024.0},
    {DYNO_BYTE, "MiB", 1048576.0},
    {DYNO_BYTE, "GiB", 1073741824.0},
    {DYNO_BYTE, "TiB", 1099511627776.0},
    {DYNO_BIT, "bit", 1},
    {DYNO_BIT, "kbit", 1e3},
    {DYNO_BIT, "Mbit", 1e6},
    {DYNO_BIT, "Gbit", 1e9},
    {DYNO_SECOND, "s", 1},
    {DYNO_SECOND, "ms", 1e-3},
    {DYNO_SECOND, "us", 1e-6},
    {DYNO_SECOND, "ns", 1e-9},
    {DYNO_SECOND, "m", 60},
    {DYNO_SECOND, "min", 60},
    {DYNO_SECOND, "h", 3600},
    {DYNO_COUNT, "", 1},
    {DYNO_COUNT, "K", 1e3},
    {DYNO_COUNT, "k", 1e3},
    {DYNO_COUNT, "M", 1e6},
    {DYNO_RATIO, "", 1},
    {DYNO_RATIO, "%", 1e-2},
    {DYNO_HERTZ, "Hz", 1},
    {DYNO_HERTZ, "kHz", 1e3},
    {DYNO_HERTZ, "MHz", 1e6},
    {DYNO_HERTZ, "GHz", 1e9},
    {DYNO_CELSIUS, "degC", 1},
    {DYNO_CELSIUS, "C", 1},
    {DYNO_CELSIUS,
     "\xc2\xb0"
     "C",
     1},
    {DYNO_BYTE_PER_S, "B/s", 1},
    {DYNO_BYTE_PER_S, "kB/s", 1e3},
    {DYNO_BYTE_PER_S, "KB/s", 1e3},
    {DYNO_BYTE_PER_S, "MB/s", 1e6},
    {DYNO_BYTE_PER_S, "GB/s", 1e9},
    {DYNO_BYTE_PER_S, "KiB/s", 1024.0},
    {DYNO_BYTE_PER_S, "MiB/s", 1048576.0},
    {DYNO_BYTE_PER_S, "GiB/s", 1073741824.0},
    {DYNO_BIT_PER_S, "bit/s", 1},
    {DYNO_BIT_PER_S, "kbit/s", 1e3},
    {DYNO_BIT_PER_S, "Kbit/s", 1e3},
    {DYNO_BIT_PER_S, "Mbit/s", 1e6},
    {DYNO_BIT_PER_S, "Gbit/s", 1e9},
    {DYNO_BIT_PER_S, "K", 1e3},
    {DYNO_BIT_PER_S, "M", 1e6},
    {DYNO_BIT_PER_S, "G", 1e9},
    {DYNO_PER_S, "/s", 1},
    {DYNO_PER_S, "1/s", 1},
    {DYNO_PER_S, "k/s", 1e3},
    {DYNO_PER_S, "IOPS", 1},
};

static const char *const SYMBOLS[] = {
    [DYNO_BYTE] = "B",       [DYNO_BIT] = "bit",        [DYNO_SECOND] = "s",
    [DYNO_COUNT] = "count",  [DYNO_RATIO] = "ratio",    [DYNO_HERTZ] = "Hz",
    [DYNO_CELSIUS] = "degC", [DYNO_BYTE_PER_S] = "B/s", [DYNO_BIT_PER_S] = "bit/s",
    [DYNO_PER_S] = "1/s",
};

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* Reads digits at *text. */
static int take_digits(const char **text, uint64_t *ret_value)
{
    uint64_t value = 0;

    if (!is_digit(**text))
        return -EINVAL;
    for (; is_digit(**text); (*text)++) {
        if (__builtin_mul_overflow(value, 10u, &value) ||
            __builtin_add_overflow(value, (uint64_t)(**text - '0'), &value))
            return -ERANGE;
    }
    *ret_value = value;
    return 0;
}

int units_parse_u64(const char *text, uint64_t *ret_value)
{
    uint64_t value;
    int code = take_digits(&text, &value);

    if (code == 0 && *text != '\0')
        code = -EINVAL;
    if (code == 0)
        *ret_value = value;
    return code;
}

/* The end of a plain decimal number, NULL when there is none: strtod alone would also take "inf",
 * "0x10" and leading space. */
static const char *skip_decimal(const char *text)
{
    const char *at = text + (*text == '-' || *text == '+');
    const char *start = at;
    size_t digits;

    while (is_digit(*at))
        at++;
    digits = (size_t)(at - start);
    if (*at == '.') {
        start = ++at;
        while (is_digit(*at))
            at++;
        digits += (size_t)(at - start);
    }
    if (digits == 0)
        return NULL;
    if ((*at == 'e' || *at == 'E') &&
        (is_digit(at[1]) || ((at[1] == '-' || at[1] == '+') && is_digit(at[2])))) {
        at += 2;
        while (is_digit(*at))
            at++;
    }
    return at;
}

/* Reads a number and tells where it ends. */
static int take_double(const char **text, double *ret_value)
{
    const char *end = skip_decimal(*text);
    locale_t plain, before;
    double value;

    if (!end)
        return -EINVAL;
    plain = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    if (!plain)
        return -ENOMEM;
    before = uselocale(plain);
    value = strtod(*text, NULL);
    (void)uselocale(before);
    freelocale(plain);
    if (!isfinite(value))
        return -ERANGE;
    *text = end;
    *ret_value = value;
    return 0;
}

int units_parse_double(const char *text, double *ret_value)
{
    double value;
    int code = take_double(&text, &value);

    if (code == 0 && *text != '\0')
        code = -EINVAL;
    if (code == 0)
        *ret_value = value;
    return code;
}

/* "1.5G": whole and fraction are kept as integers, so that what is accepted is exact. */
static int parse_scaled(const char *text, const struct scale *scales, size_t count,
                        uint64_t *ret_value)
{
    uint64_t value, fraction = 0, divisor = 1, part;
    int code = take_digits(&text, &value);

    if (code < 0)
        return code;
    if (*text == '.') {
        for (text++; is_digit(*text); text++) {
            if (divisor >= 1000000000ull)
                return -EINVAL;
            fraction = fraction * 10 + (uint64_t)(*text - '0');
            divisor *= 10;
        }
        if (divisor == 1)
            return -EINVAL;
    }
    text += *text == ' ' && text[1] != '\0';
    for (size_t i = 0; i < count; i++) {
        if (strcmp(text, scales[i].suffix) != 0)
            continue;
        if (__builtin_mul_overflow(value, scales[i].factor, &value) ||
            __builtin_mul_overflow(fraction, scales[i].factor, &part))
            return -ERANGE;
        if (part % divisor != 0) /* no half bytes */
            return -EINVAL;
        if (__builtin_add_overflow(value, part / divisor, &value))
            return -ERANGE;
        *ret_value = value;
        return 0;
    }
    return -EINVAL;
}

int units_parse_size(const char *text, uint64_t *ret_bytes)
{
    return parse_scaled(text, SIZES, ARRAY_SIZE(SIZES), ret_bytes);
}

int units_parse_rate(const char *text, uint64_t *ret_bps)
{
    return parse_scaled(text, RATES, ARRAY_SIZE(RATES), ret_bps);
}

int units_parse_time(const char *text, uint64_t *ret_ns)
{
    return parse_scaled(text, TIMES, ARRAY_SIZE(TIMES), ret_ns);
}

int units_parse_value(const char *text, unsigned unit, double *ret_value)
{
    double value;
    int code = take_double(&text, &value);

    if (code < 0)
        return code;
    text += *text == ' ' && text[1] != '\0';
    for (size_t i = 0; i < ARRAY_SIZE(VALUES); i++) {
        if (VALUES[i].unit != unit || strcmp(text, VALUES[i].suffix) != 0)
            continue;
        value *= VALUES[i].factor;
        if (!isfinite(value))
            return -ERANGE;
        *ret_value = value;
        return 0;
    }
    /* A bare zero is the same in every unit; any other bare number could be meant in any. */
    if (*text != '\0' || value != 0.0 || unit == 0 || unit >= ARRAY_SIZE(SYMBOLS))
        return -EINVAL;
    *ret_value = 0.0;
    return 0;
}

const char *units_symbol(unsigned unit)
{
    return unit > 0 && unit < ARRAY_SIZE(SYMBOLS) ? SYMBOLS[unit] : "";
}

int units_from_symbol(const char *symbol, unsigned *ret_unit)
{
    for (unsigned unit = 1; unit < ARRAY_SIZE(SYMBOLS); unit++) {
        if (strcmp(symbol, SYMBOLS[unit]) == 0) {
            *ret_unit = unit;
            return 0;
        }
    }
    return -EINVAL;
}
