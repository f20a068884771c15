#include "run/tee.h"

#include <errno.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/wait.h>

#include "base/cleanup.h"
#include "base/err.h"
#include "base/places.h"
#include "base/str.h"
#include "loop/process.h"
#include "wire/channel.h"

struct queued { /* one packet to be */
    size_t size;
    unsigned frames;
    uint8_t *bytes;
};

struct tee {
    struct loop *loop;
    tee_fn fn;
    void *user;
    int line; /* -1: closed */
    struct loop_fd *handle;
    struct loop_child *child;
    struct loop_timer *timer;
    struct queued queue[TEE_QUEUE_MAX]; /* a ring */
    size_t first, count;
    bool is_finishing, is_closed;
    bool is_busy, is_doomed; /* within a callback; freed during it */
    enum runner_record state;
    struct str text;
    uint64_t run_id;
    struct packet packet; /* on its way in or out */
};

static void drop_queue(struct tee *tee)
{
    for (; tee->count > 0; tee->count--, tee->first = (tee->first + 1) % TEE_QUEUE_MAX)
        free(tee->queue[tee->first].bytes);
}

static void close_line(struct tee *tee)
{
    tee->handle = loop_fd_remove(tee->handle);
    if (tee->line >= 0)
        (void)close(tee->line);
    tee->line = -1;
}

static void close_all(struct tee *tee)
{
    close_line(tee);
    drop_queue(tee);
    tee->timer = loop_timer_remove(tee->timer);
    tee->child = loop_child_remove(tee->child);
    tee->is_closed = true;
    tee->fn(tee->user);
}

/* The record ends here, whole up to this point. */
static void lose(struct tee *tee, const char *reason)
{
    if (tee->is_closed)
        return;
    tee->state = RUNNER_NOT_RECORDED;
    str_clear(&tee->text);
    str_add_clean(&tee->text, reason, strlen(reason));
    close_all(tee);
}

static int send_bytes(struct tee *tee, const void *bytes, size_t size)
{
    tee->packet.size = size;
    memcpy(tee->packet.bytes, bytes, size);
    return channel_send(tee->line, &tee->packet);
}

/* Sends what the line takes; after the last packet of a finished run closes for writing. */
static void pump(struct tee *tee)
{
    while (tee->count > 0) {
        struct queued *next = &tee->queue[tee->first];
        int code = send_bytes(tee, next->bytes, next->size);
        if (code == -EAGAIN) {
            (void)loop_fd_want(tee->handle, EPOLLIN | EPOLLOUT);
            return;
        }
        if (code < 0)
            return; /* the store is gone; its exit tells why */
        free(next->bytes);
        tee->first = (tee->first + 1) % TEE_QUEUE_MAX;
        tee->count--;
    }
    (void)loop_fd_want(tee->handle, EPOLLIN);
    if (tee->is_finishing)
        (void)channel_half_close(tee->line);
}

static void take_answer(struct tee *tee, const struct frame *frame)
{
    if (frame->type == FRAME_RECORDED && !tee->run_id) {
        tee->run_id = frame->recorded.id;
        tee->fn(tee->user);
    } else if (frame->type == FRAME_REFUSED) {
        const char *reason = frame_pair(frame, "reason");
        lose(tee, reason ? reason : "iodyno-store refused the record");
    }
}

/* False when nothing more comes from the store. */
static bool take_packet(struct tee *tee)
{
    int code = channel_receive(tee->line, &tee->packet);
    if (code != 1)
        return code == -EAGAIN;
    struct frame frame;
    size_t offset = 0;
    while (!tee->is_closed && frame_next(tee->packet.bytes, tee->packet.size, &offset, &frame) == 1)
        take_answer(tee, &frame);
    return true;
}

static void release(struct tee *tee)
{
    str_done(&tee->text);
    free(tee);
}

/* Whoever is told something may free the tee at once; it must last to the end of the callback. */
static void leave(struct tee *tee)
{
    tee->is_busy = false;
    if (tee->is_doomed)
        release(tee);
}

static void read_line(struct tee *tee, uint32_t events)
{
    if (events & EPOLLOUT)
        pump(tee);
    if (!(events & (EPOLLIN | EPOLLHUP | EPOLLERR)))
        return;
    if (!take_packet(tee))
        tee->handle = loop_fd_remove(tee->handle); /* its exit follows, and says how it went */
}

static void on_line(void *user, int fd, uint32_t events)
{
    struct tee *tee = user;
    (void)fd;
    tee->is_busy = true;
    read_line(tee, events);
    leave(tee);
}

static void close_after(struct tee *tee, int wait_status)
{
    for (unsigned i = 0; i < CHANNEL_TURN_MAX && tee->handle; i++) { /* a reason said at the last */
        if (!take_packet(tee) && !tee->is_closed)
            tee->handle = loop_fd_remove(tee->handle);
    }
    if (tee->is_closed)
        return;
    if (WIFSIGNALED(wait_status))
        lose(tee, "iodyno-store crashed");
    else if (WEXITSTATUS(wait_status) != 0)
        lose(tee, "iodyno-store failed");
    else if (!tee->is_finishing || tee->count > 0)
        lose(tee, "iodyno-store ended before the run did");
    else
        close_all(tee);
}

