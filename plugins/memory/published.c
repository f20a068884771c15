/* method=bw_mem: the published operations at the published sizes, five lines of each, in the shape
 * bw_mem prints: "52.43 2765.12". One thread, pinned, each size that of one buffer. */
#include "bandwidth.h"

#include "cell.h"
#include "peak.h"

#include <common/cleanup.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

#define LINES 5
#define LINE_LEAST_NS 20000000ull

static const struct {
    const char *name;
    size_t bytes;
} sizes[] = {{"8k", 8u << 10}, {"128k", 128u << 10}, {"50m", 50u << 20}};

static const enum kernel ops[] = {KERNEL_RD,  KERNEL_WR,  KERNEL_RDWR,  KERNEL_CP,   KERNEL_FRD,
                                  KERNEL_FWR, KERNEL_FCP, KERNEL_BZERO, KERNEL_BCOPY};

struct plan { /* of the run's time */
    uint64_t end_ns;
    unsigned lines_left;
    uint64_t aside_ns; /* what the last line took besides: the preparation, the check */
};

struct lines {
    char text[LINES * 40];
    double rates[LINES];
    unsigned count;
};

/* Sizes below 1 MB are printed with six digits, as bw_mem does. */
static void add_line(struct lines *lines, size_t bytes, double rate)
{
    size_t at = strlen(lines->text);
    double megabytes = (double)bytes / 1e6;
    snprintf(lines->text + at, sizeof lines->text - at, "%s%.*f %.2f", at ? "; " : "",
             megabytes < 1 ? 6 : 2, megabytes, rate / 1e6);
    lines->rates[lines->count++] = rate;
}

static double median(struct lines *lines)
{
    struct spread spread = {0};
    spread_add(&spread, 0); /* the one that is dropped */
    for (unsigned i = 0; i < lines->count; i++)
        spread_add(&spread, lines->rates[i]);
    double middle = spread_figures(&spread).median;
    spread_done(&spread);
    return middle;
}

/* Of what is left to each line, what its check does not take. */
static uint64_t time_of_line(struct cell *cell, const struct plan *plan)
{
    uint64_t now = cell->setting->host->now_ns(cell->setting->run);
    uint64_t share = plan->end_ns > now ? (plan->end_ns - now) / plan->lines_left : 0;
    uint64_t line_ns = share > plan->aside_ns ? share - plan->aside_ns : 0;
    line_ns = line_ns > LINE_LEAST_NS ? line_ns : LINE_LEAST_NS;
    watch_expect(cell->watch, (line_ns + plan->aside_ns) * plan->lines_left);
    return line_ns;
}

static int measure_lines(struct cell *cell, size_t bytes, struct plan *plan, struct lines *lines)
{
    const struct dyno_host *host = cell->setting->host;
    int error = 0;
    for (unsigned i = 0; i < LINES && error == 0; i++) {
        struct cell_result result = {0};
        uint64_t line_ns = time_of_line(cell, plan), begin = host->now_ns(cell->setting->run);
        error = cell_measure(cell, line_ns, &result);
        plan->aside_ns = host->now_ns(cell->setting->run) - begin - result.ns;
        plan->lines_left--;
        if (error == 0)
            add_line(lines, bytes, (double)result.bytes * 1e9 / (double)result.ns);
    }
    return error;
}

static int measure_op(struct cell *cell, enum kernel kernel, size_t size, struct plan *plan)
{
    const struct dyno_host *host = cell->setting->host;
    struct dyno_run *run = cell->setting->run;
    struct isa_choice choices[ISA_CANDIDATES];
    struct lines lines = {0};
    char name[48];
    (void)isa_candidates(kernel, NULL, choices);
    cell->choice = choices[0];
    cell->kernel = kernel;
    cell->lane = kernel - KERNEL_RD;
    cell->bytes = sizes[size].bytes * kernel_about[kernel].buffers;
    snprintf(name, sizeof name, "%s %s", sizes[size].name, kernel_about[kernel].name);
    host->phase(run, name);
    int error = measure_lines(cell, sizes[size].bytes, plan, &lines);
    if (lines.count == 0)
        return error;
    snprintf(name, sizeof name, "bw_mem-%s-%s", sizes[size].name, kernel_about[kernel].name);
    host->fact(run, name, lines.text);
    if (size + 1 < ARRAY_SIZE(sizes) || error == -EIO)
        return error;
    host->result(run, BANDWIDTH_ONE + COLUMN_MEDIAN, kernel, median(&lines));
    if (kernel == KERNEL_RD)
        host->result(run, BANDWIDTH_RATE, DYNO_LANE_ALL, median(&lines));
    if (kernel == KERNEL_RD || kernel == KERNEL_WR)
        host->result(run, kernel == KERNEL_RD ? BANDWIDTH_RD : BANDWIDTH_WR, DYNO_LANE_ALL,
                     median(&lines));
    return error;
}

