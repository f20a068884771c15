#include "worker/watchdog.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"

/* The owner climbs 2 s + 3 s; a little later is our turn, so that a living owner's ladder is the
 * one that is seen. */
#define TERM_AFTER_NS (2100 * NS_PER_MS)
#define KILL_AFTER_NS (5200 * NS_PER_MS)
#define BACKSTOP_NS (5500 * NS_PER_MS)
#define STACK_BYTES (128u << 10)

struct watchdog {
    struct watchdog_plan plan;
    uint64_t cancelled_ns; /* 0: not yet */
    bool is_termed;
};

void watchdog_signal_group(int signo)
{
    (void)kill(getpgrp() == getpid() ? 0 : getpid(), signo);
}

int watchdog_backstop(uint64_t after_ns)
{
    struct sigevent event = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGKILL};
    timer_t timer;
    if (timer_create(CLOCK_MONOTONIC, &event, &timer) < 0)
        return -errno;
    struct itimerspec when = {.it_value = {.tv_sec = (time_t)(after_ns / NS_PER_S),
                                           .tv_nsec = (long)(after_ns % NS_PER_S)}};
    return timer_settime(timer, 0, &when, NULL) < 0 ? -errno : 0;
}

/* Nothing is sent to a worker after its order: what comes all the same is thrown away, so that the
 * end-of-file behind it is seen. */
static bool is_line_closed(int fd, short events)
{
    if (events & (POLLRDHUP | POLLHUP | POLLERR | POLLNVAL))
        return true;
    if (!(events & POLLIN))
        return false;
    uint8_t byte;
    ssize_t got = recv(fd, &byte, sizeof(byte), MSG_DONTWAIT | MSG_TRUNC);
    return got == 0 || (got < 0 && errno != EAGAIN && errno != EINTR);
}

static void climb(struct watchdog *dog, uint64_t now_ns)
{
    uint64_t since = now_ns - dog->cancelled_ns;
    if (since >= KILL_AFTER_NS)
        watchdog_signal_group(SIGKILL);
    if (since >= TERM_AFTER_NS && !dog->is_termed) {
        dog->is_termed = true;
        watchdog_signal_group(SIGTERM);
    }
}

static int wait_ms(const struct watchdog *dog, uint64_t now_ns)
{
    if (!dog->cancelled_ns)
        return -1;
    uint64_t next = dog->cancelled_ns + (dog->is_termed ? KILL_AFTER_NS : TERM_AFTER_NS);
    return next > now_ns ? (int)((next - now_ns) / NS_PER_MS) + 1 : 0;
}

static void *watch(void *argument)
{
    struct watchdog *dog = argument;
    for (;;) {
        struct pollfd fds[2] = {
            {.fd = dog->plan.timer_fd, .events = POLLIN},
            {.fd = dog->cancelled_ns ? -1 : dog->plan.line_fd, .events = POLLIN | POLLRDHUP},
        };
        int ready = poll(fds, 2, wait_ms(dog, clock_mono_ns()));
        if (ready > 0 && fds[0].revents)
            dog->plan.on_timer(dog->plan.user);
        uint64_t now_ns = clock_mono_ns();
        if (ready > 0 && !dog->cancelled_ns && is_line_closed(fds[1].fd, fds[1].revents)) {
            dog->cancelled_ns = now_ns;
            (void)watchdog_backstop(BACKSTOP_NS);
            dog->plan.on_cancel(dog->plan.user);
        }
        if (dog->cancelled_ns)
            climb(dog, now_ns);
    }
    return NULL;
}

int watchdog_start(const struct watchdog_plan *plan)
{
    static struct watchdog dog; /* one a process; lives as long as it does */
    dog.plan = *plan;
    pthread_attr_t attributes;
    int code = pthread_attr_init(&attributes);
    if (code != 0)
        return -code;
    (void)pthread_attr_setstacksize(&attributes, STACK_BYTES);
    (void)pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);

    /* The thread inherits a full mask: no signal of the plugin's making runs a handler on it. */
    sigset_t all, before;
    (void)sigfillset(&all);
    (void)pthread_sigmask(SIG_SETMASK, &all, &before);
    pthread_t thread;
    code = pthread_create(&thread, &attributes, watch, &dog);
    (void)pthread_sigmask(SIG_SETMASK, &before, NULL);
    (void)pthread_attr_destroy(&attributes);
    return -code;
}
