#include "peak.h"

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "common/text.h"

#define MBPS_MAX 10000000    /* 10 TB/s */
#define TRANSFERS_MAX 100000 /* MT/s */
#define BITS_MAX 8192

static bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

/* Behind the kind of memory ("ddr4-", "lpddr4x-", "ddr3l-"): where its rate begins; NULL: none. */
static const char *behind_kind(const char *text)
{
    const char *dash = strchr(text, '-');
    return is_letter(text[0]) && dash && strlen(text) > 3 && strcasestr(text, "ddr") ? dash + 1
                                                                                     : NULL;
}

/* "1600x16" or "1600×16" to bytes per second; 0: it is no such thing. */
static double bus_of(const char *text)
{
    uint64_t transfers, bits;
    const char *end;
    if (text_digits(text, &transfers, &end) < 0 || transfers == 0 || transfers > TRANSFERS_MAX)
        return 0;
    if (*end == 'x' || *end == 'X')
        end++;
    else if (strncmp(end, "\xc3\x97", 2) == 0)
        end += 2;
    else
        return 0;
    if (text_digits(end, &bits, &end) < 0 || *end || bits < 8 || bits > BITS_MAX || bits % 8)
        return 0;
    return (double)transfers * 1e6 * (double)bits / 8;
}

static double plain_of(const char *text)
{
    uint64_t whole, parts = 0;
    const char *end;
    double scale = 1;
    if (text_digits(text, &whole, &end) < 0 || whole > MBPS_MAX)
        return 0;
    if (*end == '.') {
        const char *fraction = end + 1;
        if (text_digits(fraction, &parts, &end) < 0 || end - fraction > 6)
            return 0;
        for (; fraction < end; fraction++)
            scale *= 10;
    }
    return *end ? 0 : ((double)whole + (double)parts / scale) * 1e6;
}

int peak_option(const char *option, struct peak *into)
{
    *into = (struct peak){.source = "unknown"};
    if (!option || !option[0])
        return 0;
    const char *rate = behind_kind(option);
    const double bytes_per_s = rate ? bus_of(rate) : plain_of(option);
    if (!(bytes_per_s > 0))
        return -EINVAL;
    into->bytes_per_s = bytes_per_s;
    (void)snprintf(into->source, sizeof into->source, "option %s", option);
    return 0;
}

int peak_of(const struct dyno_target *target, const char *option, struct peak *into)
{
    const size_t needed = offsetof(struct dyno_target, ceiling_source) + sizeof(const char *);
    int code = peak_option(option, into);
    if (code < 0 || into->bytes_per_s > 0 || !target || target->size < needed ||
        !(target->ceiling_bps > 0))
        return code;
    into->bytes_per_s = target->ceiling_bps;
    (void)snprintf(into->source, sizeof into->source, "%s", target->ceiling_source);
    return 0;
}
