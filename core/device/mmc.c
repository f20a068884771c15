#include "device/mmc.h"

#include <ctype.h>
#include <errno.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/str.h"

static const struct mmc_mode timings[] = {
    /* by the kernel's number of the timing spec */
    {"legacy", 25000000, false},  {"high speed", 52000000, false}, {"high speed", 50000000, false},
    {"SDR12", 25000000, false},   {"SDR25", 50000000, false},      {"SDR50", 100000000, false},
    {"SDR104", 208000000, false}, {"DDR50", 50000000, true},       {"DDR52", 52000000, true},
    {"HS200", 200000000, false},  {"HS400", 200000000, true},
};
#define TIMING_HS400 10u

const struct mmc_mode *mmc_mode_find(const char *name)
{
    if (strcmp(name, "HS400ES") == 0)
        name = "HS400";
    for (size_t i = 0; i < ARRAY_SIZE(timings); i++)
        if (strcmp(timings[i].name, name) == 0)
            return &timings[i];
    return NULL;
}

double mmc_mode_ceiling(const struct mmc_mode *mode, unsigned width, uint64_t clock_hz)
{
    return (double)clock_hz * width / 8 * (mode->is_double ? 2 : 1);
}

/* The value of a "key:<blanks>value" line. */
static bool find_value(const char *line, size_t size, const char *key, const char **ret_value,
                       size_t *ret_size)
{
    size_t key_size = strlen(key);
    if (size <= key_size || memcmp(line, key, key_size) != 0 || line[key_size] != ':')
        return false;
    const char *value = line + key_size + 1, *end = line + size;
    while (value < end && (*value == ' ' || *value == '\t'))
        value++;
    *ret_value = value;
    *ret_size = (size_t)(end - value);
    return true;
}

/* Leading decimal digits; the text behind them is for people. */
static bool leading_number(const char *text, size_t size, uint64_t *ret_value)
{
    uint64_t value = 0;
    size_t digits = 0;
    while (digits < size && digits < 18 && isdigit((unsigned char)text[digits]))
        value = value * 10 + (uint64_t)(text[digits++] - '0');
    if (digits == 0)
        return false;
    *ret_value = value;
    return true;
}

static void take_line(const char *line, size_t size, struct mmc_ios *ios, bool *has_clock)
{
    const char *value;
    size_t left;
    uint64_t number;
    if (find_value(line, size, "clock", &value, &left)) {
        if (leading_number(value, left, &number)) {
            ios->clock_hz = number;
            *has_clock = true;
        }
    } else if (find_value(line, size, "actual clock", &value, &left)) {
        if (leading_number(value, left, &number))
            ios->actual_hz = number;
    } else if (find_value(line, size, "bus width", &value, &left)) {
        /* The number is the power of two; 1 does not exist. */
        if (leading_number(value, left, &number) && number <= 3 && number != 1)
            ios->width = 1u << number;
    } else if (find_value(line, size, "timing spec", &value, &left)) {
        if (leading_number(value, left, &number) && number < MMC_TIMING_UNKNOWN)
            ios->timing = (unsigned)number;
        ios->is_enhanced_strobe = memmem(value, left, "enhanced strobe", 15) != NULL;
    }
}

int mmc_ios_parse(const char *text, size_t size, struct mmc_ios *ret_ios)
{
    struct mmc_ios ios = {.timing = MMC_TIMING_UNKNOWN};
    bool has_clock = false;
    const char *end = text + size;
    for (const char *line = text; line < end;) {
        const char *stop = memchr(line, '\n', (size_t)(end - line));
        stop = stop ? stop : end;
        take_line(line, (size_t)(stop - line), &ios, &has_clock);
        line = stop < end ? stop + 1 : end;
    }
    if (!has_clock)
        return -EINVAL;
    if (ios.actual_hz == 0)
        ios.actual_hz = ios.clock_hz; /* kernels before 3.9, or a host that does not tell */
    *ret_ios = ios;
    return 0;
}

const char *mmc_ios_mode(const struct mmc_ios *ios)
{
    if (ios->clock_hz == 0 || ios->timing >= ARRAY_SIZE(timings))
        return NULL;
    if (ios->timing == TIMING_HS400 && ios->is_enhanced_strobe)
        return "HS400ES";
    return timings[ios->timing].name;
}

double mmc_ios_ceiling(const struct mmc_ios *ios)
{
    if (ios->timing >= ARRAY_SIZE(timings))
        return 0;
    return mmc_mode_ceiling(&timings[ios->timing], ios->width, ios->actual_hz);
}

bool mmc_is_area(const char *name)
{
    static const char *const areas[] = {"boot", "gp", "rpmb"};
    if (!str_starts(name, "mmcblk"))
        return false;
    name += strlen("mmcblk");
    size_t digits = strspn(name, "0123456789");
    if (digits == 0)
        return false;
    for (size_t i = 0; i < ARRAY_SIZE(areas); i++)
        if (str_starts(name + digits, areas[i]))
            return true;
    return false;
}

int mmc_host_of(const char *folder, struct str *into)
{
    const char *host = strstr(folder, "/mmc_host/mmc");
    if (!host)
        return -ENODEV;
    host += strlen("/mmc_host/");
    str_add_bytes(into, host, strcspn(host, "/"));
    return 0;
}
