/* runner: owns one run: its worker process, its line, its stop ladder, its record. Everything a run
 * says becomes frames for the model, the tee to the store and the observer, in that order. Never
 * blocks. */
#ifndef RUN_RUNNER_H
#define RUN_RUNNER_H

#include "loop/loop.h"
#include "run/model.h"

#define RUNNER_SOFT_NS (2ull * 1000000000) /* half-close to SIGTERM */
#define RUNNER_HARD_NS (3ull * 1000000000) /* SIGTERM to SIGKILL */
#define RUNNER_DEAD_NS (2ull * 1000000000) /* SIGKILL to ABANDONED */

enum runner_stop { RUNNER_GOING, RUNNER_ASKED, RUNNER_TERMED, RUNNER_KILLED, RUNNER_OVER };

enum runner_record { /* state of the record, shown when not RECORDED */
                     RUNNER_NOT_ASKED,
                     RUNNER_RECORDING,
                     RUNNER_NOT_RECORDED /* queue overflow, store gone; runner_record_text says why
                                          */
};

struct runner;

/* `frame` NULL: only state changed (stop ladder, record id). Called from the loop. After the end
 * frame no more frames come; the runner stays until runner_free. */
typedef void (*runner_fn)(void *user, struct runner *runner, const struct frame *frame);

struct runner_order {
    const struct frame *order; /* FRAME_ORDER with its pairs; copied */
    const char *database;      /* path for the record; NULL: do not record */
    runner_fn fn;
    void *user;
};

/* Starts the worker; frames come from the loop, none from within this call. A worker that dies
 * before its START is given one by the owner, made from the order. 0 or negative errno (no worker
 * program, no descriptors). */
int runner_start(struct loop *loop, const struct runner_order *order, struct runner **ret_runner);
/* A run that is replayed: iodyno-store sends the frames of a stored run or file on the same kind of
 * line. argv: arguments of iodyno-store ("replay", DATABASE, "17"), NULL-ended. */
int runner_replay(struct loop *loop, const char *const *argv, runner_fn fn, void *user,
                  struct runner **ret_runner);

/* Cancels; further calls change nothing. The run ends when its worker has ended, or as ABANDONED; a
 * replay that is stopped ends as INTERRUPTED. */
void runner_stop(struct runner *runner);
/* Frees, also from within runner_fn; a worker that still runs loses its line and climbs the ladder
 * by itself. Returns NULL. */
struct runner *runner_free(struct runner *runner);

const struct model *runner_model(const struct runner *runner);
enum runner_stop runner_stop_state(const struct runner *runner);
enum runner_record runner_record_state(const struct runner *runner);
const char *runner_record_text(const struct runner *runner);
/* End frame applied, child reaped or abandoned, record closed. A replay of a run that still goes on
 * is over without an end frame: its model stays in state running. */
bool runner_is_over(const struct runner *runner);
/* The run is not told to have ended before runner_release, as long as only its worker says so: the
 * owner is about to learn something that belongs into it. While it waits, runner_is_ending. */
void runner_hold(struct runner *runner);
void runner_release(struct runner *runner);
bool runner_is_ending(const struct runner *runner);
/* Adds a frame of the owner (event, fact, log): flagged OWNER, applied, teed, observed. */
int runner_note(struct runner *runner, const struct frame *frame);

#endif
