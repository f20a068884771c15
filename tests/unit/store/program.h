/* program: iodyno-store as its askers meet it: started with a line, answering in packets. */
#ifndef STORE_PROGRAM_H
#define STORE_PROGRAM_H

#include <poll.h>
#include <signal.h>
#include <sys/wait.h>

#include "base/clock.h"
#include "base/places.h"
#include "loop/process.h"
#include "scene.h"
#include "wire/channel.h"

#define PROGRAM_LIMIT_MS 20000

struct program {
    pid_t pid;
    int line;
    struct packet packet; /* the last one that came */
};

static inline void program_start(struct program *program, const char *const *argv)
{
    AUTO(str_done) struct str path = {0};
    int fds[2];
    assert_int_equal(places_program("iodyno-store", &path), 0);
    assert_int_equal(channel_pair(fds), 0);
    struct process_plan plan = {.path = path.text, .argv = argv, .line_fd = fds[1], .output_fd = 2};
    assert_int_equal(process_start(&plan, &program->pid), 0);
    (void)close(fds[1]);
    program->line = fds[0];
}

static inline void program_send(struct program *program, const struct packet *packet)
{
    assert_int_equal(channel_send_wait(program->line, packet, PROGRAM_LIMIT_MS), 0);
}

/* 1: a packet, 0: end-of-file, -ETIMEDOUT. */
static inline int program_take(struct program *program, int timeout_ms)
{
    struct pollfd poll_fd = {.fd = program->line, .events = POLLIN};
    if (poll(&poll_fd, 1, timeout_ms) <= 0)
        return -ETIMEDOUT;
    program->packet.size = 0;
    return channel_receive(program->line, &program->packet);
}

/* Closes the line and returns the exit status, 128 + n for signal n. */
static inline int program_end(struct program *program)
{
    int status = -1;
    if (program->line >= 0)
        (void)close(take_fd(&program->line));
    for (int i = 0; i < PROGRAM_LIMIT_MS / 10; i++) {
        if (waitpid(program->pid, &status, WNOHANG) == program->pid)
            return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
        (void)poll(NULL, 0, 10);
    }
    (void)kill(program->pid, SIGKILL);
    (void)waitpid(program->pid, NULL, 0);
    return -1;
}

/* Waits for the exit without closing the line. */
static inline int program_wait(struct program *program)
{
    int line = take_fd(&program->line);
    int status = program_end(program);
    (void)close(line);
    return status;
}

/* All frames to the end-of-file, but the number of the record, as bytes; that number is returned.
 */
static inline uint64_t program_frames(struct program *program, struct str *into)
{
    uint64_t id = 0;
    while (program_take(program, PROGRAM_LIMIT_MS) > 0) {
        struct frame frame;
        for (size_t at = 0;
             frame_next(program->packet.bytes, program->packet.size, &at, &frame) > 0;) {
            if (frame.type == FRAME_RECORDED)
                id = frame.recorded.id;
            else
                scene_add_bytes(into, &frame);
        }
    }
    return id;
}

/* Waits for one answer with a given type; its pairs stay in the packet. */
static inline struct frame program_answer(struct program *program, unsigned type)
{
    struct frame frame = {0};
    size_t at = 0;
    assert_int_equal(program_take(program, PROGRAM_LIMIT_MS), 1);
    assert_int_equal(frame_next(program->packet.bytes, program->packet.size, &at, &frame), 1);
    assert_int_equal(frame.type, type);
    return frame;
}

#endif
