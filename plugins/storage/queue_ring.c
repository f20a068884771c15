/* queue, by io_uring: one thread submits and collects. liburing answers with -errno, not errno. */
#include "queue.h"

#include <errno.h>

#ifndef IODYNO_HAVE_LIBURING

int queue_ring_probe(int fd)
{
    (void)fd;
    return -ENOTSUP;
}

int queue_ring_run(struct queue *queue)
{
    (void)queue;
    return -ENOTSUP;
}

#else

#include "lap.h"

#include <common/cleanup.h>
#include <liburing.h>
#include <string.h>
#include <sys/uio.h>

#define PROBE_BYTES 4096u
#define SMOOTH_SHARE 64u /* of the depth is collected at a time */
enum { BUFFER_READS, BUFFER_WRITES, BUFFERS };

struct slot { /* one request in flight */
    struct request request;
    unsigned char *buffer;
    uint64_t start_ns;
};

struct ring {
    struct io_uring uring;
    struct queue *queue;
    struct slot *slots;
    unsigned *idle; /* slots without a request */
    unsigned idle_count;
    bool has_fixed_buffers;
};

/* The cheaper way where this kernel has it: completions do not interrupt the thread that will ask
 * for them anyway. (Measured: to defer them altogether made random reads 10 % slower at depth 32.)
 */
static int open_uring(unsigned entries, struct io_uring *uring)
{
    static const unsigned ways[] = {
#ifdef IORING_SETUP_COOP_TASKRUN
        IORING_SETUP_COOP_TASKRUN,
#endif
        0};
    int error = -EINVAL;
    for (size_t i = 0; i < ARRAY_SIZE(ways) && error == -EINVAL; i++)
        error = io_uring_queue_init(entries, uring, ways[i]);
    return error;
}

int queue_ring_probe(int fd)
{
    struct io_uring uring;
    AUTO_FREE void *buffer = NULL;
    if (posix_memalign(&buffer, PROBE_BYTES, PROBE_BYTES))
        return -ENOMEM;
    int error = open_uring(2, &uring);
    if (error < 0)
        return error;
    struct io_uring_sqe *sqe = io_uring_get_sqe(&uring);
    struct io_uring_cqe *cqe = NULL;
    io_uring_prep_read(sqe, fd, buffer, PROBE_BYTES, 0);
    error = io_uring_submit_and_wait(&uring, 1);
    if (error >= 0)
        error = io_uring_peek_cqe(&uring, &cqe);
    if (error == 0)
        error = cqe->res < 0 ? cqe->res : 0;
    io_uring_queue_exit(&uring);
    return error;
}

static void ring_done(struct ring *ring)
{
    io_uring_queue_exit(&ring->uring);
    free(ring->slots);
    free(ring->idle);
}

/* Known to the kernel once, memory costs nothing per request; a small limit of locked memory may
 * forbid it. Not the file as well: the kernel lets go of a ring some time after its end, and would
 * hold the file, its room and its mount until then. */
static void fix(struct ring *ring)
{
    struct queue *queue = ring->queue;
    struct iovec areas[BUFFERS] = {
        [BUFFER_READS] = {queue->buffers, queue->buffers ? queue->buffers_size : 0}};
    if (queue->source)
        areas[BUFFER_WRITES] = (struct iovec){queue->source->bytes, queue->source->size};
    /* Old kernels take no empty area: what is not used names the other one. */
    for (unsigned i = 0; i < BUFFERS; i++)
        if (areas[i].iov_len == 0)
            areas[i] = areas[!i];
    ring->has_fixed_buffers = io_uring_register_buffers(&ring->uring, areas, BUFFERS) == 0;
}

