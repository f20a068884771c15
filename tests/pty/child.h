/* child: a program on a pseudo-terminal. A session leader of our own stands between, because the
 * kernel resets the terminal's modes when the leader of its session ends, and what the program left
 * behind is just what a test asks. */
#ifndef PTY_CHILD_H
#define PTY_CHILD_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>
#include <termios.h>

struct child {
    int master;      /* -1 after child_hang_up */
    int status_pipe; /* the leader's word: the pid, then the wait status */
    pid_t leader, pid;
    bool has_ended;
    int status; /* as waitpid gives it */
    struct termios before;
};

/* baud 0: as it is. 0 or negative errno. */
int child_start(struct child *child, char **argv, int rows, int columns, unsigned baud);
void child_read_status(struct child *child); /* when status_pipe is readable */
int child_resize(struct child *child, int rows, int columns);
int child_signal(struct child *child, const char *name); /* "TERM"; -EINVAL */
const char *child_signal_name(int number);
void child_hang_up(struct child *child);
bool child_left_modes(const struct child *child); /* termios equal to those before */
void child_end(struct child *child);              /* kills what still runs */

#endif
