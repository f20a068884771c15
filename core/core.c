#include "core.h"

#include <errno.h>

#include "base/cleanup.h"
#include "base/err.h"
#include "base/log.h"
#include "base/places.h"
#include "base/str.h"
#include "before.h"
#include "catalog/describe.h"
#include "device/dram.h"
#include "device/watch.h"
#include "modes.h"
#include "ports.h"
#include "readers.h"
#include "run/aim.h"

#define CORE_RUNS_MAX 64

struct core_run {
    struct core *core;
    unsigned number;
    struct runner *runner;
    bool is_recorded;
    struct before *before;
};

struct core {
    struct core_plan plan;
    struct loop *loop;
    struct board board;
    struct inventory inventory;
    struct dram dram; /* placed on each new inventory */
    struct catalog catalog;
    struct describe *describe;
    struct watch *watch;
    struct modes *modes;
    struct ports *ports;
    struct readers *readers;
    bool is_ready;
    struct str root, database;
    struct core_run *runs[CORE_RUNS_MAX];
    unsigned run_count, last_number;
};

static void tell(struct core *core, enum core_event event, unsigned run, const struct frame *frame)
{
    if (core->plan.sink)
        core->plan.sink(core->plan.user, event, run, frame);
}

/* A replay bears the number of the run it shows, and is not that run. */
static void on_stop(void *user, int signo, int value)
{
    struct core *core = user;
    (void)signo;
    for (unsigned i = 0; i < core->run_count; i++) {
        struct runner *runner = core->runs[i]->runner;
        uint64_t id = runner_model(runner)->run_id;
        if (id && (uint32_t)id == (uint32_t)value &&
            runner_record_state(runner) != RUNNER_NOT_ASKED)
            runner_stop(runner);
    }
}

int core_open(const struct core_plan *plan, struct core **ret_core)
{
    struct core *core = mem_new(1, sizeof(*core));
    core->plan = *plan;
    str_add(&core->root, plan->root ? plan->root : "");
    int code = loop_new(&core->loop);
    if (!code)
        code = loop_on_signal(core->loop, CORE_STOP_SIGNAL, on_stop, core);
    /* Blocked it is still read; one that comes when the loop is gone must not end the program. */
    (void)signal(CORE_STOP_SIGNAL, SIG_IGN);
    if (!code)
        code = places_results(plan->database, &core->database);
    if (!code)
        code = board_read(str_text(&core->root), &core->board);
    if (!code)
        code = inventory_scan(str_text(&core->root), &core->inventory);
    if (code) {
        core_close(core);
        return code;
    }
    dram_find(str_text(&core->root), &core->dram);
    dram_place(&core->dram, &core->inventory);
    *ret_core = core;
    return 0;
}

static void run_free(struct core_run *run)
{
    before_free(run->before);
    runner_free(run->runner);
    free(run);
}

struct core *core_close(struct core *core)
{
    if (!core)
        return NULL;
    for (unsigned i = 0; i < core->run_count; i++)
        run_free(core->runs[i]);
    watch_stop(core->watch);
    modes_free(core->modes);
    ports_free(core->ports);
    readers_free(core->readers);
    describe_free(core->describe);
    catalog_done(&core->catalog);
    inventory_done(&core->inventory);
    board_done(&core->board);
    str_done(&core->root);
    str_done(&core->database);
    loop_free(core->loop);
    free(core);
    return NULL;
}

struct loop *core_loop(struct core *core)
{
    return core->loop;
}

const struct inventory *core_inventory(const struct core *core)
{
    return &core->inventory;
}

const struct board *core_board(const struct core *core)
{
    return &core->board;
}

const struct catalog *core_catalog(const struct core *core)
{
    return &core->catalog;
}

bool core_catalog_is_ready(const struct core *core)
{
    return core->is_ready;
}

const char *core_database(const struct core *core)
{
    return str_text(&core->database);
}

static void on_described(void *user)
{
    struct core *core = user;
    core->is_ready = true;
    tell(core, CORE_CATALOG, 0, NULL);
}

int core_describe(struct core *core)
{
    core->describe = describe_free(core->describe);
    catalog_done(&core->catalog);
    core->catalog = (struct catalog){0};
    core->is_ready = false;
    return describe_start(core->loop, &core->catalog, on_described, core, &core->describe);
}

int core_rescan(struct core *core)
{
    struct inventory fresh = {0};
    int code = inventory_scan(str_text(&core->root), &fresh);
    if (code)
        return code;
    dram_place(&core->dram, &fresh);
    inventory_done(&core->inventory);
    core->inventory = fresh;
    if (core->modes)
        modes_refresh(core->modes);
    if (core->ports)
        ports_refresh(core->ports);
    if (core->readers)
        readers_refresh(core->readers);
    tell(core, CORE_DEVICES, 0, NULL);
    return 0;
}

static void on_watch(void *user)
{
    (void)core_rescan(user); /* unreadable for a moment: the next sign comes */
}

static void on_modes(void *user)
{
    tell(user, CORE_DEVICES, 0, NULL);
}

static void on_ports(void *user, enum ports_news news)
{
    if (news == PORTS_STALE)
        (void)core_rescan(user);
    else
        tell(user, CORE_DEVICES, 0, NULL);
}

void core_ask_modes(struct core *core)
{
    if (core->root.size > 0)
        return;
    if (!core->modes)
        core->modes = modes_new(core->loop, &core->inventory, on_modes, core);
    if (!core->ports)
        core->ports = ports_new(core->loop, &core->inventory, on_ports, core);
    modes_refresh(core->modes);
    ports_refresh(core->ports);
}

