#include "setting.h"

#include "gauge.h"
#include "isa.h"

#include <common/cleanup.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>

#define ROOT "" /* this machine */

void setting_offer(void)
{
    AUTO_CLOSE int fd = open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC);
    if (fd >= 0)
        (void)!write(fd, "1000", 4);
}

static int refuse(const struct setting *setting, int error, const char *why)
{
    setting->host->explain(setting->run, why);
    return error;
}

static void tell_facts(const struct setting *setting)
{
    const struct dyno_host *host = setting->host;
    const struct llc *llc = &setting->llc;
    char text[CPUS_TEXT];
    size_t at = 0;
    host->fact(setting->run, "cpus", cpus_list(&setting->cpus, text));
    if (setting->cpus.types > 1)
        host->fact(setting->run, "core-types", cpus_types(&setting->cpus, text));
    text[0] = '\0';
    for (unsigned i = 0; i < llc->levels && at < sizeof text; i++)
        at += (size_t)snprintf(text + at, sizeof text - at, "L%u %s, ", llc->level[i].level,
                               set_size(llc->level[i].bytes).text);
    snprintf(text + at, sizeof text - at, "last level %s in all (%s)", set_size(llc->bytes).text,
             llc->source);
    host->fact(setting->run, "caches", text);
}

static int read_cpus(struct setting *setting)
{
    const struct dyno_host *host = setting->host;
    char why[CPUS_TEXT], list[CPUS_TEXT];
    int error = cpus_find(ROOT, &setting->cpus);
    if (error < 0)
        return refuse(setting, error, "cannot tell which CPUs this process may use");
    error = cpus_choose(&setting->cpus, host->opt_str(setting->run, "cpus"), why);
    if (error < 0)
        return refuse(setting, error, why);
    uint64_t threads = host->opt_u64(setting->run, "threads");
    if (threads > setting->cpus.count) {
        snprintf(why, sizeof why, "threads=%llu: this run may use %u CPU%s (%.120s)",
                 (unsigned long long)threads, setting->cpus.count,
                 setting->cpus.count == 1 ? "" : "s", cpus_list(&setting->cpus, list));
        return refuse(setting, -EINVAL, why);
    }
    setting->threads = (unsigned)threads;
    return 0;
}

int setting_read(struct setting *setting, const struct dyno_host *host, struct dyno_run *run,
                 unsigned taken)
{
    char why[ISA_TEXT];
    *setting = (struct setting){.host = host, .run = run, .taken = taken, .slack = AREA_SLACK};
    setting->begin_ns = host->now_ns(run);
    setting->asked_bytes = host->opt_u64(run, "size");
    setting->time_ns = host->opt_u64(run, "time");
    setting->wants_huge = strcmp(host->opt_str(run, "pages"), "base") != 0;
    int error = read_cpus(setting);
    if (error < 0)
        return error;
    error = isa_find(host->opt_str(run, "isa"), &setting->isa, why);
    if (error < 0)
        return refuse(setting, error, why);
    error = llc_find(ROOT, &setting->llc);
    if (error < 0)
        return refuse(setting, error, "cannot tell anything of the caches");
    error = room_find(ROOT, &setting->room);
    if (error < 0)
        return refuse(setting, error, setting->room.why);
    setting_offer();
    /* Told by nobody they are measured; without an edge the guess remains. */
    if (setting->llc.levels == 0 &&
        gauge_caches(host, run, &setting->cpus, &setting->room, &setting->llc) == -ECANCELED)
        return -ECANCELED;
    tell_facts(setting);
    return 0;
}

void setting_watch(const struct setting *setting, struct watch *watch)
{
    watch_begin(watch, setting->host, setting->run, setting->time_ns);
    if (watch->total_ns && !setting->counts_taking)
        watch->total_ns += watch->start_ns - setting->begin_ns;
    watch->start_ns = setting->begin_ns;
}

