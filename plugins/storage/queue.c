#include "queue.h"

#include "lap.h"

#include <errno.h>
#include <unistd.h>

#define PAGE 4096u

int queue_open(struct queue *queue)
{
    queue->stride = (queue->course.bs + PAGE - 1) & ~(size_t)(PAGE - 1);
    queue->buffers_size = queue->stride * queue->depth;
    if (queue->course.write_percent >= 100)
        return 0;
    int error = pages_make(&queue->memory, queue->buffers_size);
    queue->buffers = queue->memory.bytes;
    return error;
}

void queue_close(struct queue *queue)
{
    pages_done(&queue->memory);
    queue->buffers = NULL;
}

bool queue_next(struct queue *queue, uint64_t now_ns, struct request *ret_request)
{
    if (queue->deadline_ns && now_ns >= queue->deadline_ns)
        return false;
    if (sampler_cancelled(&queue->meter->sampler) ||
        atomic_load_explicit(&queue->error, memory_order_relaxed))
        return false;
    uint64_t number = atomic_fetch_add_explicit(&queue->next, 1, memory_order_relaxed);
    if (number >= queue->limit)
        return false;
    *ret_request = course_at(&queue->course, number);
    return true;
}

unsigned char *queue_buffer(const struct queue *queue, const struct request *request, unsigned slot)
{
    if (request->is_write)
        return pattern_nth(queue->source, request->number);
    return queue->buffers + queue->stride * slot;
}

/* A part is a whole number of blocks, so no request lies in two. */
int queue_file(const struct queue *queue, const struct request *request, uint64_t *ret_offset)
{
    const struct parts *parts = queue->parts;
    *ret_offset = request->offset;
    if (!parts || parts->count <= 1)
        return queue->fd;
    struct part_place place = parts_at(parts, request->offset);
    *ret_offset = place.offset;
    return parts->files[place.number].fd;
}

int queue_finish(const struct queue *queue, const struct request *request, unsigned char *buffer,
                 size_t got)
{
    size_t bs = queue->course.bs;
    uint64_t offset;
    int fd = queue_file(queue, request, &offset);
    while (got < bs) {
        off_t at = (off_t)(offset + got);
        ssize_t n = request->is_write ? pwrite(fd, buffer + got, bs - got, at)
                                      : pread(fd, buffer + got, bs - got, at);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return -errno;
        if (n == 0) /* a full device; a file that became shorter than it was */
            return request->is_write ? -ENOSPC : -EIO;
        got += (size_t)n;
    }
    return 0;
}

void queue_fail(struct queue *queue, int error)
{
    int none = 0;
    (void)atomic_compare_exchange_strong(&queue->error, &none, error);
}

void queue_landed(struct queue *queue, const struct request *request, uint64_t took_ns, int error)
{
    if (error < 0) {
        queue_fail(queue, error);
        return;
    }
    latency_add(queue->latency, took_ns);
    meter_add(queue->meter, queue->course.bs, request->is_write);
}

int queue_run(struct queue *queue, enum engine engine)
{
    atomic_store(&queue->next, 0);
    atomic_store(&queue->error, 0);
    queue->deadline_ns = queue->time_ns ? lap_now_ns() + queue->time_ns : 0;
    int error = engine == ENGINE_IO_URING ? queue_ring_run(queue) : queue_pool_run(queue);
    if (error == 0)
        error = atomic_load(&queue->error);
    bool is_short = atomic_load(&queue->next) < queue->limit;
    if (error == 0 && is_short && sampler_cancelled(&queue->meter->sampler))
        error = -ECANCELED;
    return error;
}
