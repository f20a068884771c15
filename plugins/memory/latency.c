/* memory.latency: one load after the other in an order no prefetcher guesses, by 1 to 8 chains at
 * once; then one chain while the other CPUs read, in steps from nothing to all they can. */
#include "latency.h"

#include "isa.h"
#include "setting.h"
#include "sweep.h"
#include "walk.h"
#include "watch.h"

#include <common/cleanup.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

#define LOAD_BLOCK ((size_t)16 << 10) /* read between two pauses; of a smaller set all of it */

static const unsigned chain_steps[] = {1, 2, 4, 8};

/* Turns of an empty loop between blocks; the first step has no load at all. */
static const unsigned pauses[] = {0, 40000, 10000, 2500, 600, 0};
#define LOAD_STEPS (sizeof pauses / sizeof pauses[0])

struct latency {
    struct setting setting;
    struct watch watch;
    struct wrong wrong;
    struct crew *crew;
    struct walk walk;
    kernel_fn *read;
    unsigned pause;
    bool is_loaded;
};

static void pause_for(unsigned turns)
{
    for (unsigned i = 0; i < turns; i++)
        __asm__ volatile("" ::: "memory");
}

static void read_with_pauses(struct worker *worker, const struct latency *test)
{
    size_t block = test->walk.bytes < LOAD_BLOCK ? test->walk.bytes : LOAD_BLOCK;
    size_t bytes = test->walk.bytes / block * block;
    struct kernel_work work = {.bytes = block, .passes = 1};
    uint64_t moved = 0, sum = 0;
    for (size_t at = 0; !worker_stops(worker); at = (at + block) % bytes) {
        work.from = worker->area.base + at;
        sum += test->read(&work) - kernel_fill_sum(at / sizeof(uint64_t), block / sizeof(uint64_t));
        moved += block;
        worker_publish(worker, moved);
        pause_for(test->pause);
    }
    struct content content = {.kind = CONTENT_FILL};
    if (sum != 0 && wrong_search(test->walk.wrong, &content, (uint64_t *)(void *)worker->area.base,
                                 bytes / sizeof(uint64_t), worker->cpu, true) == 0)
        wrong_add_sum(test->walk.wrong, "read", 0, sum, worker->cpu);
}

/* Worker 0 chases, the others are the load. */
static int work(struct worker *worker, void *context)
{
    struct latency *test = context;
    if (worker->index == 0)
        return walk_go(worker, &test->walk);
    if (test->is_loaded)
        read_with_pauses(worker, test);
    return 0;
}

static int judge(struct latency *test)
{
    char text[WRONG_TEXT];
    if (wrong_tell(&test->wrong, test->setting.host, test->setting.run) == 0)
        return 0;
    wrong_sentence(&test->wrong, text);
    test->setting.host->explain(test->setting.run, text);
    return -EIO;
}

/* Seconds of a load, and what the load moved; nothing when it could not be measured. */
static int measure(struct latency *test, uint64_t for_ns, double *ret_latency, double *ret_rate)
{
    struct spread chase = {0}, load = {0};
    struct watch_view views[2] = {
        {.metric = LATENCY_MOVED,
         .count = 1,
         .spread = &chase,
         .has_gauge = true,
         .gauge = LATENCY_NOW,
         .gauge_bytes = CHASE_LINE},
        {.metric = LATENCY_MOVED,
         .lane = 1,
         .first = 1,
         .count = test->crew->count,
         .is_silent = !test->is_loaded,
         .spread = &load},
    };
    struct watch_task task = {work, test, for_ns};
    int error = watch_crew(&test->watch, test->crew, &task, views, 2);
    double rate = spread_figures(&chase).median;
    *ret_latency = rate > 0 ? CHASE_LINE / rate : 0;
    *ret_rate = test->is_loaded ? spread_figures(&load).median : 0;
    spread_done(&chase);
    spread_done(&load);
    int judged = judge(test);
    return judged < 0 ? judged : error;
}

static int run_chains(struct latency *test, uint64_t for_ns)
{
    const struct dyno_host *host = test->setting.host;
    int error = 0;
    for (size_t i = 0; i < ARRAY_SIZE(chain_steps) && error == 0; i++) {
        char name[24];
        double latency, rate;
        test->walk.chains = chain_steps[i];
        snprintf(name, sizeof name, "%u chain%s", chain_steps[i], i ? "s" : "");
        host->phase(test->setting.run, name);
        error = measure(test, for_ns, &latency, &rate);
        if (error == -EIO || latency <= 0)
            continue;
        host->result(test->setting.run, LATENCY_CHAINS, chain_steps[i], latency);
        if (chain_steps[i] == 1)
            host->result(test->setting.run, LATENCY_HEADLINE, DYNO_LANE_ALL, latency);
    }
    return error;
}

