#include "ddline.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define NS_PER_S 1000000000ull
#define NS_PER_MS 1000000ull

static const char prefixes[] = "\0kMGTPE"; /* dd writes k for 1000, K for 1024 */

struct amount {
    char text[24];
};

/* An exact count as dd shortens it: one decimal below ten units, else none; ties go to even. */
static struct amount shorten(uint64_t bytes, unsigned base)
{
    uint64_t unit = 1;
    unsigned power = 0;
    while (bytes / unit >= base) {
        unit *= base;
        power++;
    }
    struct amount out;
    const char *tail = base == 1024 ? "iB" : "B";
    if (power == 0) {
        snprintf(out.text, sizeof out.text, "%" PRIu64 " B", bytes);
        return out;
    }
    /* Tenths first: 9.96 becomes "10", not "10.0". rest < unit <= 2^60, so ten times it fits. */
    uint64_t whole = bytes / unit, rest = bytes % unit;
    uint64_t tenths = rest * 10 / unit, left = rest * 10 % unit;
    if (left > unit - left || (left == unit - left && tenths % 2))
        tenths++;
    char prefix = power == 1 && base == 1024 ? 'K' : prefixes[power];
    uint64_t all = whole * 10 + tenths;
    if (all < 100) {
        snprintf(out.text, sizeof out.text, "%" PRIu64 ".%" PRIu64 " %c%s", all / 10, all % 10,
                 prefix, tail);
        return out;
    }
    if (rest > unit - rest || (rest == unit - rest && whole % 2))
        whole++;
    if (whole == base) /* 999.9 kB is written as 1.0 MB */
        snprintf(out.text, sizeof out.text, "1.0 %c%s", prefixes[power + 1], tail);
    else
        snprintf(out.text, sizeof out.text, "%" PRIu64 " %c%s", whole, prefix, tail);
    return out;
}

/* A quotient as dd shortens it: at least in kB/s, three digits at most. */
static struct amount shorten_rate(uint64_t bytes, uint64_t elapsed_ns)
{
    struct amount out;
    if (elapsed_ns == 0) {
        snprintf(out.text, sizeof out.text, "Infinity B/s");
        return out;
    }
    long double rate = (long double)bytes * NS_PER_S / (long double)elapsed_ns, unit = 1000;
    unsigned power = 1;
    while (unit * 1000 <= rate && prefixes[power + 1]) {
        unit *= 1000;
        power++;
    }
    char digits[32];
    snprintf(digits, sizeof digits, "%.1Lf", rate / unit);
    if (strlen(digits) > 4)
        snprintf(digits, sizeof digits, "%.0Lf", rate / unit);
    snprintf(out.text, sizeof out.text, "%.12s %cB/s", digits, prefixes[power]);
    return out;
}

struct ddline ddline_make(uint64_t bytes, uint64_t elapsed_ns)
{
    struct ddline line;
    struct amount si = shorten(bytes, 1000), iec = shorten(bytes, 1024);
    char names[64] = "";
    if (bytes >= 1024)
        snprintf(names, sizeof names, " (%s, %s)", si.text, iec.text);
    else if (bytes >= 1000)
        snprintf(names, sizeof names, " (%s)", si.text);
    snprintf(line.text, sizeof line.text, "%" PRIu64 " byte%s%s copied, %g s, %s", bytes,
             bytes == 1 ? "" : "s", names, (double)elapsed_ns / (double)NS_PER_S,
             shorten_rate(bytes, elapsed_ns).text);
    return line;
}

static struct amount clock_text(uint64_t ns)
{
    struct amount out;
    uint64_t ms = (ns + NS_PER_MS / 2) / NS_PER_MS;
    snprintf(out.text, sizeof out.text, "%" PRIu64 "m%" PRIu64 ".%03" PRIu64 "s", ms / 60000,
             ms / 1000 % 60, ms % 1000);
    return out;
}

struct ddline ddline_real(uint64_t real_ns, uint64_t user_ns, uint64_t sys_ns)
{
    struct ddline line;
    snprintf(line.text, sizeof line.text, "real %s, user %s, sys %s", clock_text(real_ns).text,
             clock_text(user_ns).text, clock_text(sys_ns).text);
    return line;
}
