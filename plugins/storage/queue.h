/* queue: `depth` requests in flight on one file until the course, the time or the patience ends.
 *
 * Two back ends collect completions: io_uring (queue_ring) and POSIX threads (queue_pool); both
 * take their requests from queue_next and give them back to queue_landed. Each request has its own
 * clock: latency is from the call (or submission) to the completion seen. Errors: negative errno.
 */
#ifndef STORAGE_QUEUE_H
#define STORAGE_QUEUE_H

#include "course.h"
#include "engine.h"
#include "latency.h"
#include "meter.h"
#include "pages.h"
#include "parts.h"
#include "pattern.h"

#define QUEUE_DEPTH_MAX 256u
#define QUEUE_BUFFERS_MAX (256u << 20) /* depth blocks must fit */

struct queue {
    int fd;
    const struct parts *parts; /* NULL: `fd` is all */
    unsigned depth;
    struct course course;
    uint64_t limit;         /* requests in all, > 0 */
    uint64_t time_ns;       /* 0: none */
    struct pattern *source; /* of writes; its block is the course's bs */
    struct meter *meter;    /* started: gets the amounts, knows the cancel */
    struct latency *latency;

    struct pages memory;    /* owned, queue_open */
    unsigned char *buffers; /* of reads, in it: one a request in flight */
    size_t stride, buffers_size;
    uint64_t deadline_ns; /* 0: none */
    atomic_uint_least64_t next;
    atomic_int error; /* the first one */
};

/* Buffers, touched, so that no page fault falls into the time. -ENOMEM. */
int queue_open(struct queue *queue);
void queue_close(struct queue *queue); /* harmless when never opened */

/* Runs to the end. 0, -ECANCELED, or the first error; requests in flight are awaited. */
int queue_run(struct queue *queue, enum engine engine);

/* For the back ends. The next request, unless the run is over. */
bool queue_next(struct queue *queue, uint64_t now_ns, struct request *ret_request);
unsigned char *queue_buffer(const struct queue *queue, const struct request *request,
                            unsigned slot);
/* The file of a request; its offset becomes the one within it. */
int queue_file(const struct queue *queue, const struct request *request, uint64_t *ret_offset);
/* The request's rest, from byte `got` on, by plain calls. */
int queue_finish(const struct queue *queue, const struct request *request, unsigned char *buffer,
                 size_t got);
void queue_landed(struct queue *queue, const struct request *request, uint64_t took_ns, int error);
void queue_fail(struct queue *queue, int error);

int queue_pool_run(struct queue *queue);
int queue_ring_run(struct queue *queue);
/* 0 when a read through io_uring really came back; -ENOTSUP when it is not built in. */
int queue_ring_probe(int fd);

#endif
