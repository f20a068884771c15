#include "history/history.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/wait.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/places.h"
#include "base/str.h"
#include "loop/process.h"
#include "wire/channel.h"

struct history_query {
    struct loop *loop;
    history_fn fn;
    void *user;
    uint64_t limit_ns;
    pid_t pid;
    int line_fd;
    struct loop_fd *line;
    struct loop_timer *timer;
    struct loop_child *child;
    bool is_line_over, is_child_over, is_complete;
    int wait_status;
    struct str problem; /* what the program itself refused */
    char *program;
    bool *freed; /* set when the callback of the moment frees the query */
};

/* Returns false when the callback freed the query. */
static bool hand_out(struct history_query *query, const struct frame *row, const char *problem)
{
    bool freed = false;
    query->freed = &freed;
    query->fn(query->user, row, problem);
    if (freed)
        return false;
    query->freed = NULL;
    return true;
}

static void close_all(struct history_query *query)
{
    query->line = loop_fd_remove(query->line);
    query->timer = loop_timer_remove(query->timer);
    query->child = loop_child_remove(query->child);
    if (query->line_fd >= 0)
        (void)close(take_fd(&query->line_fd));
}

static void complete(struct history_query *query, const char *problem)
{
    if (query->is_complete)
        return;
    query->is_complete = true;
    close_all(query);
    (void)hand_out(query, NULL, problem);
}

/* Both have ended: the line, which has all rows, and the program, whose status says whether they
 * are all there are. */
static void complete_when_over(struct history_query *query)
{
    AUTO(str_done) struct str problem = {0};
    if (!query->is_line_over || !query->is_child_over)
        return;
    if (query->problem.size > 0)
        str_add(&problem, query->problem.text);
    else if (WIFSIGNALED(query->wait_status))
        str_addf(&problem, "%s was ended by signal %d", query->program,
                 WTERMSIG(query->wait_status));
    else if (WEXITSTATUS(query->wait_status) != 0)
        str_addf(&problem, "%s ended with status %d", query->program,
                 WEXITSTATUS(query->wait_status));
    complete(query, problem.size > 0 ? problem.text : NULL);
}

/* 1: go on, 0: the query is gone. */
static int take_frame(struct history_query *query, const struct frame *frame)
{
    if (frame->type == FRAME_ROW)
        return hand_out(query, frame, NULL);
    if (frame->type == FRAME_REFUSED) {
        const char *reason = frame_pair(frame, "reason");
        str_clear(&query->problem);
        str_add_clean(&query->problem, reason ? reason : "refused",
                      strlen(reason ? reason : "refused"));
    }
    return 1; /* FRAME_PROGRESS: a sign of life */
}

static int take_packet(struct history_query *query, const struct packet *packet)
{
    struct frame frame;
    size_t at = 0;
    int r = 0;
    while ((r = frame_next(packet->bytes, packet->size, &at, &frame)) > 0)
        if (!take_frame(query, &frame))
            return 0;
    if (r < 0 && query->problem.size == 0)
        str_addf(&query->problem, "%s gave an answer that cannot be read", query->program);
    return 1;
}

static void on_line(void *user, int fd, uint32_t epoll_events)
{
    struct history_query *query = user;
    struct packet packet;
    (void)epoll_events;
    (void)loop_timer_set(query->timer, query->limit_ns, 0);
    for (int i = 0; i < CHANNEL_TURN_MAX; i++) {
        packet.size = 0;
        int r = channel_receive(fd, &packet);
        if (r == -EAGAIN)
            return;
        if (r <= 0) {
            if (r < 0 && query->problem.size == 0)
                str_addf(&query->problem, "%s gave an answer that cannot be read", query->program);
            query->is_line_over = true;
            query->line = loop_fd_remove(query->line);
            (void)close(take_fd(&query->line_fd));
            complete_when_over(query);
            return;
        }
        if (!take_packet(query, &packet))
            return;
    }
}

static void on_child(void *user, pid_t pid, int wait_status)
{
    struct history_query *query = user;
    (void)pid;
    query->child = loop_child_remove(query->child);
    query->is_child_over = true;
    query->wait_status = wait_status;
    complete_when_over(query);
}

static void on_late(void *user)
{
    struct history_query *query = user;
    AUTO(str_done) struct str problem = {0};
    if (!query->is_child_over)
        (void)kill(query->pid, SIGKILL);
    str_addf(&problem, "%s did not answer",
             strcmp(query->program, "iodyno-store") == 0 ? "the store" : query->program);
    complete(query, problem.text);
}

static int start(struct history_query *query, const char *const *arguments)
{
    AUTO(str_done) struct str path = {0};
    AUTO_FREE const char **argv = NULL;
    AUTO_CLOSE int other_fd = -1;
    int fds[2] = {-1, -1};
    size_t count = 0;
    int r = places_program(query->program, &path);
    if (r < 0)
        return r;
    while (arguments[count])
        count++;
    argv = mem_new(count + 2, sizeof(*argv));
    argv[0] = query->program;
    memcpy(argv + 1, arguments, (count + 1) * sizeof(*argv));
    r = channel_pair(fds);
    if (r < 0)
        return r;
    query->line_fd = fds[0];
    other_fd = fds[1];
    struct process_plan plan = {
        .path = path.text, .argv = argv, .line_fd = other_fd, .output_fd = -1, .own_group = true};
    return process_start(&plan, &query->pid);
}

static int watch(struct history_query *query)
{
    int r = loop_add_child(query->loop, query->pid, on_child, query, &query->child);
    if (r == 0)
        r = loop_add_fd(query->loop, query->line_fd, EPOLLIN, on_line, query, &query->line);
    if (r == 0)
        r = loop_add_timer(query->loop, query->limit_ns, 0, on_late, query, &query->timer);
    return r;
}

int history_ask_program(struct loop *loop, const char *program, const char *const *arguments,
                        uint64_t limit_ns, history_fn fn, void *user,
                        struct history_query **ret_query)
{
    struct history_query *query = mem_new(1, sizeof(*query));
    *query = (struct history_query){.loop = loop,
                                    .fn = fn,
                                    .user = user,
                                    .limit_ns = limit_ns,
                                    .line_fd = -1,
                                    .program = mem_copy_text(program)};
    int r = start(query, arguments);
    if (r == 0)
        r = watch(query);
    if (r < 0) {
        history_free(query);
        return r;
    }
    *ret_query = query;
    return 0;
}

int history_ask(struct loop *loop, const char *const *arguments, history_fn fn, void *user,
                struct history_query **ret_query)
{
    return history_ask_program(loop, "iodyno-store", arguments, HISTORY_LIMIT_NS, fn, user,
                               ret_query);
}

struct history_query *history_free(struct history_query *query)
{
    if (!query)
        return NULL;
    if (query->freed)
        *query->freed = true;
    if (!query->is_complete && query->pid > 0 && !query->is_child_over)
        (void)kill(query->pid, SIGKILL);
    close_all(query);
    str_done(&query->problem);
    free(query->program);
    free(query);
    return NULL;
}
