#include "run/cliff.h"

#include <math.h>

#include "base/clock.h"

#define GAP_MAX_S 3600 /* silence that is walked through second by second */

static double median_of_first(const struct cliff *cliff)
{
    double sorted[CLIFF_FIRST_S];
    for (unsigned i = 0; i < CLIFF_FIRST_S; i++) {
        unsigned k = i;
        for (; k > 0 && sorted[k - 1] > cliff->first[i]; k--)
            sorted[k] = sorted[k - 1];
        sorted[k] = cliff->first[i];
    }
    return (sorted[CLIFF_FIRST_S / 2 - 1] + sorted[CLIFF_FIRST_S / 2]) / 2;
}

/* Of the last `seconds` whole ones. */
static double window_sum(const struct cliff *cliff, unsigned seconds)
{
    double sum = 0;
    for (unsigned i = 1; i <= seconds; i++)
        sum += cliff->last[(cliff->seconds - i) % CLIFF_WINDOW_S];
    return sum;
}

/* It began with the first second of the window that was itself below. */
static void begin_drop(struct cliff *cliff)
{
    unsigned seconds = CLIFF_WINDOW_S;
    while (seconds > 1 && cliff->last[(cliff->seconds - seconds) % CLIFF_WINDOW_S] >=
                              cliff->before_bps * CLIFF_SHARE)
        seconds--;
    cliff->has_drop = true;
    cliff->drop_bytes = cliff->settled - window_sum(cliff, seconds);
    cliff->drop_second = cliff->seconds - seconds;
}

static double mean_since_drop(const struct cliff *cliff)
{
    return (cliff->settled - cliff->drop_bytes) / (double)(cliff->seconds - cliff->drop_second);
}

/* A pause for tidying up, not the end of the fast part. */
static bool has_come_back(const struct cliff *cliff)
{
    return mean_since_drop(cliff) >= cliff->before_bps * CLIFF_SHARE;
}

static void close_second(struct cliff *cliff)
{
    uint64_t number = cliff->seconds++;
    cliff->last[number % CLIFF_WINDOW_S] = cliff->amount;
    cliff->settled += cliff->amount;
    if (number < CLIFF_FIRST_S)
        cliff->first[number] = cliff->amount;
    if (number + 1 == CLIFF_FIRST_S)
        cliff->before_bps = median_of_first(cliff);
    cliff->amount = 0;
    cliff->second++;
    if (cliff->has_drop) {
        cliff->has_drop = !has_come_back(cliff);
        return;
    }
    /* The window lies wholly behind the seconds it is compared with. */
    if (number + 1 < CLIFF_FIRST_S + CLIFF_WINDOW_S)
        return;
    if (window_sum(cliff, CLIFF_WINDOW_S) < cliff->before_bps * CLIFF_SHARE * CLIFF_WINDOW_S)
        begin_drop(cliff);
}

static uint64_t begin_of(const struct cliff *cliff, uint64_t second)
{
    return cliff->zero_ns + second * NS_PER_S;
}

/* Silence counts only when something follows it: what stays silent has stalled or ended. */
static void skip_to(struct cliff *cliff, uint64_t t_ns)
{
    unsigned walked = 0;
    while (t_ns >= begin_of(cliff, cliff->second + 1) && walked++ < GAP_MAX_S)
        close_second(cliff);
    if (t_ns >= begin_of(cliff, cliff->second + 1)) /* nobody waits an hour in the midst of it */
        cliff_restart(cliff);
}

void cliff_push(struct cliff *cliff, uint64_t t0_ns, uint64_t t1_ns, double bytes)
{
    if (cliff->is_closed || !(bytes > 0) || !isfinite(bytes) || t1_ns <= t0_ns)
        return;
    if (cliff->zero_ns)
        skip_to(cliff, t0_ns);
    if (!cliff->zero_ns)
        cliff->zero_ns = t0_ns ? t0_ns : 1;
    cliff->total += bytes;
    double span = (double)(t1_ns - t0_ns), left = bytes;
    uint64_t at = t0_ns;
    for (unsigned walked = 0; walked++ < GAP_MAX_S;) {
        uint64_t stop = begin_of(cliff, cliff->second + 1);
        if (stop >= t1_ns)
            break;
        double part = stop > at ? bytes * (double)(stop - at) / span : 0;
        cliff->amount += part;
        left -= part;
        at = stop > at ? stop : at;
        close_second(cliff);
    }
    cliff->amount += left;
}

void cliff_restart(struct cliff *cliff)
{
    if (cliff->has_drop) /* what comes after is another story */
        cliff->is_closed = true;
    else
        *cliff = (struct cliff){0};
}

bool cliff_find(const struct cliff *cliff, struct cliff_found *ret_found)
{
    if (!cliff->has_drop)
        return false;
    *ret_found = (struct cliff_found){.bytes = cliff->drop_bytes,
                                      .before_bps = cliff->before_bps,
                                      .after_bps = mean_since_drop(cliff),
                                      .at_s = (double)cliff->drop_second};
    return true;
}
