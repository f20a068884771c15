#include "run/runner.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/wait.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/places.h"
#include "base/str.h"
#include "loop/process.h"
#include "run/ending.h"
#include "run/ladder.h"
#include "run/stream.h"
#include "wire/channel.h"

#define TICK_NS (100 * NS_PER_MS)
#define REPLAY_FIRST_NS                                                                            \
    (15 * NS_PER_S)         /* a locked database is waited for 5 s, a disk may be slow */
#define RESCUE_PACKETS 4096 /* taken from the line of a worker that is dead already */

struct runner {
    struct loop *loop;
    runner_fn fn;
    void *user;
    bool is_replay, was_asked;
    bool is_unfinished; /* replayed in full, while the run itself goes on */
    unsigned depth;     /* of callbacks; freed at the last return */
    bool is_doomed;
    bool has_last_word; /* the worker has said its end */

    int line, output_fd; /* -1: closed */
    struct loop_fd *line_handle, *output_handle;
    struct loop_timer *tick;
    struct ladder *ladder;
    struct stream *stream;
    struct frame order; /* points into order_packet */
    struct packet order_packet, in;
};

static void enter(struct runner *runner)
{
    runner->depth++;
}

static void release(struct runner *runner)
{
    runner->ladder = ladder_free(runner->ladder);
    runner->stream = stream_free(runner->stream);
    free(runner);
}

static void leave(struct runner *runner)
{
    if (--runner->depth == 0 && runner->is_doomed)
        release(runner);
}

static void tell(struct runner *runner, const struct frame *frame)
{
    if (!runner->is_doomed && runner->fn)
        runner->fn(runner->user, runner, frame);
}

static void close_output(struct runner *runner)
{
    runner->output_handle = loop_fd_remove(runner->output_handle);
    if (runner->output_fd >= 0)
        (void)close(runner->output_fd);
    runner->output_fd = -1;
}

/* The worker has a moment to leave. */
static void take_last_word(struct runner *runner)
{
    if (runner->has_last_word)
        return;
    runner->has_last_word = true;
    runner->tick = loop_timer_remove(runner->tick);
    close_output(runner);
    if (runner->is_replay) /* which waits for us to have taken all it said */
        (void)channel_half_close(runner->line);
    ladder_set(runner->ladder, false);
}

static void on_said(void *user, const struct frame *frame)
{
    struct runner *runner = user;
    enter(runner);
    tell(runner, frame);
    if (frame && frame->type == FRAME_END)
        take_last_word(runner);
    leave(runner);
}

/* ---- the line ---- */

static void forget_line(struct runner *runner)
{
    runner->line_handle = loop_fd_remove(runner->line_handle);
}

/* Asks for the end by half-closing. */
static void ask(struct runner *runner)
{
    (void)channel_half_close(runner->line);
    ladder_set(runner->ladder, true);
    tell(runner, NULL);
}

static void fail_protocol(struct runner *runner, const char *what)
{
    AUTO(str_done) struct str sentence = {0};
    str_addf(&sentence, "protocol error: %s", what);
    struct frame_end end = {.state = RUN_FAILED, .code = -EPROTO};
    stream_end(runner->stream, &end, sentence.text);
    forget_line(runner);
    ask(runner);
}

/* 1: goes on, 0: nothing more is there now. */
static int take_packet(struct runner *runner)
{
    int code = channel_receive(runner->line, &runner->in);
    if (code == -EAGAIN)
        return 0;
    if (code == 0) {
        forget_line(runner);
        ladder_set(runner->ladder, false); /* a worker without a line has to leave */
        return 0;
    }
    bool had_end = stream_model(runner->stream)->has_end;
    if (code < 0)
        fail_protocol(runner, "a packet that was cut or cannot be read");
    else if (stream_feed(runner->stream, &runner->in) < 0)
        fail_protocol(runner, had_end ? "frames after the end"
                                      : "a frame that is broken or does not fit what came before");
    if (stream_end_is_kept(runner->stream) && !runner->has_last_word && !runner->is_doomed) {
        take_last_word(runner);
        tell(runner, NULL);
    }
    return runner->line_handle && !runner->is_doomed;
}

static void on_line(void *user, int fd, uint32_t events)
{
    struct runner *runner = user;
    (void)fd;
    (void)events;
    enter(runner);
    for (unsigned i = 0; i < CHANNEL_TURN_MAX && take_packet(runner); i++)
        ;
    leave(runner);
}

