/* core: the front door for a program that owns runs: opens the loop, the inventory, the catalog and
 * the runs, and tells one sink that something changed; the sink then reads. One thread, no globals.
 */
#ifndef CORE_CORE_H
#define CORE_CORE_H

#include <signal.h>

#include "catalog/catalog.h"
#include "device/board.h"
#include "device/inventory.h"
#include "history/history.h"
#include "loop/loop.h"
#include "run/order.h"
#include "run/runner.h"

struct core;

/* Whoever has a core open can be asked to stop one of its runs: by this signal, queued with the low
 * 32 bits of the run's number in the database (process_tell). A real-time one: two such wishes do
 * not become one. */
#define CORE_STOP_SIGNAL SIGRTMIN

enum core_event {
    CORE_DEVICES, /* the inventory was read anew */
    CORE_CATALOG, /* all plugins answered */
    CORE_RUN,     /* run `id` (its number here, not in the database) changed */
    CORE_EVENTS
};
/* `frame` is the frame that made a run change, NULL else; valid during the call. */
typedef void (*core_sink_fn)(void *user, enum core_event event, unsigned run,
                             const struct frame *frame);

struct core_plan {
    const char *root;     /* "" or --sysroot */
    const char *database; /* --db or NULL */
    core_sink_fn sink;
    void *user;
};

int core_open(const struct core_plan *plan, struct core **ret_core);
struct core *
core_close(struct core *core); /* stops nothing: lines close, workers climb down by themselves */

struct loop *core_loop(struct core *core);
const struct inventory *core_inventory(const struct core *core);
const struct board *core_board(const struct core *core);
const struct catalog *core_catalog(const struct core *core);
bool core_catalog_is_ready(const struct core *core);
int core_describe(struct core *core); /* starts asking the plugins; CORE_CATALOG follows */
/* From now on the inventory follows what the kernel tells about devices and mounts, and the modes
 * of cards are asked for; each change is told as CORE_DEVICES. Nothing for a recorded tree. */
int core_follow(struct core *core);
/* Asks for the modes of cards and for the network ports' speeds once, without following; each
 * answer is told as CORE_DEVICES. */
void core_ask_modes(struct core *core);
bool core_modes_are_pending(const struct core *core);
int core_rescan(struct core *core); /* reads the inventory now; CORE_DEVICES follows at once */
const char *core_database(const struct core *core);

/* Checks all names and values and starts the run. ORDER_OK with its number, or enum order_refusal
 * with one sentence in `why`; negative errno with a sentence when the machine failed. Needs the
 * catalog to be ready. */
int core_start(struct core *core, const struct order_wish *wish, unsigned *ret_run,
               struct str *why);
/* The same checks without starting (form). */
int core_check(const struct core *core, const struct order_wish *wish, struct str *why);
/* What to know before it is started, such as how much of a disk's life it takes; see order_note. */
void core_note(const struct core *core, const struct order_wish *wish, struct str *note);
/* What a person must agree to first; see order_ask. */
void core_ask(const struct core *core, const struct order_wish *wish, struct str *question);
int core_replay(struct core *core, const char *const *store_arguments, unsigned *ret_run);

unsigned core_run_count(const struct core *core);
unsigned core_run_at(const struct core *core,
                     unsigned index); /* number of the index-th run, oldest first */
struct runner *core_run(const struct core *core, unsigned run); /* NULL: unknown or dropped */
void core_drop(struct core *core, unsigned run);                /* forget a run that is over */

/* Can `test` run on `device`? NULL: yes; else the reason, static or owned by `why`. */
const char *core_unfit(const struct core *core, const struct catalog_test *test,
                       const struct device *device, struct str *why);

/* Asks iodyno-worker --probe KIND ARGUMENT; rows come as history_fn rows. */
int core_probe(struct core *core, const char *kind, const char *argument, history_fn fn, void *user,
               struct history_query **ret_query);

#endif
