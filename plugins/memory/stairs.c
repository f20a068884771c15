/* memory.stairs: what a set of each size reads and how long a load takes, drawn as it is measured.
 */
#include "stairs.h"

#include "cell.h"
#include "walk.h"

#include <common/cleanup.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

#define LEAST_NS 15000000ull /* of either measurement of a point */
#define LAYS 2               /* each point writes its set twice: the fill, the chase */

struct stairs {
    struct setting setting;
    struct watch watch;
    struct wrong wrong;
    struct crew *crew;
    struct isa_choice choice;
    unsigned count, done;
    uint64_t sizes[STAIRS_POINTS];
    double rates[STAIRS_POINTS], latencies[STAIRS_POINTS];
    uint64_t end_ns;
    double lay_ns; /* for each byte */
};

static int judge(struct stairs *test)
{
    char text[WRONG_TEXT];
    if (wrong_tell(&test->wrong, test->setting.host, test->setting.run) == 0)
        return 0;
    wrong_sentence(&test->wrong, text);
    test->setting.host->explain(test->setting.run, text);
    return -EIO;
}

static uint64_t now(const struct stairs *test)
{
    return test->setting.host->now_ns(test->setting.run);
}

/* Half of what a point may take, less what the laying of the larger ones will. */
static uint64_t time_of_half(struct stairs *test)
{
    double reserve = 0, at = (double)now(test);
    for (unsigned i = test->done; i < test->count; i++)
        reserve += (double)test->sizes[i] * test->lay_ns * LAYS;
    double left = (double)test->end_ns - at - reserve;
    double half = left / (double)(test->count - test->done) / 2;
    uint64_t half_ns = half > (double)LEAST_NS ? (uint64_t)half : LEAST_NS;
    watch_expect(&test->watch, (uint64_t)reserve + 2 * half_ns * (test->count - test->done));
    return half_ns;
}

static int measure_rate(struct stairs *test, uint64_t bytes, uint64_t for_ns, double *ret_rate)
{
    struct cell cell = {.setting = &test->setting,
                        .watch = &test->watch,
                        .crew = test->crew,
                        .wrong = &test->wrong,
                        .kernel = KERNEL_READ,
                        .bytes = bytes,
                        .metric = STAIRS_MOVED,
                        .choice = test->choice};
    struct set_size name = set_size(bytes);
    struct cell_result result = {0};
    cell.name = name.text;
    int error = cell_measure(&cell, for_ns, &result);
    *ret_rate = result.figures.median;
    return error;
}

static int measure_latency(struct stairs *test, uint64_t bytes, uint64_t for_ns,
                           double *ret_latency)
{
    struct walk walk = {.bytes = bytes, .chains = 1, .wrong = &test->wrong};
    struct spread spread = {0};
    struct watch_view view = {.metric = STAIRS_MOVED,
                              .lane = 1,
                              .spread = &spread,
                              .has_gauge = true,
                              .gauge = STAIRS_NOW,
                              .gauge_bytes = CHASE_LINE};
    uint64_t begin = now(test);
    struct watch_task lay = {walk_lay, &walk, 0}, task = {walk_go, &walk, for_ns};
    struct watch_view laid = {.metric = STAIRS_TAKEN, .is_silent = bytes < CELL_LARGE};
    int error = watch_crew(&test->watch, test->crew, &lay, &laid, 1);
    if (bytes >= AREA_STEP)
        test->lay_ns = (double)(now(test) - begin) / (double)bytes;
    if (error == 0)
        error = watch_crew(&test->watch, test->crew, &task, &view, 1);
    double rate = spread_figures(&spread).median;
    *ret_latency = rate > 0 ? CHASE_LINE / rate : 0;
    spread_done(&spread);
    int judged = judge(test);
    return judged < 0 ? judged : error;
}

