#include "loop/loop.h"

#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/signalfd.h>
#include <sys/timerfd.h>
#include <sys/wait.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/str.h"

#define BATCH 32
#define CORE_FLAG 0x80       /* of a wait status; musl names it nowhere */
#define ABSENT_STATUS 0xff00 /* "exit 255": somebody else took the child's status */

/* What epoll reports about. It carries an id, not an address: an event of a source that a callback
 * of the same turn removed finds nobody, and so removal can free at once. */
struct source {
    uint64_t id;
    struct loop *loop;
    struct source *next, *previous;
    int fd;
    void (*ready)(struct source *source, uint32_t epoll_events);
};

struct loop_fd {
    struct source source;
    loop_fd_fn fn;
    void *user;
};

struct loop_timer {
    struct source source;
    uint64_t due_ns, every_ns; /* when its next shot is planned */
    loop_timer_fn fn;
    void *user;
};

struct loop_child {
    struct loop *loop;
    struct loop_child *next, *previous;
    pid_t pid;
    bool has_ended, is_removed;
    loop_child_fn fn;
    void *user;
};

struct loop {
    int epoll_fd;
    struct source signals; /* fd: the signalfd */
    sigset_t mask, before;
    struct {
        loop_signal_fn fn;
        void *user;
    } handlers[NSIG];
    struct source *sources;
    struct loop_child *children;
    uint64_t last_id;
    uint64_t worst_late_ns; /* of a timer's shot */
    int callbacks;          /* made in this turn */
    bool must_reap, is_stopping;
    int stop_code;
};

static int source_add(struct loop *loop, struct source *source, int fd, uint32_t events)
{
    struct epoll_event event = {.events = events, .data.u64 = loop->last_id + 1};

    if (epoll_ctl(loop->epoll_fd, EPOLL_CTL_ADD, fd, &event) < 0)
        return -errno;
    source->id = ++loop->last_id;
    source->loop = loop;
    source->fd = fd;
    source->next = loop->sources;
    source->previous = NULL;
    if (source->next)
        source->next->previous = source;
    loop->sources = source;
    return 0;
}

static void source_remove(struct source *source)
{
    struct loop *loop = source->loop;

    (void)epoll_ctl(loop->epoll_fd, EPOLL_CTL_DEL, source->fd, NULL);
    if (source->next)
        source->next->previous = source->previous;
    if (source->previous)
        source->previous->next = source->next;
    else
        loop->sources = source->next;
}

static struct source *source_find(const struct loop *loop, uint64_t id)
{
    struct source *source = loop->sources;

    while (source && source->id != id)
        source = source->next;
    return source;
}

static void fd_ready(struct source *source, uint32_t events)
{
    struct loop_fd *handle = (struct loop_fd *)source;

    source->loop->callbacks++;
    handle->fn(handle->user, source->fd, events);
}

int loop_add_fd(struct loop *loop, int fd, uint32_t epoll_events, loop_fd_fn fn, void *user,
                struct loop_fd **ret_handle)
{
    AUTO_FREE struct loop_fd *handle = mem_new(1, sizeof(*handle));
    int code;

    handle->source.ready = fd_ready;
    handle->fn = fn;
    handle->user = user;
    code = source_add(loop, &handle->source, fd, epoll_events);
    if (code < 0)
        return code;
    *ret_handle = take_pointer(&handle);
    return 0;
}

int loop_fd_want(struct loop_fd *handle, uint32_t epoll_events)
{
    struct epoll_event event = {.events = epoll_events, .data.u64 = handle->source.id};

    if (epoll_ctl(handle->source.loop->epoll_fd, EPOLL_CTL_MOD, handle->source.fd, &event) < 0)
        return -errno;
    return 0;
}

struct loop_fd *loop_fd_remove(struct loop_fd *handle)
{
    if (handle)
        source_remove(&handle->source);
    free(handle);
    return NULL;
}

static void timer_ready(struct source *source, uint32_t events)
{
    struct loop_timer *handle = (struct loop_timer *)source;
    uint64_t shots, late_ns;

    (void)events;
    if (read(source->fd, &shots, sizeof(shots)) != (ssize_t)sizeof(shots))
        return; /* set anew since epoll saw it */
    late_ns = clock_mono_ns() - handle->due_ns;
    if (late_ns > source->loop->worst_late_ns)
        source->loop->worst_late_ns = late_ns;
    handle->due_ns += shots * handle->every_ns;
    source->loop->callbacks++;
    handle->fn(handle->user);
}

