/* watchdog: one thread of the worker that no test can hold up. It sees the line being half-closed
 * or dead, says "cancelled", and when the run does not end climbs the ladder by itself: SIGTERM to
 * the own process group after 2 s, SIGKILL 3 s later. The kernel's own timer is the backstop. */
#ifndef WORKER_WATCHDOG_H
#define WORKER_WATCHDOG_H

#include <stdint.h>

struct watchdog_plan {
    int line_fd;                   /* watched for the half-close; not owned */
    int timer_fd;                  /* -1, or a timerfd: `on_timer` is called when it fires */
    void (*on_cancel)(void *user); /* once, from the watchdog's thread; must not block */
    void (*on_timer)(void *user);  /* the same, each time */
    void *user;
};

/* Starts the thread; it runs until the process ends. 0 or negative errno. */
int watchdog_start(const struct watchdog_plan *plan);

/* Has the kernel kill this process in `after_ns`, whatever its threads do or block by then. */
int watchdog_backstop(uint64_t after_ns);

/* Sends `signo` to all of the own process group, to ourselves alone when the group is not ours. */
void watchdog_signal_group(int signo);

#endif
