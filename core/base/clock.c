#include "base/clock.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

static uint64_t clock_read(clockid_t id)
{
    struct timespec now = {0};

    (void)clock_gettime(id, &now);
    if (now.tv_sec < 0) /* a board without an RTC may stand before 1970 */
        return 0;
    return (uint64_t)now.tv_sec * NS_PER_S + (uint64_t)now.tv_nsec;
}

uint64_t clock_mono_ns(void)
{
    return clock_read(CLOCK_MONOTONIC);
}

uint64_t clock_wall_ns(void)
{
    return clock_read(CLOCK_REALTIME);
}

const char *clock_iso(uint64_t wall_ns, char into[CLOCK_ISO_MAX])
{
    const time_t seconds = (time_t)(wall_ns / NS_PER_S);
    struct tm parts = {0};

    (void)gmtime_r(&seconds, &parts);
    if (strftime(into, CLOCK_ISO_MAX, "%Y-%m-%dT%H:%M:%SZ", &parts) == 0)
        into[0] = '\0';
    return into;
}

/* Reads exactly `count` digits. */
static bool take_number(const char **text, unsigned count, int *ret_number)
{
    int number = 0;

    for (unsigned i = 0; i < count; i++, (*text)++) {
        if (**text < '0' || **text > '9')
            return false;
        number = number * 10 + (**text - '0');
    }
    *ret_number = number;
    return true;
}

static bool take_char(const char **text, char expected)
{
    if (**text != expected)
        return false;
    (*text)++;
    return true;
}

int clock_parse_iso(const char *text, uint64_t *ret_wall_ns)
{
    struct tm parts = {0}, again;
    const char *at = text;
    time_t seconds;

    if (!take_number(&at, 4, &parts.tm_year) || !take_char(&at, '-') ||
        !take_number(&at, 2, &parts.tm_mon) || !take_char(&at, '-') ||
        !take_number(&at, 2, &parts.tm_mday) || !take_char(&at, 'T') ||
        !take_number(&at, 2, &parts.tm_hour) || !take_char(&at, ':') ||
        !take_number(&at, 2, &parts.tm_min) || !take_char(&at, ':') ||
        !take_number(&at, 2, &parts.tm_sec) || !take_char(&at, 'Z') || *at != '\0')
        return -EINVAL;
    if (parts.tm_year < 1970 || parts.tm_year > 2500) /* what uint64_t nanoseconds hold */
        return -EINVAL;
    parts.tm_year -= 1900;
    parts.tm_mon -= 1;
    again = parts;
    seconds = timegm(&again);
    /* timegm rolls 31 April over to 1 May: a date that moved was none. */
    if (again.tm_mon != parts.tm_mon || again.tm_mday != parts.tm_mday ||
        again.tm_hour != parts.tm_hour || again.tm_min != parts.tm_min ||
        again.tm_sec != parts.tm_sec)
        return -EINVAL;
    if (seconds < 0) /* beyond 2038 where time_t has 32 bits */
        return -ERANGE;
    *ret_wall_ns = (uint64_t)seconds * NS_PER_S;
    return 0;
}