static struct timespec to_timespec(uint64_t ns)
{
    return (struct timespec){.tv_sec = (time_t)(ns / NS_PER_S), .tv_nsec = (long)(ns % NS_PER_S)};
}

int loop_timer_set(struct loop_timer *handle, uint64_t first_ns, uint64_t every_ns)
{
    struct itimerspec when = {0};

    /* An absolute first shot puts all later ones on its grid. */
    handle->due_ns = clock_mono_ns() + first_ns;
    handle->every_ns = every_ns;
    if (first_ns != 0 || every_ns != 0)
        when.it_value = to_timespec(handle->due_ns);
    when.it_interval = to_timespec(every_ns);
    if (timerfd_settime(handle->source.fd, TFD_TIMER_ABSTIME, &when, NULL) < 0)
        return -errno;
    return 0;
}

int loop_add_timer(struct loop *loop, uint64_t first_ns, uint64_t every_ns, loop_timer_fn fn,
                   void *user, struct loop_timer **ret_handle)
{
    AUTO_FREE struct loop_timer *handle = mem_new(1, sizeof(*handle));
    AUTO_CLOSE int fd = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);
    int code;

    if (fd < 0)
        return -errno;
    handle->source.ready = timer_ready;
    handle->fn = fn;
    handle->user = user;
    handle->source.fd = fd;
    code = loop_timer_set(handle, first_ns, every_ns);
    if (code == 0)
        code = source_add(loop, &handle->source, fd, EPOLLIN);
    if (code < 0)
        return code;
    (void)take_fd(&fd);
    *ret_handle = take_pointer(&handle);
    return 0;
}

struct loop_timer *loop_timer_remove(struct loop_timer *handle)
{
    if (handle) {
        source_remove(&handle->source);
        (void)close(handle->source.fd);
    }
    free(handle);
    return NULL;
}

uint64_t loop_worst_late_ns(const struct loop *loop)
{
    return loop->worst_late_ns;
}

static void child_forget(struct loop_child *child)
{
    if (child->next)
        child->next->previous = child->previous;
    if (child->previous)
        child->previous->next = child->next;
    else
        child->loop->children = child->next;
    free(child);
}

static int wait_status(const siginfo_t *info)
{
    if (info->si_code == CLD_EXITED)
        return (info->si_status & 0xff) << 8;
    return info->si_status | (info->si_code == CLD_DUMPED ? CORE_FLAG : 0);
}

static void tell_end(struct loop_child *child, int status)
{
    child->has_ended = true;
    if (child->is_removed) {
        child_forget(child);
        return;
    }
    child->loop->callbacks++;
    child->fn(child->user, child->pid, status);
}

/* Reaps one registered child that has ended; false when there is none. Its status is taken after
 * the callback, which may free the handle: until then no other process can have its pid, nor a
 * group that number, so the callback may signal what the child left behind. */
static bool reap_one(struct loop *loop)
{
    for (struct loop_child *child = loop->children; child; child = child->next) {
        const pid_t pid = child->pid;
        siginfo_t info = {0};

        if (child->has_ended)
            continue;
        if (waitid(P_PID, (id_t)pid, &info, WEXITED | WNOHANG | WNOWAIT) < 0) {
            tell_end(child, ABSENT_STATUS);
            return true;
        }
        if (info.si_pid == 0)
            continue;
        tell_end(child, wait_status(&info));
        (void)waitpid(pid, NULL, WNOHANG);
        return true;
    }
    return false;
}

static void reap(struct loop *loop)
{
    loop->must_reap = false;
    while (reap_one(loop))
        ; /* from the start each time: the callback may have changed the list */
}

int loop_add_child(struct loop *loop, pid_t pid, loop_child_fn fn, void *user,
                   struct loop_child **ret_handle)
{
    struct loop_child *child;
    siginfo_t info;

    if (pid <= 0)
        return -EINVAL;
    if (waitid(P_PID, (id_t)pid, &info, WEXITED | WNOHANG | WNOWAIT) < 0)
        return -errno;
    child = mem_new(1, sizeof(*child));
    *child = (struct loop_child){
        .loop = loop, .next = loop->children, .pid = pid, .fn = fn, .user = user};
    if (child->next)
        child->next->previous = child;
    loop->children = child;
    loop->must_reap = true; /* it may have ended before anyone looked for it */
    *ret_handle = child;
    return 0;
}

struct loop_child *loop_child_remove(struct loop_child *handle)
{
    if (!handle)
        return NULL;
    handle->is_removed = true;
    if (handle->has_ended)
        child_forget(handle);
    return NULL;
}

