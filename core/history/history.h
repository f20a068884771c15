/* history: client of iodyno-store: asks for stored runs. Asynchronous on the loop; never opens the
 * database. */
#ifndef HISTORY_HISTORY_H
#define HISTORY_HISTORY_H

#include "loop/loop.h"
#include "wire/frame.h"

#define HISTORY_LIMIT_NS (10ull * 1000000000) /* of silence; then "the store did not answer" */

struct history_query;

/* row: one FRAME_ROW (pairs: id test title target cid label state started wall_ns duration_s rate
 * unit partial note; rate and unit are absent when the run has none; rate_out,
 * rate_in of a network run), valid during the call; NULL
 * when the answer is complete: `problem` then is a sentence or NULL. The query stays until
 * history_free, which may be called from within. */
typedef void (*history_fn)(void *user, const struct frame *row, const char *problem);

/* arguments for iodyno-store, NULL-ended: "query" "list" DB "--limit" "50" … ; see store/main.c.
 * 0, or negative errno when it could not be started. */
int history_ask(struct loop *loop, const char *const *arguments, history_fn fn, void *user,
                struct history_query **ret_query);
/* The same question to another of our programs, such as "iodyno-worker" "--probe", whose silence
 * ends it after `limit_ns`. */
int history_ask_program(struct loop *loop, const char *program, const char *const *arguments,
                        uint64_t limit_ns, history_fn fn, void *user,
                        struct history_query **ret_query);
/* Ends the asking, and the program when it still runs. Returns NULL. */
struct history_query *history_free(struct history_query *query);

#endif