int setting_set(const struct setting *setting, unsigned threads, struct set *ret_set)
{
    char why[SET_TEXT];
    struct room room;
    if (room_find(ROOT, &room) < 0)
        room = setting->room;
    struct set_wish wish = {.asked = setting->asked_bytes,
                            .allocatable = room.allocatable,
                            .limit = room.why,
                            .threads = threads,
                            .slack = setting->slack,
                            .is_alone = setting->is_alone};
    int error = set_choose(&setting->llc, &wish, ret_set, why);
    return error < 0 ? refuse(setting, error, why) : 0;
}

struct taking {
    struct area_gate gate;
    size_t bytes;
};

static int take(struct worker *worker, void *context)
{
    struct taking *taking = context;
    return area_take(&worker->area, taking->bytes, &taking->gate, &worker->moved);
}

/* Takes memory while looking whether the run is cancelled. */
static int take_all(struct setting *setting, struct crew *crew, struct taking *taking)
{
    struct watch watch;
    struct watch_view view = {.metric = setting->taken};
    setting_watch(setting, &watch);
    if (!setting->counts_taking)
        watch.total_ns = 0; /* nobody knows how long it will take */
    taking->gate = (struct area_gate){.root = ROOT,
                                      .find_room = room_find,
                                      .wants_huge = setting->wants_huge,
                                      .stop = &crew->stop};
    pthread_mutex_init(&taking->gate.lock, NULL);
    struct watch_task task = {take, taking, 0};
    int error = watch_crew(&watch, crew, &task, &view, 1);
    pthread_mutex_destroy(&taking->gate.lock);
    return error;
}

static void tell_pages(struct setting *setting, const struct crew *crew)
{
    uint64_t huge = 0, all = 0;
    for (unsigned i = 0; i < crew->count; i++) {
        huge += area_huge_bytes(&crew->workers[i].area);
        all += crew->workers[i].area.bytes;
    }
    if (huge)
        snprintf(setting->pages, sizeof setting->pages, "%llu %% in huge pages, the rest %ld KiB",
                 (unsigned long long)(huge * 100 / all), sysconf(_SC_PAGESIZE) / 1024);
    else
        snprintf(setting->pages, sizeof setting->pages, "%ld KiB%s", sysconf(_SC_PAGESIZE) / 1024,
                 setting->wants_huge ? ", huge pages were not given" : "");
}

static int shrink(const struct setting *setting, const struct crew *crew,
                  const struct taking *taking, struct set *set)
{
    size_t least = taking->bytes;
    char why[SET_TEXT];
    for (unsigned i = 0; i < crew->count; i++)
        if (crew->workers[i].area.bytes < least)
            least = crew->workers[i].area.bytes;
    if (least == taking->bytes)
        return 0;
    uint64_t bytes = least > setting->slack ? (least - setting->slack) / 4096 * 4096 : 0;
    if (bytes < SET_WORKER_LEAST || (set->is_dram && bytes * (setting->is_alone ? 1 : crew->count) <
                                                         SET_LLC_TIMES * setting->llc.bytes)) {
        snprintf(why, sizeof why, "memory ran short while it was taken, after %s a thread: %.160s",
                 set_size(least).text, taking->gate.why);
        return refuse(setting, -ENOSPC, why);
    }
    set->bytes = bytes;
    snprintf(set->text, sizeof set->text,
             "%s in all, reduced because memory ran short while it was taken: %.160s",
             set_size(bytes * crew->count).text, taking->gate.why);
    return 0;
}

int setting_crew(struct setting *setting, unsigned threads, struct set *set, struct crew **ret_crew)
{
    struct crew *crew = NULL;
    struct taking taking = {.bytes = set->bytes + setting->slack};
    char why[128];
    int error = crew_new(&setting->cpus, threads, &crew);
    if (error < 0) {
        snprintf(why, sizeof why, "cannot start %u pinned threads: %s", threads, strerror(-error));
        return refuse(setting, error, why);
    }
    setting->host->phase(setting->run, "take memory");
    error = take_all(setting, crew, &taking);
    if (error == -ENOMEM)
        (void)refuse(setting, error, "the address space for the set cannot be had");
    if (error == 0)
        error = shrink(setting, crew, &taking, set);
    if (error < 0) {
        crew_free(crew);
        return error;
    }
    tell_pages(setting, crew);
    *ret_crew = crew;
    return 0;
}
