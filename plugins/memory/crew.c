#include "crew.h"

#include <common/cleanup.h>
#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/resource.h>
#include <unistd.h>

static int pin(unsigned cpu)
{
    cpu_set_t *set = CPU_ALLOC(cpu + 1);
    if (!set)
        return -ENOMEM;
    size_t size = CPU_ALLOC_SIZE(cpu + 1);
    CPU_ZERO_S(size, set);
    CPU_SET_S(cpu, size, set);
    int error = sched_setaffinity(0, size, set) < 0 ? -errno : 0;
    CPU_FREE(set);
    return error;
}

static uint64_t switches_so_far(void)
{
    struct rusage usage;
    return getrusage(RUSAGE_THREAD, &usage) == 0 ? (uint64_t)usage.ru_nivcsw : 0;
}

/* Waits for a duty newer than `seen`; false when the crew is dismissed. */
static bool await_duty(struct crew *crew, uint64_t seen)
{
    pthread_mutex_lock(&crew->lock);
    while (crew->turn == seen && !crew->is_leaving)
        pthread_cond_wait(&crew->changed, &crew->lock);
    bool is_leaving = crew->is_leaving;
    pthread_mutex_unlock(&crew->lock);
    return !is_leaving;
}

static void report_done(struct crew *crew)
{
    pthread_mutex_lock(&crew->lock);
    if (--crew->busy == 0) {
        pthread_cond_broadcast(&crew->changed);
        (void)eventfd_write(crew->idle_fd, 1);
    }
    pthread_mutex_unlock(&crew->lock);
}

static void *serve(void *argument)
{
    struct worker *worker = argument;
    struct crew *crew = worker->crew;
    int pinned = pin(worker->cpu);
    for (uint64_t turn = 0; await_duty(crew, turn); turn++) {
        uint64_t before = switches_so_far();
        pthread_barrier_wait(&crew->together);
        worker->error = pinned < 0 ? pinned : crew->duty(worker, crew->context);
        worker->switches = switches_so_far() - before;
        report_done(crew);
    }
    return NULL;
}

static int start_threads(struct crew *crew, const struct cpus *cpus)
{
    sigset_t all, before;
    int error = 0;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    while (crew->started < crew->count && error == 0) {
        struct worker *worker = &crew->workers[crew->started];
        worker->crew = crew;
        worker->index = crew->started;
        worker->cpu = cpus->cpu[crew->started].number;
        error = pthread_create(&worker->thread, NULL, serve, worker);
        crew->started += error == 0;
    }
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return -error;
}

static int nothing(struct worker *worker, void *context)
{
    (void)worker;
    (void)context;
    return 0;
}

int crew_new(const struct cpus *cpus, unsigned count, struct crew **ret_crew)
{
    if (count == 0 || count > cpus->count)
        return -EINVAL;
    struct crew *crew = calloc(1, sizeof *crew);
    void *workers = NULL;
    if (!crew || posix_memalign(&workers, _Alignof(struct worker), count * sizeof(struct worker))) {
        free(crew);
        return -ENOMEM;
    }
    memset(workers, 0, count * sizeof(struct worker));
    crew->workers = workers;
    crew->count = count;
    pthread_mutex_init(&crew->lock, NULL);
    pthread_cond_init(&crew->changed, NULL);
    crew->idle_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    int error = crew->idle_fd < 0 ? -errno : -pthread_barrier_init(&crew->together, NULL, count);
    crew->has_barrier = error == 0;
    if (error == 0)
        error = start_threads(crew, cpus);
    if (error == 0)
        error = crew_do(crew, nothing, NULL); /* tells whether all could be pinned */
    if (error < 0) {
        crew_free(crew);
        return error;
    }
    *ret_crew = crew;
    return 0;
}

struct crew *crew_free(struct crew *crew)
{
    if (!crew)
        return NULL;
    pthread_mutex_lock(&crew->lock);
    crew->is_leaving = true;
    pthread_cond_broadcast(&crew->changed);
    pthread_mutex_unlock(&crew->lock);
    for (unsigned i = 0; i < crew->started; i++) {
        pthread_join(crew->workers[i].thread, NULL);
        area_drop(&crew->workers[i].area);
    }
    if (crew->has_barrier)
        pthread_barrier_destroy(&crew->together);
    if (crew->idle_fd >= 0)
        close(crew->idle_fd);
    pthread_cond_destroy(&crew->changed);
    pthread_mutex_destroy(&crew->lock);
    free(crew->workers);
    free(crew);
    return NULL;
}

void crew_begin(struct crew *crew, crew_duty *duty, void *context)
{
    eventfd_t idle;
    pthread_mutex_lock(&crew->lock);
    (void)eventfd_read(crew->idle_fd, &idle);
    atomic_store(&crew->stop, false);
    for (unsigned i = 0; i < crew->count; i++) {
        worker_publish(&crew->workers[i], 0);
        atomic_store(&crew->workers[i].moved_ns, 0);
        crew->workers[i].error = 0;
        crew->workers[i].switches = 0;
    }
    crew->duty = duty;
    crew->context = context;
    crew->busy = crew->count;
    crew->turn++;
    pthread_cond_broadcast(&crew->changed);
    pthread_mutex_unlock(&crew->lock);
}

int crew_end(struct crew *crew)
{
    int error = 0;
    pthread_mutex_lock(&crew->lock);
    while (crew->busy > 0)
        pthread_cond_wait(&crew->changed, &crew->lock);
    pthread_mutex_unlock(&crew->lock);
    for (unsigned i = 0; i < crew->count && error == 0; i++)
        error = crew->workers[i].error;
    return error;
}

int crew_do(struct crew *crew, crew_duty *duty, void *context)
{
    crew_begin(crew, duty, context);
    return crew_end(crew);
}

uint64_t crew_moved(const struct crew *crew)
{
    uint64_t moved = 0;
    for (unsigned i = 0; i < crew->count; i++)
        moved += atomic_load_explicit(&crew->workers[i].moved, memory_order_relaxed);
    return moved;
}

uint64_t crew_switches(const struct crew *crew)
{
    uint64_t switches = 0;
    for (unsigned i = 0; i < crew->count; i++)
        switches += crew->workers[i].switches;
    return switches;
}
