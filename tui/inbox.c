#include "inbox.h"

#include <string.h>

void inbox_put(struct inbox *inbox, enum core_event event, unsigned run)
{
    if (event == CORE_DEVICES)
        inbox->has_devices = true;
    if (event == CORE_CATALOG)
        inbox->has_catalog = true;
    if (event != CORE_RUN)
        return;
    for (unsigned i = 0; i < inbox->run_count; i++)
        if (inbox->runs[i] == run)
            return;
    if (inbox->run_count < INBOX_RUNS_MAX)
        inbox->runs[inbox->run_count++] = run;
}

bool inbox_take(struct inbox *inbox, enum core_event *ret_event, unsigned *ret_run)
{
    *ret_run = 0;
    if (inbox->has_devices || inbox->has_catalog) {
        *ret_event = inbox->has_devices ? CORE_DEVICES : CORE_CATALOG;
        *(inbox->has_devices ? &inbox->has_devices : &inbox->has_catalog) = false;
        return true;
    }
    if (inbox->run_count == 0)
        return false;
    *ret_event = CORE_RUN;
    *ret_run = inbox->runs[0];
    inbox->run_count--;
    memmove(inbox->runs, inbox->runs + 1, inbox->run_count * sizeof *inbox->runs);
    return true;
}

unsigned inbox_ended(struct inbox *inbox, const struct core *core,
                     unsigned ret_runs[INBOX_RUNS_MAX])
{
    unsigned ended = 0;
    for (unsigned i = 0; i < inbox->alive_count; i++) {
        const struct runner *runner = core_run(core, inbox->alive[i]);
        if (runner && runner_is_over(runner))
            ret_runs[ended++] = inbox->alive[i];
    }
    inbox->alive_count = 0;
    for (unsigned i = 0; i < core_run_count(core) && inbox->alive_count < INBOX_RUNS_MAX; i++) {
        unsigned run = core_run_at(core, i);
        const struct runner *runner = core_run(core, run);
        if (runner && !runner_is_over(runner))
            inbox->alive[inbox->alive_count++] = run;
    }
    return ended;
}