static void on_output(void *user, int fd, uint32_t events)
{
    struct runner *runner = user;
    (void)fd;
    (void)events;
    enter(runner);
    if (!stream_read_output(runner->stream))
        runner->output_handle = loop_fd_remove(runner->output_handle);
    leave(runner);
}

/* ---- time ---- */

static void on_tick(void *user)
{
    struct runner *runner = user;
    struct frame event;
    enter(runner);
    if (model_tick(stream_model(runner->stream), clock_mono_ns(), &event) == 1)
        (void)stream_put(runner->stream, &event);
    leave(runner);
}

/* Of a replay: nothing came yet. */
static void on_late(void *user)
{
    struct runner *runner = user;
    struct frame_end end = {.state = RUN_FAILED, .code = -ETIMEDOUT};
    enter(runner);
    if (!stream_model(runner->stream)->has_start)
        stream_end(runner->stream, &end, "iodyno-store did not answer");
    leave(runner);
}

/* ---- the end of the child ---- */

static void on_rung(void *user)
{
    struct runner *runner = user;
    enter(runner);
    tell(runner, NULL);
    leave(runner);
}

static void on_stuck(void *user)
{
    struct runner *runner = user;
    struct frame_end end = {.state = RUN_ABANDONED, .code = -ETIMEDOUT};
    enter(runner);
    stream_end(
        runner->stream, &end,
        "the test is stuck in the kernel and does not end; its device stays busy until it does");
    forget_line(runner);
    tell(runner, NULL);
    leave(runner);
}

/* A record that was given in full and has no end is that of a run which still goes on. */
static void end_replay(struct runner *runner, int wait_status)
{
    runner->is_unfinished = !runner->was_asked && WIFEXITED(wait_status) &&
                            WEXITSTATUS(wait_status) == 0 &&
                            stream_model(runner->stream)->has_start;
    if (runner->is_unfinished)
        return;
    struct frame_end end = {.state = runner->was_asked ? RUN_INTERRUPTED : RUN_FAILED,
                            .code = runner->was_asked ? 0 : -EIO};
    stream_end(runner->stream, &end,
               runner->was_asked ? "the replay was stopped" : "the record could not be read");
}

static void on_ended(void *user, int wait_status)
{
    struct runner *runner = user;
    enter(runner);
    for (unsigned i = 0; i < RESCUE_PACKETS && runner->line_handle && take_packet(runner); i++)
        ;
    forget_line(runner);
    if (runner->is_replay) {
        end_replay(runner, wait_status);
    } else if (!stream_model(runner->stream)->has_end && !stream_end_is_kept(runner->stream)) {
        AUTO(str_done) struct str sentence = {0};
        struct frame_end end;
        ending_of_exit(wait_status, runner->was_asked, ladder_has_signalled(runner->ladder), &end,
                       &sentence);
        stream_end(runner->stream, &end, sentence.text);
    }
    close_output(runner);
    tell(runner, NULL);
    leave(runner);
}

/* ---- start ---- */

static struct runner *runner_new(struct loop *loop, runner_fn fn, void *user)
{
    struct runner *runner = mem_new(1, sizeof(*runner));
    runner->loop = loop;
    runner->fn = fn;
    runner->user = user;
    runner->line = runner->output_fd = -1;
    return runner;
}

static int watch(struct runner *runner, pid_t pid, const char *database)
{
    struct loop *loop = runner->loop;
    struct ladder_plan plan = {.loop = loop,
                               .pid = pid,
                               .changed = on_rung,
                               .ended = on_ended,
                               .stuck = on_stuck,
                               .user = runner};
    struct stream_plan stream = {.loop = loop,
                                 .database = database,
                                 .is_replay = runner->is_replay,
                                 .order = &runner->order,
                                 .output_fd = runner->output_fd,
                                 .said = on_said,
                                 .user = runner};
    runner->stream = stream_new(&stream);
    int code = ladder_new(&plan, &runner->ladder);
    if (code == 0)
        code = loop_add_fd(loop, runner->line, EPOLLIN, on_line, runner, &runner->line_handle);
    if (code == 0 && runner->output_fd >= 0)
        code = loop_add_fd(loop, runner->output_fd, EPOLLIN, on_output, runner,
                           &runner->output_handle);
    if (code == 0 && runner->is_replay)
        code = loop_add_timer(loop, REPLAY_FIRST_NS, 0, on_late, runner, &runner->tick);
    else if (code == 0)
        code = loop_add_timer(loop, TICK_NS, TICK_NS, on_tick, runner, &runner->tick);
    return code;
}