static int ring_open(struct ring *ring, struct queue *queue)
{
    int error = open_uring(queue->depth, &ring->uring);
    if (error < 0)
        return error;
    ring->queue = queue;
    ring->slots = calloc(queue->depth, sizeof *ring->slots);
    ring->idle = calloc(queue->depth, sizeof *ring->idle);
    if (!ring->slots || !ring->idle) {
        ring_done(ring);
        return -ENOMEM;
    }
    for (unsigned i = 0; i < queue->depth; i++)
        ring->idle[ring->idle_count++] = queue->depth - 1 - i;
    fix(ring);
    return 0;
}

static void prepare(struct ring *ring, struct io_uring_sqe *sqe, struct slot *slot)
{
    const struct queue *queue = ring->queue;
    const struct request *request = &slot->request;
    uint64_t offset;
    int fd = queue_file(queue, request, &offset);
    unsigned bs = (unsigned)queue->course.bs;
    if (ring->has_fixed_buffers && request->is_write)
        io_uring_prep_write_fixed(sqe, fd, slot->buffer, bs, offset, BUFFER_WRITES);
    else if (ring->has_fixed_buffers)
        io_uring_prep_read_fixed(sqe, fd, slot->buffer, bs, offset, BUFFER_READS);
    else if (request->is_write)
        io_uring_prep_write(sqe, fd, slot->buffer, bs, offset);
    else
        io_uring_prep_read(sqe, fd, slot->buffer, bs, offset);
    io_uring_sqe_set_data(sqe, slot);
}

/* Requests for all idle slots. */
static void fill(struct ring *ring, uint64_t now_ns)
{
    struct request request;
    while (ring->idle_count > 0 && queue_next(ring->queue, now_ns, &request)) {
        unsigned number = ring->idle[ring->idle_count - 1];
        struct io_uring_sqe *sqe = io_uring_get_sqe(&ring->uring);
        if (!sqe) { /* entries >= depth: cannot be */
            queue_fail(ring->queue, -EBUSY);
            return;
        }
        struct slot *slot = &ring->slots[number];
        *slot = (struct slot){.request = request,
                              .buffer = queue_buffer(ring->queue, &request, number),
                              .start_ns = now_ns};
        ring->idle_count--;
        prepare(ring, sqe, slot);
    }
}

static int finish(const struct ring *ring, const struct slot *slot, int res)
{
    size_t bs = ring->queue->course.bs;
    if (res >= 0 && (size_t)res == bs)
        return 0;
    if (res < 0 && res != -EAGAIN && res != -EINTR)
        return res;
    return queue_finish(ring->queue, &slot->request, slot->buffer, res > 0 ? (size_t)res : 0);
}

/* What has come back, one clock for all of it. A few at a time: who collects many at once submits
 * as many at once, and the disk idles between the bursts (measured: 10 % of the requests). */
static void collect(struct ring *ring, uint64_t now_ns)
{
    struct io_uring_cqe *cqe;
    unsigned head, count = 0, most = ring->queue->depth / SMOOTH_SHARE + 1;
    io_uring_for_each_cqe(&ring->uring, head, cqe)
    {
        struct slot *slot = io_uring_cqe_get_data(cqe);
        int error = finish(ring, slot, cqe->res);
        queue_landed(ring->queue, &slot->request, now_ns - slot->start_ns, error);
        ring->idle[ring->idle_count++] = (unsigned)(slot - ring->slots);
        if (++count == most)
            break;
    }
    io_uring_cq_advance(&ring->uring, count);
}

int queue_ring_run(struct queue *queue)
{
    struct ring ring = {.idle_count = 0};
    int error = ring_open(&ring, queue);
    if (error < 0)
        return error;
    uint64_t now_ns = lap_now_ns();
    for (;;) {
        fill(&ring, now_ns);
        if (ring.idle_count == queue->depth)
            break;
        error = io_uring_submit_and_wait(&ring.uring, 1);
        if (error < 0 && error != -EINTR)
            break;
        now_ns = lap_now_ns();
        collect(&ring, now_ns);
    }
    ring_done(&ring);
    return error < 0 && error != -EINTR ? error : 0;
}

#endif
