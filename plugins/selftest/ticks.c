#include "ticks.h"

#include <poll.h>

void ticks_begin(struct ticks *ticks, const struct dyno_host *host, struct dyno_run *run,
                 uint64_t span_ns)
{
    uint64_t now_ns = host->now_ns(run);
    *ticks = (struct ticks){.host = host,
                            .run = run,
                            .zero_ns = now_ns,
                            .end_ns = now_ns + span_ns,
                            .tick_ns = host->interval_ns(run),
                            .t0_ns = now_ns,
                            .t1_ns = now_ns};
}

/* Waits for a moment; false when the run was cancelled before. */
static bool wait_until(const struct ticks *ticks, uint64_t until_ns)
{
    struct pollfd cancel = {.fd = ticks->host->cancel_fd(ticks->run), .events = POLLIN};
    for (;;) {
        uint64_t now_ns = ticks->host->now_ns(ticks->run);
        if (ticks->host->cancelled(ticks->run))
            return false;
        if (now_ns >= until_ns)
            return true;
        (void)poll(&cancel, 1, (int)((until_ns - now_ns + 999999) / 1000000));
    }
}

bool ticks_next(struct ticks *ticks)
{
    if (ticks->is_over || ticks->t1_ns >= ticks->end_ns)
        return false;
    uint64_t next_ns = ticks->t1_ns + ticks->tick_ns;
    if (next_ns > ticks->end_ns)
        next_ns = ticks->end_ns;
    ticks->t0_ns = ticks->t1_ns;
    if (!wait_until(ticks, next_ns)) {
        uint64_t now_ns = ticks->host->now_ns(ticks->run);
        ticks->is_over = true;
        if (now_ns < next_ns)
            next_ns = now_ns;
    }
    ticks->t1_ns = next_ns;
    return ticks->t1_ns > ticks->t0_ns;
}
