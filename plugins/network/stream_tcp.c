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

#define READ_LEAST 131072u
#define DELAYED_READ 65536u
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

/* Until the block is out or the race stops. */
static int send_block(struct stream *stream, const struct source *source, size_t size)
{
    for (size_t at = 0; at < size && stream_sends(stream);) {
        off_t offset = (off_t)at;
        ssize_t n = source->file >= 0
                        ? sendfile(stream->fd, source->file, &offset, size - at)
                        : send(stream->fd, source->bytes + at, size - at, MSG_NOSIGNAL);
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
    atomic_store(&stream->method, source.file >= 0 ? "sendfile" : "send");
    pace_start(&pace, stream->plan.bps, CATCH_UP_NS, control_now_ns());
    while (error == 0 && stream_sends(stream)) {
        if (!pace_wait(&pace, control_now_ns))
            continue;
        size_t size = stream_take(stream, chunk);
        if (size == 0) {
            atomic_store(&stream->is_spent, true);
            break;
        }
        error = send_block(stream, &source, size);
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

int stream_receive_tcp(struct stream *stream)
{
    size_t size = stream->plan.len > READ_LEAST ? stream->plan.len : READ_LEAST;
    AUTO_FREE unsigned char *bytes = malloc(size);
    if (!bytes)
        return -ENOMEM;
    if (stream->plan.delay_ns)
        size = DELAYED_READ;
    atomic_store(&stream->method, "recv");
    while (race_state(stream->race) != RACE_STOP) {
        ssize_t n = recv(stream->fd, bytes, size, 0);
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
