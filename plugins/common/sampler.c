#include "sampler.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <sys/eventfd.h>
#include <time.h>
#include <unistd.h>

#define NS_PER_S 1000000000ull
#define STEP_MIN_NS 1000000ull /* a host that names no tick must not make us spin */

enum { WATCH_STOP, WATCH_CANCEL, WATCH_COUNT };

uint64_t sampler_next(uint64_t start_ns, uint64_t step_ns, uint64_t now_ns)
{
    if (now_ns < start_ns)
        return start_ns + step_ns;
    return start_ns + ((now_ns - start_ns) / step_ns + 1) * step_ns;
}

/* Waits for the grid point; true when the owner asked to stop. */
static bool wait_until(struct sampler *sampler, struct pollfd *watch, uint64_t deadline_ns)
{
    for (;;) {
        uint64_t now = sampler->host->now_ns(sampler->run);
        if (now >= deadline_ns)
            return false;
        uint64_t left = deadline_ns - now;
        if (sampler->glance)
            sampler->glance(sampler->context, now);
        if (sampler->glance && left > SAMPLER_GLANCE_NS)
            left = SAMPLER_GLANCE_NS;
        struct timespec timeout = {.tv_sec = (time_t)(left / NS_PER_S),
                                   .tv_nsec = (long)(left % NS_PER_S)};
        int ready = ppoll(watch, WATCH_COUNT, &timeout, NULL);
        if (ready <= 0)
            continue; /* time-out or a stray wake-up: the clock decides */
        if (watch[WATCH_CANCEL].revents) {
            atomic_store_explicit(&sampler->is_cancelled, true, memory_order_relaxed);
            watch[WATCH_CANCEL].fd = -1; /* it stays readable for ever */
        }
        if (watch[WATCH_STOP].revents)
            return true;
    }
}

static void *sample_loop(void *argument)
{
    struct sampler *sampler = argument;
    const struct dyno_host *host = sampler->host;
    struct pollfd watch[WATCH_COUNT] = {
        [WATCH_STOP] = {.fd = sampler->stop_fd, .events = POLLIN},
        [WATCH_CANCEL] = {.fd = host->cancel_fd(sampler->run), .events = POLLIN},
    };
    uint64_t step = host->interval_ns(sampler->run);
    if (step < STEP_MIN_NS)
        step = STEP_MIN_NS;
    uint64_t t0 = sampler->start_ns;
    for (bool is_last = false; !is_last;) {
        uint64_t now = host->now_ns(sampler->run);
        is_last = wait_until(sampler, watch, sampler_next(sampler->start_ns, step, now));
        uint64_t t1 = host->now_ns(sampler->run);
        if (t1 <= t0)
            t1 = t0 + 1; /* a coarse clock: the amount must not get lost */
        sampler->tick(sampler->context, t0, t1);
        t0 = t1;
    }
    return NULL;
}

int sampler_start(struct sampler *sampler, const struct dyno_host *host, struct dyno_run *run,
                  sampler_tick *tick, void *context)
{
    sampler->host = host;
    sampler->run = run;
    sampler->tick = tick;
    sampler->context = context;
    sampler->is_running = false;
    atomic_store(&sampler->is_cancelled, host->cancelled(run) != 0);
    sampler->stop_fd = eventfd(0, EFD_CLOEXEC);
    if (sampler->stop_fd < 0)
        return -errno;
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    sampler->start_ns = host->now_ns(run);
    int error = pthread_create(&sampler->thread, NULL, sample_loop, sampler);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (error) {
        close(sampler->stop_fd);
        return -error;
    }
    sampler->is_running = true;
    return 0;
}

void sampler_stop(struct sampler *sampler)
{
    if (!sampler->is_running)
        return;
    sampler->is_running = false;
    uint64_t one = 1;
    while (write(sampler->stop_fd, &one, sizeof one) < 0 && errno == EINTR)
        continue;
    pthread_join(sampler->thread, NULL);
    close(sampler->stop_fd);
}
