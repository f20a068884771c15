/* The loops of TCP. */
#include "stream.h"

#include "control.h"
#include "pace.h"

#include <common/cleanup.h>
#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/socket.h>
#include <time.h>

/* A call moves what many wake-ups would move one by one: on a veth pair one stream carries half as
 * much again, four nearly twice as much, for two thirds and half of the CPU time. The bytes stay in
 * the cache: each part of a call is the same memory. */
#define READ_PART 65536u
#define READ_PARTS 32u
#define READ_AWAIT 1048576u
#define READ_AWAIT_PER_S 200u /* of a paced stream: for 5 ms of it */
#define SEND_PARTS 4u
#define SEND_PART 131072u
#define PACED_STEPS 2u    /* milliseconds of data in one call of a paced sender */
#define PACED_LEAST 1448u /* a segment */
#define CATCH_UP_NS 1000000000ull

struct source {
    unsigned char *bytes;
    int file; /* -1: from memory */
};

static int source_open(struct source *source, const struct stream_plan *plan)
{
    source->file = -1;
    source->bytes = malloc(plan->len);
    if (!source->bytes)
        return -ENOMEM;
    stream_fill(source->bytes, plan->len);
    if (!plan->is_zerocopy)
        return 0;
    source->file = memfd_create("payload", MFD_CLOEXEC);
    if (source->file < 0)
        return 0; /* an old kernel: the copy it is */
    ssize_t n = write(source->file, source->bytes, plan->len);
    return n == (ssize_t)plan->len ? 0 : -ENOMEM;
}

static void source_close(struct source *source)
{
    free(source->bytes);
    if (source->file >= 0)
        (void)close(source->file);
}

static ssize_t put(const struct stream *stream, const struct source *source, size_t size)
{
    struct iovec parts[SEND_PARTS];
    struct msghdr message = {.msg_iov = parts};
    const size_t block = stream->plan.len;
    if (source->file >= 0) {
        off_t offset = 0;
        return sendfile(stream->fd, source->file, &offset, size < block ? size : block);
    }
    for (size_t at = 0; at < size && message.msg_iovlen < SEND_PARTS; at += block)
        parts[message.msg_iovlen++] =
            (struct iovec){source->bytes, size - at < block ? size - at : block};
    return sendmsg(stream->fd, &message, MSG_NOSIGNAL);
}

/* Until all of it is out or the race stops. */
static int send_all(struct stream *stream, const struct source *source, size_t size)
{
    for (size_t at = 0; at < size && stream_sends(stream);) {
        ssize_t n = put(stream, source, size - at);
        if (n < 0 && errno != EAGAIN && errno != EINTR)
            return -errno;
        if (n > 0)
            tally_add(&stream->tally.bytes, (uint64_t)n);
        at += n > 0 ? (size_t)n : 0;
    }
    return 0;
}

static size_t chunk_of(const struct stream_plan *plan)
{
    uint64_t step = plan->bps / 8 * PACED_STEPS / 1000;
    if (plan->bps == 0 && plan->len == SEND_PART)
        return SEND_PART * SEND_PARTS;
    if (plan->bps == 0 || step >= plan->len)
        return plan->len;
    if (step < PACED_LEAST)
        step = PACED_LEAST;
    return step < plan->len ? (size_t)step : plan->len;
}

int stream_send_tcp(struct stream *stream)
{
    AUTO(source_close) struct source source;
    struct pace pace;
    int error = source_open(&source, &stream->plan);
    size_t chunk = chunk_of(&stream->plan);
    atomic_store(&stream->method, source.file >= 0 ? "sendfile" : "sendmsg");
    pace_start(&pace, stream->plan.bps, CATCH_UP_NS, control_now_ns());
    while (error == 0 && stream_sends(stream)) {
        if (!pace_wait(&pace, control_now_ns))
            continue;
        size_t size = stream_take(stream, chunk);
        if (size == 0) {
            atomic_store(&stream->is_spent, true);
            break;
        }
        error = send_all(stream, &source, size);
        pace_give(&pace, size);
    }
    return error;
}

static void delay(const struct stream *stream)
{
    const struct timespec pause = {.tv_sec = (time_t)(stream->plan.delay_ns / CONTROL_NS_PER_S),
                                   .tv_nsec = (long)(stream->plan.delay_ns % CONTROL_NS_PER_S)};
    if (stream->plan.delay_ns)
        (void)clock_nanosleep(CLOCK_MONOTONIC, 0, &pause, NULL);
}

/* The kernel grows the window along, and keeps to what a fixed one allows. */
static void await_much(const struct stream *stream)
{
    uint64_t paced = stream->plan.bps / 8 / READ_AWAIT_PER_S;
    int bytes = stream->plan.bps && paced < READ_AWAIT ? (int)paced : (int)READ_AWAIT;
    if (stream->plan.delay_ns == 0 && bytes > 1)
        (void)setsockopt(stream->fd, SOL_SOCKET, SO_RCVLOWAT, &bytes, sizeof bytes);
}

int stream_receive_tcp(struct stream *stream)
{
    AUTO_FREE unsigned char *bytes = malloc(READ_PART);
    struct iovec parts[READ_PARTS];
    struct msghdr message = {.msg_iov = parts,
                             .msg_iovlen = stream->plan.delay_ns ? 1 : READ_PARTS};
    if (!bytes)
        return -ENOMEM;
    for (unsigned i = 0; i < READ_PARTS; i++)
        parts[i] = (struct iovec){bytes, READ_PART};
    await_much(stream);
    atomic_store(&stream->method, "recvmsg");
    while (race_state(stream->race) != RACE_STOP) {
        ssize_t n = recvmsg(stream->fd, &message, 0);
        if (n == 0)
            return -ECONNABORTED;
        if (n < 0 && errno != EAGAIN && errno != EINTR)
            return -errno;
        if (!stream_counts(stream) || n <= 0)
            continue;
        tally_add(&stream->tally.bytes, (uint64_t)n);
        if (stream->plan.is_limited)
            race_got(stream->race, (size_t)n);
        delay(stream);
    }
    return 0;
}