static void on_child(void *user, pid_t pid, int wait_status)
{
    struct tee *tee = user;
    (void)pid;
    tee->is_busy = true;
    close_after(tee, wait_status);
    leave(tee);
}

static void on_late(void *user)
{
    struct tee *tee = user;
    tee->is_busy = true;
    if (tee->count > 0)
        lose(tee, "the disk of the record was too slow for the end of the run");
    else if (!tee->run_id)
        lose(tee, "the database has not taken it yet: it is locked, or its disk is slow");
    else
        close_all(tee); /* the store has all of it and still writes */
    leave(tee);
}

/* Adds to the packet that waits last, when there is room in it. */
static bool join_last(struct tee *tee, const void *bytes, size_t size, unsigned frames)
{
    struct queued *last = &tee->queue[(tee->first + tee->count - 1) % TEE_QUEUE_MAX];
    if (tee->count == 0 || last->frames + frames > FRAME_SAMPLES_MAX ||
        last->size + size > FRAME_PACKET_MAX)
        return false;
    last->bytes = mem_grow(last->bytes, last->size + size, 1);
    memcpy(last->bytes + last->size, bytes, size);
    last->size += size;
    last->frames += frames;
    return true;
}

void tee_push(struct tee *tee, const void *bytes, size_t size, unsigned frames)
{
    if (tee->is_closed || size == 0)
        return;
    if (tee->count == 0 && tee->handle && send_bytes(tee, bytes, size) == 0)
        return;
    if (join_last(tee, bytes, size, frames))
        return;
    if (tee->count == TEE_QUEUE_MAX) {
        lose(tee, "the disk of the record could not keep up with the run");
        return;
    }
    struct queued *last = &tee->queue[(tee->first + tee->count) % TEE_QUEUE_MAX];
    *last = (struct queued){.size = size, .frames = frames, .bytes = mem_new(1, size)};
    memcpy(last->bytes, bytes, size);
    tee->count++;
    if (tee->handle)
        (void)loop_fd_want(tee->handle, EPOLLIN | EPOLLOUT);
}

void tee_finish(struct tee *tee)
{
    if (tee->is_closed || tee->is_finishing)
        return;
    tee->is_finishing = true;
    (void)loop_add_timer(tee->loop, tee->run_id ? TEE_CLOSE_NS : TEE_BEGIN_NS, 0, on_late, tee,
                         &tee->timer);
    if (tee->handle)
        pump(tee);
}

static int start_store(struct tee *tee, const char *database)
{
    AUTO(str_done) struct str path = {0};
    int code = places_program("iodyno-store", &path);
    int fds[2];
    if (code == 0)
        code = channel_pair(fds);
    if (code < 0)
        return code;
    tee->line = fds[0];
    AUTO_CLOSE int theirs = fds[1];
    const char *const argv[] = {"iodyno-store", "record", database, NULL};
    struct process_plan plan = {
        .path = path.text, .argv = argv, .line_fd = theirs, .output_fd = -1, .own_group = true};
    pid_t pid;
    code = process_start(&plan, &pid);
    if (code == 0)
        code = loop_add_child(tee->loop, pid, on_child, tee, &tee->child);
    if (code == 0)
        code = loop_add_fd(tee->loop, tee->line, EPOLLIN, on_line, tee, &tee->handle);
    return code;
}

static void ignore(void *user)
{
    (void)user;
}

struct tee *tee_new(struct loop *loop, const char *database, tee_fn fn, void *user)
{
    struct tee *tee = mem_new(1, sizeof(*tee));
    tee->loop = loop;
    tee->line = -1;
    tee->state = RUNNER_RECORDING;
    tee->fn = ignore; /* no news before the caller has the tee */
    int code = start_store(tee, database);
    if (code < 0) {
        char sentence[256];
        lose(tee, err_explain(sentence, sizeof(sentence), code, "start", "iodyno-store"));
    }
    tee->fn = fn;
    tee->user = user;
    return tee;
}

struct tee *tee_free(struct tee *tee)
{
    if (!tee)
        return NULL;
    tee->fn = ignore;
    if (!tee->is_closed)
        close_all(tee);
    tee->is_doomed = true;
    if (!tee->is_busy)
        release(tee);
    return NULL;
}

enum runner_record tee_state(const struct tee *tee)
{
    return tee->state;
}

const char *tee_text(const struct tee *tee)
{
    return str_text(&tee->text);
}

uint64_t tee_run_id(const struct tee *tee)
{
    return tee->run_id;
}

bool tee_is_closed(const struct tee *tee)
{
    return tee->is_closed;
}
