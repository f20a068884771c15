#include "watch.h"

#include <common/sampler.h>
#include <errno.h>
#include <poll.h>
#include <time.h>

#define NS_PER_S 1000000000ull
#define TICK_LEAST_NS 1000000ull /* a host that names none must not make us spin */

struct mark { /* a grid's last point */
    uint64_t ns, moved;
};

void watch_begin(struct watch *watch, const struct dyno_host *host, struct dyno_run *run,
                 uint64_t total_ns)
{
    *watch = (struct watch){
        .host = host, .run = run, .tick_ns = host->interval_ns(run), .total_ns = total_ns};
    if (watch->tick_ns < TICK_LEAST_NS)
        watch->tick_ns = TICK_LEAST_NS;
    watch->start_ns = host->now_ns(run);
}

uint64_t watch_step(uint64_t for_ns)
{
    uint64_t step = for_ns / WATCH_SAMPLES_WANTED;
    if (for_ns == 0 || step > WATCH_STEP_NS)
        return WATCH_STEP_NS;
    return step > WATCH_STEP_LEAST_NS ? step : WATCH_STEP_LEAST_NS;
}

/* True when the run was cancelled before the time came. */
static bool wait_until(const struct watch *watch, uint64_t deadline_ns)
{
    struct pollfd cancel = {.fd = watch->host->cancel_fd(watch->run), .events = POLLIN};
    for (;;) {
        uint64_t now = watch->host->now_ns(watch->run);
        if (now >= deadline_ns)
            return false;
        uint64_t left = deadline_ns - now;
        struct timespec timeout = {.tv_sec = (time_t)(left / NS_PER_S),
                                   .tv_nsec = (long)(left % NS_PER_S)};
        if (ppoll(&cancel, 1, &timeout, NULL) > 0)
            return true;
    }
}

static void tell_progress(const struct watch *watch, uint64_t now)
{
    uint64_t done = now - watch->start_ns;
    if (watch->total_ns)
        watch->host->progress(watch->run, done < watch->total_ns ? done : watch->total_ns,
                              watch->total_ns);
    if (watch->glance)
        watch->glance(watch->context);
}

static void send(const struct watch *watch, const struct watch_view *view, struct mark *last,
                 uint64_t now, uint64_t moved)
{
    if (!view->is_silent && now > last->ns)
        watch->host->sample(watch->run, view->metric, view->lane, last->ns, now,
                            (double)(moved - last->moved));
    *last = (struct mark){now, moved};
}

static void measure(struct watch_view *view, struct mark *last, uint64_t now, uint64_t moved)
{
    if (view->spread && now > last->ns)
        spread_add(view->spread,
                   (double)(moved - last->moved) * 1e9 / (double)(now - last->ns));
    *last = (struct mark){now, moved};
}

static bool is_idle(struct crew *crew)
{
    pthread_mutex_lock(&crew->lock);
    bool is_idle = crew->busy == 0;
    pthread_mutex_unlock(&crew->lock);
    return is_idle;
}

int watch_crew(struct watch *watch, struct crew *crew, struct watch_view *view, uint64_t for_ns)
{
    const struct dyno_host *host = watch->host;
    uint64_t begin = host->now_ns(watch->run), step = watch_step(for_ns);
    uint64_t end = for_ns ? begin + for_ns : UINT64_MAX;
    struct mark first = {begin, crew_moved(crew)}, ticked = first, stepped = first;
    bool is_cancelled = host->cancelled(watch->run) != 0;
    while (!is_cancelled) {
        uint64_t now = host->now_ns(watch->run);
        if (now >= end || is_idle(crew))
            break;
        uint64_t next_step = sampler_next(begin, step, now);
        uint64_t next_tick = sampler_next(watch->start_ns, watch->tick_ns, now);
        uint64_t next = next_step < next_tick ? next_step : next_tick;
        is_cancelled = wait_until(watch, next < end ? next : end);
        uint64_t moved = crew_moved(crew);
        now = host->now_ns(watch->run);
        /* a step cut short by the end tells too little: it is left to the total */
        if (now >= next_step && now - stepped.ns >= step / 2)
            measure(view, &stepped, now, moved);
        if (now >= next_tick)
            send(watch, view, &ticked, now, moved);
        tell_progress(watch, now);
    }
    crew_stop(crew);
    int error = crew_end(crew);
    uint64_t now = host->now_ns(watch->run), moved = crew_moved(crew);
    if (view->spread && !view->spread->has_first) /* shorter than one step */
        measure(view, &stepped, now, moved);
    send(watch, view, &ticked, now, moved);
    view->bytes = moved - first.moved;
    view->ns = now - begin;
    return error < 0 ? error : is_cancelled ? -ECANCELED : 0;
}