/* Starts the program with its line, and for a worker the order in it and its output in a pipe. */
static int start(struct runner *runner, const char *const *argv, const char *database)
{
    AUTO(str_done) struct str path = {0};
    AUTO_CLOSE int their_line = -1;
    AUTO_CLOSE int their_output = -1;
    int line[2], output[2];
    int code = places_program(argv[0], &path);
    if (code == 0)
        code = channel_pair(line);
    if (code < 0)
        return code;
    runner->line = line[0];
    their_line = line[1];
    if (!runner->is_replay) {
        if (pipe2(output, O_CLOEXEC) < 0)
            return -errno;
        runner->output_fd = output[0];
        their_output = output[1];
        (void)fcntl(runner->output_fd, F_SETFL, O_NONBLOCK);
        code = channel_send(runner->line, &runner->order_packet);
        if (code < 0)
            return code;
    }
    struct process_plan plan = {.path = path.text,
                                .argv = argv,
                                .line_fd = their_line,
                                .output_fd = their_output,
                                .own_group = true};
    pid_t pid;
    code = process_start(&plan, &pid);
    return code == 0 ? watch(runner, pid, database) : code;
}

int runner_start(struct loop *loop, const struct runner_order *order, struct runner **ret_runner)
{
    struct runner *runner = runner_new(loop, order->fn, order->user);
    size_t offset = 0;
    int code = packet_add(&runner->order_packet, order->order);
    if (code == 0 && frame_next(runner->order_packet.bytes, runner->order_packet.size, &offset,
                                &runner->order) != 1)
        code = -EINVAL;
    static const char *const argv[] = {"iodyno-worker", NULL};
    if (code == 0)
        code = start(runner, argv, order->database);
    if (code < 0) {
        (void)runner_free(runner);
        return code;
    }
    *ret_runner = runner;
    return 0;
}

int runner_replay(struct loop *loop, const char *const *argv, runner_fn fn, void *user,
                  struct runner **ret_runner)
{
    struct runner *runner = runner_new(loop, fn, user);
    runner->is_replay = true;
    runner->order.order =
        (struct frame_order){.tick_ns = NS_PER_S, .report_ns = NS_PER_S}; /* of an unreadable one */
    size_t count = 0;
    while (argv[count])
        count++;
    AUTO_FREE const char **all = mem_new(count + 2, sizeof(*all));
    all[0] = "iodyno-store";
    memcpy(all + 1, argv, count * sizeof(*all));
    int code = start(runner, all, NULL);
    if (code < 0) {
        (void)runner_free(runner);
        return code;
    }
    *ret_runner = runner;
    return 0;
}

void runner_stop(struct runner *runner)
{
    if (runner->was_asked || stream_model(runner->stream)->has_end)
        return;
    runner->was_asked = true;
    enter(runner);
    ask(runner);
    leave(runner);
}

struct runner *runner_free(struct runner *runner)
{
    if (!runner || runner->is_doomed)
        return NULL;
    forget_line(runner);
    close_output(runner);
    if (runner->line >= 0)
        (void)close(runner->line);
    runner->line = -1;
    runner->tick = loop_timer_remove(runner->tick);
    runner->is_doomed = true;
    if (runner->stream)
        stream_mute(runner->stream);
    if (runner->depth == 0)
        release(runner);
    return NULL;
}

const struct model *runner_model(const struct runner *runner)
{
    return stream_model(runner->stream);
}

enum runner_stop runner_stop_state(const struct runner *runner)
{
    return ladder_state(runner->ladder);
}

enum runner_record runner_record_state(const struct runner *runner)
{
    const struct tee *tee = stream_tee(runner->stream);
    return tee ? tee_state(tee) : RUNNER_NOT_ASKED;
}

const char *runner_record_text(const struct runner *runner)
{
    const struct tee *tee = stream_tee(runner->stream);
    return tee ? tee_text(tee) : "";
}

bool runner_is_over(const struct runner *runner)
{
    const struct tee *tee = stream_tee(runner->stream);
    return (stream_model(runner->stream)->has_end || runner->is_unfinished) &&
           ladder_state(runner->ladder) == RUNNER_OVER && (!tee || tee_is_closed(tee));
}

void runner_hold(struct runner *runner)
{
    stream_hold(runner->stream);
}

void runner_release(struct runner *runner)
{
    enter(runner);
    stream_release(runner->stream);
    leave(runner);
}

bool runner_is_ending(const struct runner *runner)
{
    return stream_end_is_kept(runner->stream);
}

int runner_note(struct runner *runner, const struct frame *frame)
{
    enter(runner);
    int code = stream_put(runner->stream, frame);
    leave(runner);
    return code;
}