static int measure_point(struct stairs *test)
{
    const struct dyno_host *host = test->setting.host;
    struct dyno_run *run = test->setting.run;
    unsigned i = test->done;
    uint64_t half = time_of_half(test);
    int error = measure_rate(test, test->sizes[i], half, &test->rates[i]);
    if (error == 0)
        error = measure_latency(test, test->sizes[i], half, &test->latencies[i]);
    if (error < 0)
        return error;
    test->done++;
    host->result(run, STAIRS_SIZE, i, (double)test->sizes[i]);
    host->result(run, STAIRS_POINT_RATE, i, test->rates[i]);
    host->result(run, STAIRS_POINT_LATENCY, i, test->latencies[i]);
    return 0;
}

static void report(const struct stairs *test)
{
    const struct dyno_host *host = test->setting.host;
    struct dyno_run *run = test->setting.run;
    uint64_t edges[STAIRS_EDGES];
    char text[160] = "";
    size_t at = 0;
    if (test->done == 0)
        return;
    unsigned found = stairs_edges(test->sizes, test->latencies, test->done, edges);
    for (unsigned i = 0; i < found; i++) {
        host->result(run, STAIRS_EDGE, i + 1, (double)edges[i]);
        at += (size_t)snprintf(text + at, sizeof text - at, "%s%s", i ? ", " : "",
                               set_size(edges[i]).text);
    }
    host->fact(run, "edges-measured", found ? text : "none");
    for (unsigned i = 0; i < test->setting.llc.levels; i++)
        host->result(run, STAIRS_EDGE_REPORTED, test->setting.llc.level[i].level,
                     (double)test->setting.llc.level[i].bytes);
    host->fact(run, "edges-source", test->setting.llc.source);
    host->fact(run, "isa", test->choice.name);
    host->fact(run, "pages", test->setting.pages);
    host->fact(run, "counting",
               "reads: bytes the program reads, MB are 10^6; latency: one load of each 64-byte "
               "line in an order no prefetcher guesses");
    if (test->done < test->count)
        return; /* the largest set, the headline's, was not reached */
    host->result(run, STAIRS_RATE, DYNO_LANE_ALL, test->rates[test->done - 1]);
    host->result(run, STAIRS_LATENCY, DYNO_LANE_ALL, test->latencies[test->done - 1]);
}

/* The widest instruction set is the quickest in every cache; between them DRAM does not choose. */
static void choose_isa(struct stairs *test)
{
    struct isa_choice choices[ISA_CANDIDATES];
    unsigned count = isa_candidates(KERNEL_READ, test->setting.isa, choices);
    test->choice = choices[count - 1];
}

/* The headline is the largest set's: of a small one that is no DRAM's. */
static void tell_level(const struct setting *setting, const struct set *set)
{
    char text[SET_TEXT + 64];
    setting->host->fact(setting->run, "set-level", set->level);
    if (set->is_dram || set->is_doubtful)
        return;
    snprintf(text, sizeof text, "the largest set is no measurement of the DRAM: %s", set->text);
    setting->host->event(setting->run, "not-dram", text);
}

int memory_stairs(const struct dyno_host *host, struct dyno_run *run)
{
    AUTO_FREE struct stairs *test = calloc(1, sizeof *test);
    struct set set = {0};
    if (!test)
        return -ENOMEM;
    int error = setting_read(&test->setting, host, run, STAIRS_TAKEN);
    if (error < 0)
        return error;
    uint64_t begin = now(test);
    test->setting.counts_taking = true;
    test->end_ns = test->setting.begin_ns + test->setting.time_ns;
    error = setting_set(&test->setting, 1, &set);
    if (error == 0)
        error = setting_crew(&test->setting, 1, &set, &test->crew);
    if (error < 0)
        return error;
    test->lay_ns = (double)(now(test) - begin) / (double)set.bytes / LAYS;
    host->fact(run, "set", set.text);
    tell_level(&test->setting, &set);
    wrong_init(&test->wrong);
    choose_isa(test);
    setting_watch(&test->setting, &test->watch);
    test->count = stairs_sizes(set.bytes, test->sizes);
    while (test->done < test->count && error == 0)
        error = measure_point(test);
    if (error != -EIO)
        report(test);
    crew_free(test->crew);
    wrong_done(&test->wrong);
    return error;
}