static int run_loaded(struct latency *test, uint64_t for_ns)
{
    const struct dyno_host *host = test->setting.host;
    int error = 0;
    test->walk.chains = 1;
    for (unsigned i = 0; i < LOAD_STEPS && error == 0; i++) {
        char name[24];
        double latency, rate;
        test->is_loaded = i > 0;
        test->pause = pauses[i];
        snprintf(name, sizeof name, "load %u of %zu", i, LOAD_STEPS - 1);
        host->phase(test->setting.run, name);
        error = measure(test, for_ns, &latency, &rate);
        if (error == -EIO || latency <= 0)
            continue;
        host->result(test->setting.run, LATENCY_LOADED, i, latency);
        host->result(test->setting.run, LATENCY_LOADED_RATE, i, rate);
    }
    return error;
}

static int run_all(struct latency *test)
{
    const struct dyno_host *host = test->setting.host;
    struct dyno_run *run = test->setting.run;
    bool has_load = test->crew->count > 1 && host->opt_u64(run, "loaded") != 0;
    size_t steps = ARRAY_SIZE(chain_steps) + (has_load ? LOAD_STEPS : 0);
    uint64_t for_ns = test->setting.time_ns / steps;
    setting_watch(&test->setting, &test->watch);
    int error = run_chains(test, for_ns);
    if (error == 0 && has_load)
        error = run_loaded(test, for_ns);
    else if (!has_load)
        host->fact(run, "loaded",
                   test->crew->count > 1
                       ? "not asked for"
                       : "not measured: the load needs a second CPU, and this run "
                         "may use one");
    return error;
}

/* A cancel ends it, and of a large set one sees that it goes on. */
static int lay(struct latency *test)
{
    struct watch watch;
    struct watch_view view = {.metric = LATENCY_TAKEN};
    struct watch_task task = {walk_lay, &test->walk, 0};
    watch_begin(&watch, test->setting.host, test->setting.run, 0);
    return watch_crew(&watch, test->crew, &task, &view, 1);
}

static void tell_facts(const struct latency *test, const struct set *set)
{
    const struct dyno_host *host = test->setting.host;
    struct dyno_run *run = test->setting.run;
    char text[160];
    host->fact(run, "set", set->text);
    host->fact(run, "set-level", set->level);
    host->fact(run, "pages", test->setting.pages);
    snprintf(text, sizeof text,
             "a cycle through %llu lines of 64 bytes in scattered order; with several chains the "
             "time for each load of any of them",
             (unsigned long long)test->walk.chase.lines);
    host->fact(run, "chase", text);
    if (!set->is_dram && !set->is_doubtful) {
        snprintf(text, sizeof text, "this is no measurement of the DRAM: %.110s", set->text);
        host->event(run, "not-dram", text);
    }
}

int memory_latency(const struct dyno_host *host, struct dyno_run *run)
{
    AUTO_FREE struct latency *test = calloc(1, sizeof *test);
    struct isa_choice choices[ISA_CANDIDATES];
    struct set set = {0};
    if (!test)
        return -ENOMEM;
    int error = setting_read(&test->setting, host, run, LATENCY_TAKEN);
    if (error < 0)
        return error;
    unsigned threads = test->setting.threads ? test->setting.threads : test->setting.cpus.count;
    test->setting.is_alone = true;
    error = setting_set(&test->setting, threads, &set);
    if (error == 0)
        error = setting_crew(&test->setting, threads, &set, &test->crew);
    if (error < 0)
        return error;
    unsigned count = isa_candidates(KERNEL_READ, test->setting.isa, choices);
    test->read = choices[count - 1].fn;
    wrong_init(&test->wrong);
    test->walk = (struct walk){.bytes = set.bytes,
                               .chains = 1,
                               .flips_bit = host->opt_u64(run, "flip") != 0,
                               .wrong = &test->wrong};
    error = lay(test);
    tell_facts(test, &set);
    if (error == 0)
        error = run_all(test);
    crew_free(test->crew);
    wrong_done(&test->wrong);
    return error;
}
