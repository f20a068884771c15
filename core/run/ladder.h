/* ladder: the way down of one child: 2 s after it was asked to end SIGTERM to its process group, 3
 * s later SIGKILL, 2 s later it counts as stuck in the kernel: no longer waited for, reaped
 * whenever it ends. Never blocks. */
#ifndef RUN_LADDER_H
#define RUN_LADDER_H

#include "loop/loop.h"
#include "run/runner.h"

struct ladder;

struct ladder_plan { /* callbacks come from the loop; each may free the ladder */
    struct loop *loop;
    pid_t pid;                                  /* leader of its own process group */
    void (*changed)(void *user);                /* one rung further down */
    void (*ended)(void *user, int wait_status); /* reaped; its group was killed */
    void (*stuck)(void *user);                  /* SIGKILL did not end it; `ended` may follow */
    void *user;
};

int ladder_new(const struct ladder_plan *plan, struct ladder **ret_ladder);
struct ladder *ladder_free(struct ladder *ladder); /* signals nobody; the loop reaps the child */

/* Starts the time to the first signal. `is_asked`: the child was told to end (RUNNER_ASKED), else
 * it is expected to by itself. */
void ladder_set(struct ladder *ladder, bool is_asked);

enum runner_stop ladder_state(const struct ladder *ladder); /* OVER: ended or stuck */
bool ladder_has_signalled(const struct ladder *ladder);

#endif
