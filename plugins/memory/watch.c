#include "watch.h"

#include <common/cleanup.h>
#include <common/sampler.h>
#include <errno.h>
#include <poll.h>
#include <time.h>

#define NS_PER_S 1000000000ull
#define TICK_LEAST_NS 1000000ull /* a host that names none must not make us spin */

struct look { /* at the crew */
    uint64_t begin, end, step;
    struct watch_view *views;
    unsigned count;
};

void watch_begin(struct watch *watch, const struct dyno_host *host, struct dyno_run *run,
                 uint64_t total_ns)
{
    *watch = (struct watch){.host = host,
                            .run = run,
                            .tick_ns = host->interval_ns(run),
                            .total_ns = total_ns,
                            .planned_ns = total_ns};
    if (watch->tick_ns < TICK_LEAST_NS)
        watch->tick_ns = TICK_LEAST_NS;
    watch->start_ns = host->now_ns(run);
}

void watch_expect(struct watch *watch, uint64_t left_ns)
{
    uint64_t total_ns = watch->host->now_ns(watch->run) - watch->start_ns + left_ns;
    if (watch->total_ns && total_ns > watch->total_ns)
        watch->total_ns = total_ns;
}

uint64_t watch_step(uint64_t for_ns)
{
    uint64_t step = for_ns / WATCH_SAMPLES_WANTED;
    if (for_ns == 0)
        return WATCH_STEP_LEAST_NS; /* only waits for an end */
    if (step > WATCH_STEP_NS)
        return WATCH_STEP_NS;
    return step > WATCH_STEP_LEAST_NS ? step : WATCH_STEP_LEAST_NS;
}

/* True when the run was cancelled before the time came, or the crew had done. */
static bool wait_until(const struct watch *watch, const struct crew *crew, uint64_t deadline_ns)
{
    struct pollfd ends[] = {{.fd = watch->host->cancel_fd(watch->run), .events = POLLIN},
                            {.fd = crew->idle_fd, .events = POLLIN}};
    for (;;) {
        uint64_t now = watch->host->now_ns(watch->run);
        if (now >= deadline_ns)
            return false;
        uint64_t left = deadline_ns - now;
        struct timespec timeout = {.tv_sec = (time_t)(left / NS_PER_S),
                                   .tv_nsec = (long)(left % NS_PER_S)};
        if (ppoll(ends, ARRAY_SIZE(ends), &timeout, NULL) > 0)
            return ends[0].revents != 0;
    }
}

static void tell_progress(const struct watch *watch, uint64_t now)
{
    if (watch->total_ns) {
        double done = (double)(now - watch->start_ns) / (double)watch->total_ns;
        watch->host->progress(watch->run,
                              (uint64_t)((double)watch->planned_ns * (done < 1 ? done : 1)),
                              watch->planned_ns);
    }
    if (watch->glance)
        watch->glance(watch->context);
}

static uint64_t moved_of(const struct crew *crew, const struct watch_view *view)
{
    uint64_t moved = 0;
    unsigned end = view->count ? view->first + view->count : crew->count;
    for (unsigned i = view->first; i < end && i < crew->count; i++)
        moved += atomic_load_explicit(&crew->workers[i].moved, memory_order_relaxed);
    return moved;
}

/* A live sample of the first view has what the test tells beside it. */
static void tick(const struct watch *watch, const struct look *look, uint64_t t0, uint64_t t1)
{
    if (watch->tick && look->count > 0 && t1 > t0)
        watch->tick(watch->context, t0, t1);
}

static void send(const struct watch *watch, struct watch_view *view, uint64_t now, uint64_t moved)
{
    const struct dyno_host *host = watch->host;
    struct watch_mark *last = &view->ticked;
    double bytes = (double)(moved - last->moved);
    if (view->is_silent || now <= last->ns)
        return;
    host->sample(watch->run, view->metric, view->lane, last->ns, now, bytes);
    if (view->has_gauge && bytes > 0)
        host->sample(watch->run, view->gauge, view->lane, last->ns, now,
                     (double)(now - last->ns) / 1e9 / (bytes / view->gauge_bytes));
    *last = (struct watch_mark){now, moved};
}

/* Of workers whose steps are longer than ours: each one's last steps, by its own clock. False when
 * not all of them have finished one since. */
