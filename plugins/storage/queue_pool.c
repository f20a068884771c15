/* queue, by threads: each makes plain calls and takes its next request from the one counter. */
#include "queue.h"

#include "lap.h"

#include <common/cleanup.h>
#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>

#define STACK_BYTES (64u << 10)
#ifdef IODYNO_SANITIZED
#define STACK_EXTRA (512u << 10) /* the sanitizer's own frames */
#else
#define STACK_EXTRA 0u
#endif

struct lane {
    struct queue *queue;
    unsigned slot;
    pthread_t thread;
};

static void work(struct queue *queue, unsigned slot)
{
    struct request request;
    uint64_t before = lap_now_ns();
    while (queue_next(queue, before, &request)) {
        int error = queue_finish(queue, &request, queue_buffer(queue, &request, slot), 0);
        uint64_t now = lap_now_ns();
        queue_landed(queue, &request, now - before, error);
        before = now;
    }
}

static void *lane_main(void *argument)
{
    struct lane *lane = argument;
    work(lane->queue, lane->slot);
    return NULL;
}

static size_t stack_bytes(void)
{
    long least = sysconf(_SC_THREAD_STACK_MIN);
    size_t bytes = STACK_BYTES + STACK_EXTRA;
    return least > 0 && (size_t)least > bytes ? (size_t)least : bytes;
}

/* Signals are the main thread's. */
static int start(struct lane *lanes, struct queue *queue, unsigned *ret_count)
{
    pthread_attr_t attributes;
    sigset_t all, before;
    if (pthread_attr_init(&attributes))
        return -ENOMEM;
    (void)pthread_attr_setstacksize(&attributes, stack_bytes());
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    int error = 0;
    unsigned count = 0;
    while (error == 0 && count < queue->depth) {
        lanes[count] = (struct lane){.queue = queue, .slot = count};
        error = pthread_create(&lanes[count].thread, &attributes, lane_main, &lanes[count]);
        count += error == 0;
    }
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    pthread_attr_destroy(&attributes);
    *ret_count = count;
    return -error;
}

int queue_pool_run(struct queue *queue)
{
    if (queue->depth == 1) {
        work(queue, 0);
        return 0;
    }
    AUTO_FREE struct lane *lanes = calloc(queue->depth, sizeof *lanes);
    unsigned count = 0;
    int error = lanes ? start(lanes, queue, &count) : -ENOMEM;
    if (error < 0)
        queue_fail(queue, error); /* fewer threads would be another depth */
    for (unsigned i = 0; i < count; i++)
        pthread_join(lanes[i].thread, NULL);
    return error;
}