bool core_modes_are_pending(const struct core *core)
{
    return (core->modes && modes_are_pending(core->modes)) ||
           (core->ports && ports_are_pending(core->ports));
}

int core_follow(struct core *core)
{
    if (core->watch || core->root.size > 0)
        return 0;
    core_ask_modes(core);
    core->readers = readers_new(core->loop, &core->inventory, false, on_watch, core);
    int code = watch_start(core->loop, on_watch, core, &core->watch);
    if (ports_follow(core->ports) < 0) /* then ports are as they were at the start */
        log_say(LOG_WARNING, "network ports that come and go are not seen");
    /* What changed since the first look was seen by nobody. */
    int rescan = core_rescan(core);
    return code ? code : rescan;
}

static void on_run(void *user, struct runner *runner, const struct frame *frame)
{
    struct core_run *run = user;
    if (frame && frame->type == FRAME_START && run->is_recorded && !(frame->flags & FRAME_OWNER))
        run->before = before_ask(run->core->loop, str_text(&run->core->database), runner);
    if (!frame && run->before && runner_is_ending(runner))
        before_hurry(run->before);
    tell(run->core, CORE_RUN, run->number, frame);
}

/* A place for one more run; NULL when all are taken. Numbers start at 1 and never come again. */
static struct core_run *run_add(struct core *core)
{
    if (core->run_count == CORE_RUNS_MAX)
        return NULL;
    struct core_run *run = mem_new(1, sizeof(*run));
    run->core = core;
    run->number = ++core->last_number;
    core->runs[core->run_count++] = run;
    return run;
}

static int run_keep(struct core *core, struct core_run *run, int code, unsigned *ret_run)
{
    if (code) {
        core->run_count--;
        free(run);
        return code;
    }
    *ret_run = run->number;
    tell(core, CORE_RUN, run->number, NULL);
    return 0;
}

static struct order_context order_context_of(const struct core *core)
{
    return (struct order_context){
        .catalog = &core->catalog,
        .inventory = &core->inventory,
        .board = &core->board,
        .root = str_text(&core->root),
    };
}

static int make_order(const struct core *core, const struct order_wish *wish, struct str *pairs,
                      struct frame *ret_order, struct str *why)
{
    const struct order_context context = order_context_of(core);
    return (int)order_make(&context, wish, pairs, ret_order, why);
}

void core_note(const struct core *core, const struct order_wish *wish, struct str *note)
{
    const struct order_context context = order_context_of(core);
    order_note(&context, wish, note);
}

void core_ask(const struct core *core, const struct order_wish *wish, struct str *question)
{
    const struct order_context context = order_context_of(core);
    order_ask(&context, wish, question);
}

int core_check(const struct core *core, const struct order_wish *wish, struct str *why)
{
    struct str pairs AUTO(str_done) = {0};
    struct frame order;
    return make_order(core, wish, &pairs, &order, why);
}

int core_start(struct core *core, const struct order_wish *wish, unsigned *ret_run, struct str *why)
{
    struct str pairs AUTO(str_done) = {0};
    struct frame order;
    int refusal = make_order(core, wish, &pairs, &order, why);
    if (refusal)
        return refusal;
    struct core_run *run = run_add(core);
    if (!run) {
        str_addf(why, "%d runs are alive already; close one first", CORE_RUNS_MAX);
        return ORDER_UNFIT;
    }
    run->is_recorded = wish->is_recorded;
    const struct runner_order plan = {
        .order = &order,
        .database = wish->is_recorded ? str_text(&core->database) : NULL,
        .fn = on_run,
        .user = run,
    };
    int code = run_keep(core, run, runner_start(core->loop, &plan, &run->runner), ret_run);
    if (code) {
        char sentence[256];
        str_add(why, err_explain(sentence, sizeof(sentence), code, "start", "iodyno-worker"));
    }
    return code;
}

int core_replay(struct core *core, const char *const *store_arguments, unsigned *ret_run)
{
    struct core_run *run = run_add(core);
    if (!run)
        return -EMFILE;
    int code = runner_replay(core->loop, store_arguments, on_run, run, &run->runner);
    return run_keep(core, run, code, ret_run);
}

unsigned core_run_count(const struct core *core)
{
    return core->run_count;
}

unsigned core_run_at(const struct core *core, unsigned index)
{
    return index < core->run_count ? core->runs[index]->number : 0;
}

struct runner *core_run(const struct core *core, unsigned run)
{
    for (unsigned i = 0; i < core->run_count; i++)
        if (core->runs[i]->number == run)
            return core->runs[i]->runner;
    return NULL;
}

void core_drop(struct core *core, unsigned run)
{
    for (unsigned i = 0; i < core->run_count; i++) {
        if (core->runs[i]->number != run)
            continue;
        run_free(core->runs[i]);
        for (unsigned k = i + 1; k < core->run_count; k++)
            core->runs[k - 1] = core->runs[k];
        core->run_count--;
        return;
    }
}

const char *core_unfit(const struct core *core, const struct catalog_test *test,
                       const struct device *device, struct str *why)
{
    return aim_unfit(&core->inventory, test, device, why);
}

int core_probe(struct core *core, const char *kind, const char *argument, history_fn fn, void *user,
               struct history_query **ret_query)
{
    const char *const arguments[] = {"--probe", kind, argument, NULL};
    return history_ask_program(core->loop, "iodyno-worker", arguments, MODES_LIMIT_NS, fn, user,
                               ret_query);
}
