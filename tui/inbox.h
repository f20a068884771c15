/* inbox: what the core told, kept until the loop's turn is over: a change may come from within a
 * screen's own function, which must not be closed under its feet. Pure. */
#ifndef TUI_INBOX_H
#define TUI_INBOX_H

#include <stdbool.h>

#include "core.h"

#define INBOX_RUNS_MAX 64

struct inbox { /* {0}: empty */
    bool has_devices, has_catalog;
    unsigned runs[INBOX_RUNS_MAX]; /* changed ones, each once */
    unsigned run_count;
    unsigned alive[INBOX_RUNS_MAX]; /* at the last inbox_ended */
    unsigned alive_count;
};

void inbox_put(struct inbox *inbox, enum core_event event, unsigned run);
/* Takes one out: true with the event and run; devices and catalog come before runs. */
bool inbox_take(struct inbox *inbox, enum core_event *ret_event, unsigned *ret_run);
/* Runs that were alive at the last call and are over now; returns how many. */
unsigned inbox_ended(struct inbox *inbox, const struct core *core,
                     unsigned ret_runs[INBOX_RUNS_MAX]);

#endif
