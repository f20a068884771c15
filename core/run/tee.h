/* tee: the copy of a run's frames on its way to iodyno-store, which records them. A queue of
 * packets stands between, so that a slow disk never holds up the run; what it cannot hold ends the
 * record, and is said. Never blocks. */
#ifndef RUN_TEE_H
#define RUN_TEE_H

#include "loop/loop.h"
#include "run/runner.h"

#define TEE_QUEUE_MAX 256                /* packets */
#define TEE_CLOSE_NS (2ull * 1000000000) /* the store's time to finish after the last frame */
#define TEE_BEGIN_NS (6ull * 1000000000) /* the same, while it has not begun the record yet */

struct tee;
typedef void (*tee_fn)(void *user); /* state, text, number or closedness changed */

/* Starts the store. Never fails: where it cannot be started, the record is NOT_RECORDED. */
struct tee *tee_new(struct loop *loop, const char *database, tee_fn fn, void *user);
struct tee *tee_free(struct tee *tee); /* the store finishes by itself; returns NULL */

/* Whole frames of a packet, `frames` of them; at most as many and as large as a packet holds. */
void tee_push(struct tee *tee, const void *bytes, size_t size, unsigned frames);
void tee_finish(struct tee *tee); /* the end was pushed */

enum runner_record tee_state(const struct tee *tee);
const char *tee_text(const struct tee *tee); /* why it is not recorded, "" else */
uint64_t tee_run_id(const struct tee *tee);  /* 0: not told yet */
bool tee_is_closed(const struct tee *tee);   /* nothing more will happen */

#endif
