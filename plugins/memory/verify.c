/* memory.verify: is the memory stable? All CPUs write, compare, copy, invert and add up their share
 * of what is free, for minutes or days. */
#include "verify.h"

#include "exercise.h"
#include "setting.h"
#include "spread.h"
#include "watch.h"

#include <common/cleanup.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

struct verify {
    struct setting setting;
    struct watch watch;
    struct wrong wrong;
    struct exercise exercise;
    struct crew *crew;
};

static void glance(void *context)
{
    struct verify *test = context;
    (void)wrong_tell(&test->wrong, test->setting.host, test->setting.run);
}

/* So that a night can be watched: what the end tells, all the time. */
static void tick(void *context, uint64_t t0_ns, uint64_t t1_ns)
{
    struct verify *test = context;
    const struct dyno_host *host = test->setting.host;
    struct dyno_run *run = test->setting.run;
    uint64_t passes = exercise_passes(&test->exercise, test->crew->count);
    uint64_t errors = wrong_tell(&test->wrong, host, run);
    host->sample(run, VERIFY_ERRORS, 0, t0_ns, t1_ns, (double)errors);
    host->sample(run, VERIFY_PASSES, 0, t0_ns, t1_ns, (double)passes);
}

/* Both halves of each worker's memory are the set, without the slack that other tests need. */
static int choose_set(const struct verify *test, unsigned threads, struct set *ret_set)
{
    const struct setting *setting = &test->setting;
    const struct dyno_host *host = setting->host;
    uint64_t share = host->opt_u64(setting->run, "share");
    uint64_t asked = setting->asked_bytes;
    if (asked)
        return setting_set(setting, threads, ret_set);
    uint64_t free_bytes = setting->room.allocatable;
    uint64_t all = free_bytes / 100 * (share ? share : 1);
    uint64_t each = all / threads / 4096 * 4096;
    if (each < SET_WORKER_LEAST) {
        char why[SET_TEXT];
        snprintf(why, sizeof why, "share=%llu leaves nothing to test: %.160s",
                 (unsigned long long)share, setting->room.why);
        host->explain(setting->run, why);
        return -ENOSPC;
    }
    *ret_set = (struct set){.bytes = each, .level = "DRAM"};
    snprintf(ret_set->text, sizeof ret_set->text, "%s, %llu %% of what may be taken",
             set_size(all).text, (unsigned long long)share);
    return 0;
}

static void report(struct verify *test, const struct watch_view *view, double drift)
{
    const struct dyno_host *host = test->setting.host;
    struct dyno_run *run = test->setting.run;
    uint64_t taken = 0;
    for (unsigned i = 0; i < test->crew->count; i++)
        taken += test->crew->workers[i].area.bytes;
    uint64_t done = exercise_passes(&test->exercise, test->crew->count);
    host->result(run, VERIFY_ERRORS, DYNO_LANE_ALL, (double)test->wrong.count);
    host->result(run, VERIFY_PASSES, DYNO_LANE_ALL, (double)done);
    host->result(run, VERIFY_SIZE, DYNO_LANE_ALL, (double)taken);
    host->result(run, VERIFY_SWITCHES, DYNO_LANE_ALL, (double)crew_switches(test->crew));
    if (test->wrong.count == 0 && view->ns > 0) {
        host->result(run, VERIFY_RATE, DYNO_LANE_ALL, (double)view->bytes * 1e9 / (double)view->ns);
        host->result(run, VERIFY_DRIFT, DYNO_LANE_ALL, drift);
    }
    if (done == 0 && test->wrong.count == 0)
        host->log(run, DYNO_WARNING, "no pattern went through all memory in this time");
}

static int run_verify(struct verify *test)
{
    const struct dyno_host *host = test->setting.host;
    struct spread spread = {0};
    struct watch_view view = {.metric = VERIFY_MOVED, .spread = &spread};
    host->phase(test->setting.run, "verify");
    setting_watch(&test->setting, &test->watch);
    test->watch.glance = glance;
    test->watch.tick = tick;
    test->watch.context = test;
    struct watch_task task = {exercise_run, &test->exercise, test->setting.time_ns};
    int error = watch_crew(&test->watch, test->crew, &task, &view, 1);
    double drift = spread_drift(&spread);
    spread_done(&spread);
    char text[WRONG_TEXT];
    bool is_wrong = wrong_tell(&test->wrong, host, test->setting.run) > 0;
    report(test, &view, drift);
    if (!is_wrong)
        return error;
    wrong_sentence(&test->wrong, text);
    host->explain(test->setting.run, text);
    return -EIO;
}

int memory_verify(const struct dyno_host *host, struct dyno_run *run)
{
    AUTO_FREE struct verify *test = calloc(1, sizeof *test);
    struct set set = {0};
    if (!test)
        return -ENOMEM;
    int error = setting_read(&test->setting, host, run, VERIFY_TAKEN);
    if (error < 0)
        return error;
    unsigned threads = test->setting.threads ? test->setting.threads : test->setting.cpus.count;
    test->setting.slack = 0;
    error = choose_set(test, threads, &set);
    if (error == 0)
        error = setting_crew(&test->setting, threads, &set, &test->crew);
    if (error < 0)
        return error;
    host->fact(run, "set", set.text);
    host->fact(run, "pages", test->setting.pages);
    host->fact(run, "patterns",
               "own address, scattered words, zeros, 01, 8 bits on and off, a wandering bit; each "
               "written, compared, copied, compared, inverted, compared, added up");
    wrong_init(&test->wrong);
    test->exercise.wrong = &test->wrong;
    test->exercise.flips_bit = host->opt_u64(run, "flip") != 0;
    error = run_verify(test);
    crew_free(test->crew);
    wrong_done(&test->wrong);
    return error;
}
