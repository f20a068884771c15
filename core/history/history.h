/* history: client of iodyno-store: asks for stored runs. Asynchronous on the loop; never opens the
 * database. */
#ifndef HISTORY_HISTORY_H
#define HISTORY_HISTORY_H

#include "loop/loop.h"
#include "wire/frame.h"

struct history_query;

/* row: one FRAME_ROW (pairs: id test title target label state started wall_ns duration_s rate unit
 * …), NULL when the answer is complete; `problem` then is a sentence or NULL. */
typedef void (*history_fn)(void *user, const struct frame *row, const char *problem);

/* arguments for iodyno-store, NULL-ended: "query" "list" "--limit" "50" … ; see store/main.c */
int history_ask(struct loop *loop, const char *const *arguments, history_fn fn, void *user,
                struct history_query **ret_query);
/* The same of another of our programs that answers with rows (iodyno-worker --probe). */
int history_ask_program(struct loop *loop, const char *program, const char *const *arguments,
                        history_fn fn, void *user, struct history_query **ret_query);
struct history_query *history_free(struct history_query *query);

#endif