static bool measure_slow(struct watch *watch, const struct crew *crew, struct watch_view *view)
{
    double rate = 0;
    for (unsigned i = 0; i < crew->count; i++) {
        struct watch_mark *last = &watch->slow[i];
        uint64_t at = atomic_load(&crew->workers[i].moved_ns);
        if (at <= last->ns)
            return false;
    }
    for (unsigned i = 0; i < crew->count; i++) {
        const struct worker *worker = &crew->workers[i];
        struct watch_mark *last = &watch->slow[i], now;
        do { /* until both are of one step */
            now.ns = atomic_load(&worker->moved_ns);
            now.moved = atomic_load(&worker->moved);
        } while (now.ns == WORKER_WRITES || now.ns != atomic_load(&worker->moved_ns));
        rate += (double)(now.moved - last->moved) * 1e9 / (double)(now.ns - last->ns);
        *last = now;
    }
    if (view->spread)
        spread_add(view->spread, rate);
    return true;
}

static bool is_slow(const struct crew *crew)
{
    for (unsigned i = 0; i < crew->count; i++)
        if (atomic_load(&crew->workers[i].moved_ns) != 0)
            return true;
    return false;
}

static void measure(struct watch_view *view, uint64_t now, uint64_t moved)
{
    const struct watch_mark *last = &view->stepped;
    /* Until the first block is done nobody knows how long one takes: no rate of 0 comes of it. */
    if (moved == 0)
        return;
    if (view->spread && now > last->ns)
        spread_add(view->spread, (double)(moved - last->moved) * 1e9 / (double)(now - last->ns));
    view->stepped = (struct watch_mark){now, moved};
}

static bool is_idle(struct crew *crew)
{
    pthread_mutex_lock(&crew->lock);
    bool is_idle = crew->busy == 0;
    pthread_mutex_unlock(&crew->lock);
    return is_idle;
}

/* Waits for the next point of either grid and takes note; true when the run was cancelled. */
static bool look(struct watch *watch, const struct crew *crew, const struct look *look)
{
    const struct dyno_host *host = watch->host;
    uint64_t now = host->now_ns(watch->run);
    uint64_t next_step = sampler_next(look->begin, look->step, now);
    uint64_t next_tick = sampler_next(look->begin, watch->tick_ns, now);
    uint64_t next = next_step < next_tick ? next_step : next_tick;
    bool is_cancelled = wait_until(watch, crew, next < look->end ? next : look->end);
    for (unsigned i = 0; i < look->count; i++) {
        struct watch_view *view = &look->views[i];
        uint64_t moved = moved_of(crew, view);
        now = host->now_ns(watch->run);
        /* a step cut short by the end tells too little: it is left to the total */
        if (now >= next_step && now - view->stepped.ns >= look->step / 2)
            is_slow(crew) ? (void)measure_slow(watch, crew, view) : measure(view, now, moved);
        if (now < next_tick || next_tick >= look->end) /* the last one comes after the stop */
            continue;
        uint64_t t0 = view->ticked.ns;
        send(watch, view, now, moved);
        tick(watch, look, t0, i == 0 ? now : t0);
    }
    tell_progress(watch, now);
    return is_cancelled;
}

int watch_crew(struct watch *watch, struct crew *crew, const struct watch_task *task,
               struct watch_view *views, unsigned count)
{
    const struct dyno_host *host = watch->host;
    uint64_t begin = host->now_ns(watch->run);
    struct look at = {begin, task->for_ns ? begin + task->for_ns : UINT64_MAX,
                      watch_step(task->for_ns), views, count};
    for (unsigned i = 0; i < count; i++)
        views[i].ticked = views[i].stepped = (struct watch_mark){begin, 0};
    for (unsigned i = 0; i < crew->count; i++)
        watch->slow[i] = (struct watch_mark){begin, 0};
    crew_begin(crew, task->duty, task->context);
    bool is_cancelled = host->cancelled(watch->run) != 0;
    while (!is_cancelled && host->now_ns(watch->run) < at.end && !is_idle(crew))
        is_cancelled = look(watch, crew, &at);
    crew_stop(crew);
    int error = crew_end(crew);
    uint64_t now = host->now_ns(watch->run);
    tell_progress(watch, now); /* it may have ended before the first look */
    for (unsigned i = 0; i < count; i++) {
        struct watch_view *view = &views[i];
        uint64_t moved = moved_of(crew, view);
        if (view->spread && view->spread->count == 0) /* hardly longer than one step */
            is_slow(crew) ? (void)measure_slow(watch, crew, view) : measure(view, now, moved);
        uint64_t t0 = view->ticked.ns;
        send(watch, view, now, moved);
        tick(watch, &at, t0, i == 0 ? now : t0);
        view->bytes = moved;
        view->ns = now - begin;
    }
    return error < 0 ? error : is_cancelled ? -ECANCELED : 0;
}
