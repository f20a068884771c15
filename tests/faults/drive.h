/* drive: takes one run of a self-test to its end, on a loop of its own, and keeps what was said. */
#ifndef FAULTS_DRIVE_H
#define FAULTS_DRIVE_H

#include "base/str.h"
#include "run/runner.h"

struct drive {
    struct loop *loop;
    struct runner *runner;
    struct str pairs;   /* of the order */
    const char *plugin; /* file; NULL: selftest.so of the tree */
    const char *database;
    uint64_t tick_ns;
    uint64_t stop_after_ns; /* 0: never */
    struct loop_timer *stop_timer;
    uint64_t begun_ns, stopped_ns, ended_ns, over_ns;
    double moved; /* sum of all samples of metric 0 */
    size_t samples, frames, logs, owner_logs, events;
    struct str log; /* all log lines */
    enum runner_stop deepest;
};

/* Sets up an order for `test` on dram; options follow with drive_option. */
void drive_init(struct drive *drive, const char *test);
void drive_option(struct drive *drive, const char *key, const char *value);
/* Runs to the end and a little beyond; asserts that it ends within `limit_ns`. */
const struct model *drive_run(struct drive *drive, uint64_t limit_ns);
void drive_start(struct drive *drive);
const struct model *drive_wait(struct drive *drive, uint64_t limit_ns);
void drive_done(struct drive *drive);

/* Result of the whole test; asserts that it is there. */
double drive_result(const struct drive *drive, const char *key);
/* Is a process with this pid there, and no zombie? */
bool drive_lives(long pid);
/* The one child of ours that runs a program of this name; 0: none. */
long drive_child(const char *name);
/* Turns the loop for a while. */
void drive_turn(struct drive *drive, uint64_t for_ns);

#define DRIVE_S 1000000000ull

#endif
