/* app: the screen program's life: terminal, loop, screen stack, drawing, leaving. One per process.
 */
#ifndef TUI_APP_H
#define TUI_APP_H

#include <stdbool.h>
#include <stdint.h>

#include "survivors.h"
#include "terminal/theme.h"

struct str;

struct app_plan {
    const char *root, *database; /* as core_plan */
    const char *glyphs;          /* "auto" or a tier's name */
    const struct theme *theme;
    const char *replay; /* run number or file to show at once; NULL */
    const char *speed;  /* of the replay: "1" is as it happened */
    const char *notice; /* shown at the start; NULL */
    bool is_demo;
    bool is_timed;            /* a timer of 10 Hz runs all the time, so that lateness shows */
    enum survivors on_hangup; /* when the terminal goes away */
    int guard_fd; /* pipe to the guard parent, -1: none; owned by the app from here on */
};

/* Until the person leaves or a signal ends it: the exit status. When the terminal or the core
 * cannot be opened, a sentence is left in `why`. Else tells how late a timer came at most. */
int app_run(const struct app_plan *plan, struct str *why, uint64_t *ret_worst_late_ns);

#endif
