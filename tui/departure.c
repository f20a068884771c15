#include "departure.h"

#include <fcntl.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/clock.h"

void departure_init(struct departure *departure, int guard_fd)
{
    *departure = (struct departure){.guard_fd = guard_fd};
}

static void say(int fd, char what)
{
    if (fd >= 0 && write(fd, &what, 1) < 0) {
        /* the guard is gone: nobody is left to be told */
    }
}

static void tell(struct departure *departure, char what)
{
    int fd = take_fd(&departure->guard_fd);
    say(fd, what);
    if (fd >= 0)
        (void)close(fd);
}

void departure_is_traceless(struct departure *departure)
{
    say(departure->guard_fd, DEPARTURE_TELL_CLOSED);
}

void departure_done(struct departure *departure)
{
    tell(departure, DEPARTURE_TELL_CLOSED);
}

bool departure_is_begun(const struct departure *departure)
{
    return departure->stage != DEPARTURE_NONE;
}

void departure_now(struct departure *departure, int code)
{
    if (!departure_is_begun(departure))
        departure->code = code;
    departure->stage = DEPARTURE_NOW;
}

void departure_wait(struct departure *departure, int code)
{
    if (departure->stage == DEPARTURE_WAITS || departure->stage == DEPARTURE_NOW)
        return;
    departure->stage = DEPARTURE_WAITS;
    departure->code = code;
    departure->until_ns = clock_mono_ns() + DEPARTURE_LIMIT_NS;
}

void departure_detach(struct departure *departure, int code)
{
    if (departure->stage == DEPARTURE_WAITS || departure->stage == DEPARTURE_DETACHED)
        return;
    departure->stage = DEPARTURE_DETACHED;
    departure->code = code;
    int null = open("/dev/null", O_RDWR | O_CLOEXEC);
    for (int fd = STDIN_FILENO; null >= 0 && fd <= STDERR_FILENO; fd++)
        (void)dup2(null, fd);
    if (null > STDERR_FILENO)
        (void)close(null);
    (void)setsid(); /* fails when we lead the group: then there is no guard whose shell goes on */
    tell(departure, DEPARTURE_TELL_DETACHED);
}

bool departure_is_due(const struct departure *departure, unsigned live_runs)
{
    switch (departure->stage) {
    case DEPARTURE_NOW:
        return true;
    case DEPARTURE_WAITS:
        return live_runs == 0 || clock_mono_ns() >= departure->until_ns;
    case DEPARTURE_DETACHED:
        return live_runs == 0;
    default:
        return false;
    }
}

int departure_patience_ms(const struct departure *departure)
{
    if (departure->stage != DEPARTURE_WAITS)
        return -1;
    uint64_t now_ns = clock_mono_ns();
    return now_ns >= departure->until_ns ? 0
                                         : (int)((departure->until_ns - now_ns) / NS_PER_MS) + 1;
}

int departure_code(const struct departure *departure)
{
    return departure->code;
}