static void signals_ready(struct source *source, uint32_t events)
{
    struct loop *loop = source->loop;
    struct signalfd_siginfo info;

    (void)events;
    while (read(source->fd, &info, sizeof(info)) == (ssize_t)sizeof(info)) {
        const unsigned signo = info.ssi_signo;

        if (signo == SIGCHLD)
            loop->must_reap = true;
        if (signo >= ARRAY_SIZE(loop->handlers) || !loop->handlers[signo].fn)
            continue;
        loop->callbacks++;
        loop->handlers[signo].fn(loop->handlers[signo].user, (int)signo,
                                 info.ssi_code == SI_QUEUE ? info.ssi_int : 0);
    }
    if (loop->must_reap)
        reap(loop);
}

int loop_on_signal(struct loop *loop, int signo, loop_signal_fn fn, void *user)
{
    sigset_t mask = loop->mask;

    if (signo <= 0 || signo >= (int)ARRAY_SIZE(loop->handlers) || sigaddset(&mask, signo) < 0)
        return -EINVAL;
    if (sigprocmask(SIG_BLOCK, &mask, NULL) < 0 || signalfd(loop->signals.fd, &mask, 0) < 0)
        return -errno;
    loop->mask = mask;
    loop->handlers[signo].fn = fn;
    loop->handlers[signo].user = user;
    return 0;
}

int loop_new(struct loop **ret_loop)
{
    AUTO_FREE struct loop *loop = mem_new(1, sizeof(*loop));
    AUTO_CLOSE int epoll_fd = epoll_create1(EPOLL_CLOEXEC);
    AUTO_CLOSE int signal_fd = -1;
    int code;

    if (epoll_fd < 0)
        return -errno;
    (void)sigemptyset(&loop->mask);
    (void)sigaddset(&loop->mask, SIGCHLD);
    signal_fd = signalfd(-1, &loop->mask, SFD_CLOEXEC | SFD_NONBLOCK);
    if (signal_fd < 0)
        return -errno;
    loop->epoll_fd = epoll_fd;
    loop->signals.ready = signals_ready;
    code = source_add(loop, &loop->signals, signal_fd, EPOLLIN);
    if (code < 0)
        return code;
    if (sigprocmask(SIG_BLOCK, &loop->mask, &loop->before) < 0)
        return -errno;
    (void)take_fd(&epoll_fd);
    (void)take_fd(&signal_fd);
    *ret_loop = take_pointer(&loop);
    return 0;
}

struct loop *loop_free(struct loop *loop)
{
    if (!loop)
        return NULL;
    source_remove(&loop->signals);
    (void)close(loop->signals.fd);
    while (loop->sources) {
        if (loop->sources->ready == timer_ready)
            (void)loop_timer_remove((struct loop_timer *)loop->sources);
        else
            (void)loop_fd_remove((struct loop_fd *)loop->sources);
    }
    while (loop->children)
        child_forget(loop->children);
    (void)close(loop->epoll_fd);
    (void)sigprocmask(SIG_SETMASK, &loop->before, NULL);
    free(loop);
    return NULL;
}

int loop_turn(struct loop *loop, int timeout_ms)
{
    struct epoll_event events[BATCH];
    int count, callbacks;

    loop->callbacks = 0;
    if (loop->must_reap)
        reap(loop);
    if (loop->callbacks || loop->is_stopping)
        timeout_ms = 0;
    count = epoll_wait(loop->epoll_fd, events, BATCH, timeout_ms);
    if (count < 0 && errno != EINTR)
        return -errno;
    for (int i = 0; i < count; i++) {
        struct source *source = source_find(loop, events[i].data.u64);

        if (source)
            source->ready(source, events[i].events);
    }
    callbacks = loop->callbacks;
    return callbacks;
}

int loop_run(struct loop *loop)
{
    int code;

    while (!loop->is_stopping) {
        code = loop_turn(loop, -1);
        if (code < 0)
            return code;
    }
    loop->is_stopping = false;
    return loop->stop_code;
}

void loop_stop(struct loop *loop, int code)
{
    loop->is_stopping = true;
    loop->stop_code = code;
}

void loop_child_setup(void)
{
    struct sigaction plain;
    sigset_t none;

    memset(&plain, 0, sizeof(plain));
    plain.sa_handler = SIG_DFL;
    for (int signo = 1; signo < NSIG; signo++)
        (void)sigaction(signo, &plain, NULL);
    (void)sigemptyset(&none);
    (void)sigprocmask(SIG_SETMASK, &none, NULL);
}
