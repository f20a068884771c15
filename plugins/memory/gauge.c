#include "gauge.h"

#include "crew.h"
#include "stairs.h"
#include "walk.h"
#include "watch.h"

#include <errno.h>

#define MOST_BYTES (UINT64_C(64) << 20)
#define LEAST_BYTES (UINT64_C(4) << 20)
#define ROOM_PART 4u /* of what may be taken */
#define LOOK_NS 5000000u

struct gauge {
    struct watch watch;
    struct crew *crew;
    struct wrong wrong;
    struct area_gate gate;
    uint64_t bytes;
};

static int take(struct worker *worker, void *context)
{
    struct gauge *gauge = context;
    return area_take(&worker->area, gauge->bytes, &gauge->gate, &worker->moved);
}

/* Seconds of a load within so many bytes; 0: not known. */
static int measure(struct gauge *gauge, uint64_t bytes, double *ret_latency)
{
    struct walk walk = {.bytes = bytes, .chains = 1, .wrong = &gauge->wrong};
    struct watch_view laid = {.is_silent = true}, walked = {.is_silent = true};
    struct watch_task lay = {walk_lay, &walk, 0}, go = {walk_go, &walk, LOOK_NS};
    int error = watch_crew(&gauge->watch, gauge->crew, &lay, &laid, 1);
    if (error == 0)
        error = watch_crew(&gauge->watch, gauge->crew, &go, &walked, 1);
    double loads = (double)walked.bytes / CHASE_LINE;
    *ret_latency = loads > 0 ? (double)walked.ns / 1e9 / loads : 0;
    return error;
}

static int find_edges(struct gauge *gauge, struct llc *into)
{
    uint64_t sizes[STAIRS_POINTS], edges[STAIRS_EDGES];
    double latencies[STAIRS_POINTS];
    unsigned count = stairs_sizes(gauge->bytes, sizes);
    int error = 0;
    for (unsigned i = 0; i < count && error == 0; i++)
        error = measure(gauge, sizes[i], &latencies[i]);
    if (error < 0)
        return error;
    unsigned found = stairs_edges(sizes, latencies, count, edges);
    if (found == 0 || gauge->wrong.count > 0) /* wrong words are the test's own to find */
        return -ENODATA;
    *into = (struct llc){.bytes = edges[found - 1], .source = "measured"};
    for (unsigned i = 0; i < found && i < LLC_LEVELS; i++) {
        into->level[i].level = i + 1;
        into->level[i].bytes = edges[i];
        into->levels++;
    }
    return 0;
}

int gauge_caches(const struct dyno_host *host, struct dyno_run *run, const struct cpus *cpus,
                 const struct room *room, struct llc *into)
{
    struct gauge gauge = {.bytes = room->allocatable / ROOM_PART / 4096 * 4096};
    if (gauge.bytes > MOST_BYTES)
        gauge.bytes = MOST_BYTES;
    if (gauge.bytes < LEAST_BYTES || crew_new(cpus, 1, &gauge.crew) < 0)
        return -ENODATA;
    gauge.gate = (struct area_gate){
        .root = "", .find_room = room_find, .wants_huge = true, .stop = &gauge.crew->stop};
    pthread_mutex_init(&gauge.gate.lock, NULL);
    wrong_init(&gauge.wrong);
    watch_begin(&gauge.watch, host, run, 0);
    struct watch_view view = {.is_silent = true};
    struct watch_task task = {take, &gauge, 0};
    int error = watch_crew(&gauge.watch, gauge.crew, &task, &view, 1);
    if (error == 0 && gauge.crew->workers[0].area.bytes < gauge.bytes)
        error = -ENODATA;
    if (error == 0)
        error = find_edges(&gauge, into);
    crew_free(gauge.crew);
    wrong_done(&gauge.wrong);
    pthread_mutex_destroy(&gauge.gate.lock);
    return error == 0 || error == -ECANCELED ? error : -ENODATA;
}
