#include "run/ladder.h"

#include <signal.h>

#include "base/cleanup.h"
#include "base/str.h"

struct ladder {
    struct ladder_plan plan;
    struct loop_child *child;
    struct loop_timer *timer;
    enum runner_stop state;
    bool has_signalled;
};

/* What each state leads to when its time has passed. */
static const struct {
    int signo;
    enum runner_stop next;
    uint64_t wait_ns; /* in the next state */
} rungs[] = {
    [RUNNER_GOING] = {SIGTERM, RUNNER_TERMED, RUNNER_HARD_NS},
    [RUNNER_ASKED] = {SIGTERM, RUNNER_TERMED, RUNNER_HARD_NS},
    [RUNNER_TERMED] = {SIGKILL, RUNNER_KILLED, RUNNER_DEAD_NS},
    [RUNNER_KILLED] = {0, RUNNER_OVER, 0},
};

static void on_timer(void *user)
{
    struct ladder *ladder = user;
    if (ladder->state == RUNNER_OVER)
        return;
    enum runner_stop at = ladder->state;
    ladder->state = rungs[at].next;
    if (ladder->state == RUNNER_OVER) {
        ladder->plan.stuck(ladder->plan.user);
        return;
    }
    (void)kill(-ladder->plan.pid, rungs[at].signo);
    ladder->has_signalled = true;
    (void)loop_timer_set(ladder->timer, rungs[at].wait_ns, 0);
    ladder->plan.changed(ladder->plan.user);
}

static void on_child(void *user, pid_t pid, int wait_status)
{
    struct ladder *ladder = user;
    (void)kill(-pid, SIGKILL); /* what it left running */
    ladder->state = RUNNER_OVER;
    ladder->plan.ended(ladder->plan.user, wait_status);
}

void ladder_set(struct ladder *ladder, bool is_asked)
{
    if (ladder->state != RUNNER_GOING)
        return;
    ladder->state = is_asked ? RUNNER_ASKED : RUNNER_GOING;
    (void)loop_timer_set(ladder->timer, RUNNER_SOFT_NS, 0);
}

int ladder_new(const struct ladder_plan *plan, struct ladder **ret_ladder)
{
    struct ladder *ladder = mem_new(1, sizeof(*ladder));
    ladder->plan = *plan;
    int code = loop_add_child(plan->loop, plan->pid, on_child, ladder, &ladder->child);
    if (code == 0)
        code = loop_add_timer(plan->loop, 0, 0, on_timer, ladder, &ladder->timer);
    if (code < 0) {
        (void)ladder_free(ladder);
        return code;
    }
    *ret_ladder = ladder;
    return 0;
}

struct ladder *ladder_free(struct ladder *ladder)
{
    if (!ladder)
        return NULL;
    ladder->timer = loop_timer_remove(ladder->timer);
    ladder->child = loop_child_remove(ladder->child);
    free(ladder);
    return NULL;
}

enum runner_stop ladder_state(const struct ladder *ladder)
{
    return ladder->state;
}

bool ladder_has_signalled(const struct ladder *ladder)
{
    return ladder->has_signalled;
}
