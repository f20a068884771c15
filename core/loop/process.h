/* process: starts one of our own programs with a line on descriptor 3; names and signals one that
 * runs. Starting waits until exec was reached, half a second at most (the program may lie on a
 * stuck disk); nothing else blocks. */
#ifndef LOOP_PROCESS_H
#define LOOP_PROCESS_H

#include <stdbool.h>
#include <sys/types.h>

struct process_plan {
    const char *path;        /* absolute path of the program */
    const char *const *argv; /* NULL-ended */
    int line_fd;             /* becomes descriptor 3; -1: none */
    int output_fd;           /* becomes stdout and stderr; -1: /dev/null */
    bool own_group;          /* its own process group, so that it can be stopped as a whole */
};

/* stdin is /dev/null, every other descriptor is closed, signal mask and handlers are the default.
 * 0 or negative errno (also when exec itself failed: told through a close-on-exec pipe). */
int process_start(const struct process_plan *plan, pid_t *ret_pid);

/* Start time of a process in clock ticks (field 22 of /proc/PID/stat), which with its pid names it
 * for good. -ESRCH when there is none. */
int process_start_time(pid_t pid, unsigned long long *ret_ticks);

/* Queues a signal with a value for the process that pid and start time name; one that merely has
 * the pid now is not hit. -ESRCH when it is gone. IODYNO_NO_PIDFD forces the way of kernels before
 * 5.3, on which it could end, and its pid be reused, in the moment between look and signal. */
int process_tell(pid_t pid, unsigned long long start_ticks, int signo, int value);

#endif