static void tell_convention(const struct setting *setting)
{
    const struct dyno_host *host = setting->host;
    host->fact(setting->run, "counting",
               "rd, wr, rdwr and cp touch one word of 4 bytes in every 16 and count all 16; copies "
               "are counted once; MB are 10^6");
    host->fact(setting->run, "published-convention",
               "wr stores one word of 4 bytes in every 16 and fills no line, so each line is read "
               "before it is written: it is not the board's write bandwidth");
    host->fact(setting->run, "pages", setting->pages);
    host->fact(setting->run, "by-hand", "for i in 1 2 3 4 5; do bw_mem -P 1 50m rd; done");
}

/* The sizes, the operations and the one thread are the method. */
static int refuse_others(const struct setting *setting)
{
    const struct dyno_host *host = setting->host;
    const char *kernel = host->opt_str(setting->run, "kernel");
    bool has_kernel = kernel[0] && strcmp(kernel, "all") != 0;
    if (!setting->isa && !has_kernel && setting->threads <= 1 && !setting->asked_bytes)
        return 0;
    host->explain(setting->run,
                  "method=bw_mem runs the nine published operations at 8k, 128k and 50m by one "
                  "thread: leave out size, threads, kernel and isa");
    return -EINVAL;
}

/* Nobody asked for a size that he could make smaller. */
static void refuse_size(const struct setting *setting)
{
    char why[SET_TEXT];
    snprintf(why, sizeof why,
             "method=bw_mem takes two buffers of 50m, and here %s are to be had: "
             "%.160s",
             set_size(setting->room.allocatable).text, setting->room.why);
    setting->host->explain(setting->run, why);
}

int memory_published(const struct dyno_host *host, struct dyno_run *run)
{
    AUTO_FREE struct setting *setting = calloc(1, sizeof *setting);
    struct watch watch;
    struct wrong wrong;
    struct set set = {0};
    struct crew *crew = NULL;
    if (!setting)
        return -ENOMEM;
    int error = setting_read(setting, host, run, BANDWIDTH_TAKEN);
    if (error < 0)
        return error;
    error = refuse_others(setting);
    if (error < 0)
        return error;
    setting->counts_taking = true;
    setting->asked_bytes = 2 * sizes[ARRAY_SIZE(sizes) - 1].bytes;
    error = setting_set(setting, 1, &set);
    if (error == 0)
        error = setting_crew(setting, 1, &set, &crew);
    if (error == -ENOSPC)
        refuse_size(setting);
    if (error < 0)
        return error;
    tell_convention(setting);
    wrong_init(&wrong);
    setting_watch(setting, &watch);
    struct cell cell = {.setting = setting,
                        .watch = &watch,
                        .crew = crew,
                        .wrong = &wrong,
                        .metric = BANDWIDTH_PUBLISHED,
                        .flips_bit = host->opt_u64(run, "flip") != 0};
    struct plan plan = {.end_ns = setting->begin_ns + setting->time_ns,
                        .lines_left = ARRAY_SIZE(ops) * ARRAY_SIZE(sizes) * LINES};
    for (size_t size = 0; size < ARRAY_SIZE(sizes) && error == 0; size++)
        for (size_t i = 0; i < ARRAY_SIZE(ops) && error == 0; i++)
            error = measure_op(&cell, ops[i], size, &plan);
    crew_free(crew);
    wrong_done(&wrong);
    return error;
}
