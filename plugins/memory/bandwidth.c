/* memory.bandwidth: each kernel by one thread on the biggest core, then by all CPUs. */
#include "bandwidth.h"

#include "cell.h"
#include "peak.h"

#include <common/cleanup.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define COLUMNS 2
#define CELL_LEAST_NS 120000000ull
#define THREADS_HURT 0.5 /* all threads slower than this share of one */
#define LINE_TEXT 400

/* In an order that spares the fill: what reads it comes first, what overwrites it last. */
static const enum kernel order[] = {KERNEL_READ,   KERNEL_RD,    KERNEL_COPY,  KERNEL_COPY_NT,
                                    KERNEL_MEMCPY, KERNEL_TRIAD, KERNEL_WRITE, KERNEL_WRITE_NT,
                                    KERNEL_MEMSET, KERNEL_ZVA,   KERNEL_WR};

struct column {
    unsigned threads;
    bool has[KERNEL_COUNT];
    struct cell_result result[KERNEL_COUNT];
};

struct bandwidth {
    struct setting setting;
    struct watch watch;
    struct wrong wrong;
    struct peak peak;
    struct set set; /* of the newest column */
    bool is_wanted[KERNEL_COUNT];
    bool is_all; /* no kernel was named */
    bool has_measured;
    struct column columns[COLUMNS];
    unsigned column_count;
    struct isa_choice choice[KERNEL_COUNT];
    uint64_t end_ns, reserve_ns; /* of a run whose time is that of all cells together */
    unsigned cells_left;
    uint64_t switches;
};

static int choose_kernels(struct bandwidth *test)
{
    const struct dyno_host *host = test->setting.host;
    const char *name = host->opt_str(test->setting.run, "kernel");
    struct isa_choice choices[ISA_CANDIDATES];
    char why[96];
    test->is_all = name[0] == '\0' || strcmp(name, "all") == 0;
    for (size_t i = 0; i < ARRAY_SIZE(order); i++) {
        bool is_named = test->is_all || strcmp(name, kernel_about[order[i]].name) == 0;
        bool can = isa_candidates(order[i], test->setting.isa, choices) > 0;
        if (is_named && !can && !test->is_all) {
            snprintf(why, sizeof why, "kernel=%.20s: this CPU has no such instruction", name);
            host->explain(test->setting.run, why);
            return -EINVAL;
        }
        test->is_wanted[order[i]] = is_named && can;
    }
    return 0;
}

static bool is_published(enum kernel kernel)
{
    return kernel >= KERNEL_RD;
}

/* The published operations are one thread's. */
static bool is_in_column(const struct bandwidth *test, const struct column *column,
                         enum kernel kernel)
{
    bool is_first = column == &test->columns[0];
    return test->is_wanted[kernel] && (is_first || !is_published(kernel));
}

static void plan_columns(struct bandwidth *test)
{
    const struct setting *setting = &test->setting;
    test->columns[0].threads = setting->threads ? setting->threads : 1;
    test->column_count = 1;
    if (!setting->threads && setting->cpus.count > 1) {
        test->columns[1].threads = setting->cpus.count;
        test->column_count = 2;
    }
    for (unsigned c = 0; c < test->column_count; c++)
        for (unsigned k = 0; k < KERNEL_COUNT; k++)
            test->cells_left += is_in_column(test, &test->columns[c], (enum kernel)k);
}

static uint64_t cell_time(struct bandwidth *test)
{
    uint64_t now = test->setting.host->now_ns(test->setting.run);
    if (!test->is_all)
        return test->setting.time_ns / test->column_count;
    uint64_t until = now + test->reserve_ns;
    uint64_t share = test->end_ns > until ? (test->end_ns - until) / test->cells_left : 0;
    share = share > CELL_LEAST_NS ? share : CELL_LEAST_NS;
    watch_expect(&test->watch, share * test->cells_left + test->reserve_ns);
    return share;
}

static void result(const struct bandwidth *test, unsigned metric, unsigned lane, double value)
{
    test->setting.host->result(test->setting.run, metric, lane, value);
}

/* "11.4 GB/s" would hide what published figures show: whole MB of 10^6. */
static size_t add_column(const struct bandwidth *test, const struct column *column,
                         enum kernel kernel, char *text, size_t room)
{
    const struct cell_result *cell = &column->result[kernel];
    char peak[32] = "";
    if (test->peak.bytes_per_s > 0 && strcmp(test->set.level, "DRAM") == 0)
        snprintf(peak, sizeof peak, ", %.1f %% of peak",
                 cell->figures.median * 100 / test->peak.bytes_per_s);
    int size = snprintf(text, room,
                        "%u thread%s %.0f MB/s (p5 %.0f, p95 %.0f, best %.0f, %zu samples, %" PRIu64
                        " switches%s); ",
                        column->threads, column->threads == 1 ? "" : "s",
                        cell->figures.median / 1e6, cell->figures.p5 / 1e6, cell->figures.p95 / 1e6,
                        cell->figures.best / 1e6, cell->figures.samples, cell->switches, peak);
    return size > 0 && (size_t)size < room ? (size_t)size : 0;
}

static void report_column(const struct bandwidth *test, const struct column *column,
                          enum kernel kernel)
{
    const struct cell_result *cell = &column->result[kernel];
    const double figures[COLUMN_FIGURES] = {
        [COLUMN_MEDIAN] = cell->figures.median,
        [COLUMN_P5] = cell->figures.p5,
        [COLUMN_P95] = cell->figures.p95,
        [COLUMN_BEST] = cell->figures.best,
        [COLUMN_MEAN] = (double)cell->bytes * 1e9 / (double)cell->ns,
        [COLUMN_SAMPLES] = (double)cell->figures.samples,
        [COLUMN_SWITCHES] = (double)cell->switches,
    };
    bool is_one = column->threads == 1;
    for (unsigned i = 0; i < COLUMN_FIGURES; i++)
        result(test, (is_one ? BANDWIDTH_ONE : BANDWIDTH_ALL) + i, kernel, figures[i]);
}

/* In words, by one thread and as soon as that is known by all. */
static void report_kernel(const struct bandwidth *test, enum kernel kernel)
{
    char key[32], text[LINE_TEXT];
    size_t at = 0;
    for (unsigned c = 0; c < test->column_count; c++)
        if (test->columns[c].has[kernel])
            at += add_column(test, &test->columns[c], kernel, text + at, sizeof text - at);
    snprintf(text + at, sizeof text - at, "%s", test->choice[kernel].name);
    snprintf(key, sizeof key, "kernel-%s", kernel_about[kernel].name);
    test->setting.host->fact(test->setting.run, key, text);
}

static int measure(struct bandwidth *test, struct column *column, struct crew *crew,
                   enum kernel kernel)
{
    bool flips = test->setting.host->opt_u64(test->setting.run, "flip") != 0;
    char name[48];
    snprintf(name, sizeof name, "%.24s, %u thread%s", kernel_about[kernel].name, column->threads,
             column->threads == 1 ? "" : "s");
    struct cell cell = {.setting = &test->setting,
                        .watch = &test->watch,
                        .crew = crew,
                        .wrong = &test->wrong,
                        .kernel = kernel,
                        .bytes = test->set.bytes,
                        .metric = is_published(kernel) ? BANDWIDTH_PUBLISHED : BANDWIDTH_MOVED,
                        .lane = is_published(kernel) ? kernel - KERNEL_RD : kernel,
                        .name = name,
                        .choice = test->choice[kernel],
                        .flips_bit = flips};
    int error = cell.choice.fn ? 0 : cell_try(&cell);
    if (error < 0)
        return error;
    test->choice[kernel] = cell.choice;
    error = cell_measure(&cell, cell_time(test), &column->result[kernel]);
    test->cells_left--;
    test->switches += column->result[kernel].switches;
    column->has[kernel] = column->result[kernel].figures.samples > 0 && error != -EIO;
    test->has_measured |= column->has[kernel];
    if (column->has[kernel]) { /* shown as each one finishes */
        report_column(test, column, kernel);
        report_kernel(test, kernel);
    }
    return error;
}

static int run_column(struct bandwidth *test, struct column *column)
{
    const struct dyno_host *host = test->setting.host;
    struct crew *crew = NULL;
    uint64_t begin = host->now_ns(test->setting.run);
    int error = setting_set(&test->setting, column->threads, &test->set);
    if (error < 0)
        return error;
    error = setting_crew(&test->setting, column->threads, &test->set, &crew);
    if (error < 0)
        return error;
    bool is_last = column == &test->columns[test->column_count - 1];
    uint64_t taking_ns = host->now_ns(test->setting.run) - begin;
    test->reserve_ns = is_last ? 0 : taking_ns;
    test->watch.total_ns += test->is_all ? 0 : taking_ns;
    host->fact(test->setting.run, is_last ? "set" : "set-one", test->set.text);
    for (size_t i = 0; i < ARRAY_SIZE(order) && error == 0; i++)
        if (is_in_column(test, column, order[i]))
            error = measure(test, column, crew, order[i]);
    crew_free(crew);
    return error;
}

/* The better column's result of a kernel; NULL: not measured. */
static const struct cell_result *best_of(const struct bandwidth *test, enum kernel kernel)
{
    const struct cell_result *best = NULL;
    for (unsigned c = 0; c < test->column_count; c++) {
        const struct column *column = &test->columns[c];
        if (column->has[kernel] &&
            (!best || column->result[kernel].figures.median > best->figures.median))
            best = &column->result[kernel];
    }
    return best;
}

static const struct cell_result *better(const struct cell_result *a, const struct cell_result *b)
{
    if (!a || !b)
        return a ? a : b;
    return a->figures.median >= b->figures.median ? a : b;
}

static void report_rate(const struct bandwidth *test, unsigned metric,
                        const struct cell_result *cell)
{
    if (cell)
        result(test, metric, DYNO_LANE_ALL, cell->figures.median);
}

static void report_headline(const struct bandwidth *test)
{
    const struct cell_result *read = best_of(test, KERNEL_READ);
    const struct cell_result *write =
        better(best_of(test, KERNEL_WRITE), best_of(test, KERNEL_MEMSET));
    const struct cell_result *headline = read;
    for (size_t i = 0; i < ARRAY_SIZE(order) && !headline; i++)
        headline = best_of(test, order[i]);
    if (!headline)
        return;
    report_rate(test, BANDWIDTH_RATE, headline);
    report_rate(test, BANDWIDTH_WRITE, write);
    report_rate(test, BANDWIDTH_WRITE_NT,
                better(best_of(test, KERNEL_WRITE_NT), best_of(test, KERNEL_ZVA)));
    report_rate(test, BANDWIDTH_COPY,
                better(best_of(test, KERNEL_COPY),
                       better(best_of(test, KERNEL_COPY_NT), best_of(test, KERNEL_MEMCPY))));
    report_rate(test, BANDWIDTH_TRIAD, best_of(test, KERNEL_TRIAD));
    report_rate(test, BANDWIDTH_RD, best_of(test, KERNEL_RD));
    report_rate(test, BANDWIDTH_WR, best_of(test, KERNEL_WR));
    result(test, BANDWIDTH_P5, DYNO_LANE_ALL, headline->figures.p5);
    result(test, BANDWIDTH_P95, DYNO_LANE_ALL, headline->figures.p95);
    result(test, BANDWIDTH_BEST, DYNO_LANE_ALL, headline->figures.best);
    result(test, BANDWIDTH_SAMPLES, DYNO_LANE_ALL, (double)headline->figures.samples);
    result(test, BANDWIDTH_SWITCHES, DYNO_LANE_ALL, (double)test->switches);
    bool is_cached = strcmp(test->set.level, "DRAM") != 0;
    if (test->peak.bytes_per_s <= 0 || is_cached)
        return;
    result(test, BANDWIDTH_PEAK, DYNO_LANE_ALL, test->peak.bytes_per_s);
    result(test, BANDWIDTH_SHARE, DYNO_LANE_ALL, headline->figures.median / test->peak.bytes_per_s);
    if (write)
        result(test, BANDWIDTH_WRITE_SHARE, DYNO_LANE_ALL,
               write->figures.median / test->peak.bytes_per_s);
}

/* What makes the figures doubtful is said, never clipped. */
static void report_bounds(const struct bandwidth *test)
{
    const struct dyno_host *host = test->setting.host;
    char text[512];
    if (!test->set.is_dram && !test->set.is_doubtful) {
        snprintf(text, sizeof text, "this is no measurement of the DRAM: %s", test->set.text);
        host->event(test->setting.run, "not-dram", text);
    }
    for (size_t i = 0; i < ARRAY_SIZE(order); i++) {
        const struct cell_result *best = best_of(test, order[i]);
        const struct column *one = &test->columns[0], *all = &test->columns[1];
        bool is_dram = strcmp(test->set.level, "DRAM") == 0;
        if (best && is_dram && test->peak.bytes_per_s > 0 &&
            best->figures.median > test->peak.bytes_per_s) {
            snprintf(text, sizeof text,
                     "%s moved %.0f MB/s, more than the peak of %.0f MB/s (%s): a cache served it, "
                     "or the peak is wrong",
                     kernel_about[order[i]].name, best->figures.median / 1e6,
                     test->peak.bytes_per_s / 1e6, test->peak.source);
            host->event(test->setting.run, "over-ceiling", text);
        }
        if (test->column_count == 2 && one->has[order[i]] && all->has[order[i]] &&
            all->result[order[i]].figures.median <
                one->result[order[i]].figures.median * THREADS_HURT)
            host->log(test->setting.run, DYNO_WARNING,
                      "%s: %u threads together are less than half as fast as one",
                      kernel_about[order[i]].name, all->threads);
    }
}

static void report(struct bandwidth *test)
{
    const struct dyno_host *host = test->setting.host;
    struct dyno_run *run = test->setting.run;
    const char *isa = test->choice[KERNEL_READ].name;
    for (size_t i = 0; i < ARRAY_SIZE(order) && !isa; i++)
        isa = test->choice[order[i]].name;
    host->fact(run, "isa", isa ? isa : "none");
    host->fact(run, "set-level", test->set.level);
    host->fact(run, "pages", test->setting.pages);
    host->fact(run, "buffers", "2 MiB aligned, 2 KiB apart");
    host->fact(run, "counting",
               "bytes the program reads and writes, copies and triad on both sides; rd and wr: 16 "
               "bytes for each word of 4; MB are 10^6");
    host->fact(run, "peak-source", test->peak.source);
    if (best_of(test, KERNEL_WR) && best_of(test, KERNEL_RD))
        host->fact(run, "published-convention",
                   "wr stores one word of 4 bytes in every 16 and fills no line, so each line is "
                   "read before it is written: it is not the board's write bandwidth");
    report_headline(test);
    report_bounds(test);
}

/* What the second column cannot have is found before the first is measured for nothing. */
static int check_sizes(const struct bandwidth *test)
{
    struct set set;
    int error = 0;
    for (unsigned c = 0; c < test->column_count && error != -EINVAL; c++)
        error = setting_set(&test->setting, test->columns[c].threads, &set);
    return error == -EINVAL ? error : 0;
}

static int run_columns(struct bandwidth *test)
{
    const struct dyno_host *host = test->setting.host;
    plan_columns(test);
    int error = check_sizes(test);
    if (error < 0)
        return error;
    test->setting.counts_taking = test->is_all;
    setting_watch(&test->setting, &test->watch);
    test->end_ns = test->watch.start_ns + test->setting.time_ns;
    for (unsigned c = 0; c < test->column_count && error == 0; c++) {
        error = run_column(test, &test->columns[c]);
        if (c == 0 || (error != -ENOSPC && error != -ENOMEM))
            continue;
        host->fact(test->setting.run, "set", "not measured by all threads: too little memory");
        error = 0; /* what one thread did stays true */
    }
    return error;
}

int memory_bandwidth(const struct dyno_host *host, struct dyno_run *run)
{
    AUTO_FREE struct bandwidth *test = calloc(1, sizeof *test);
    if (!test)
        return -ENOMEM;
    if (strcmp(host->opt_str(run, "method"), "bw_mem") == 0)
        return memory_published(host, run);
    int error = setting_read(&test->setting, host, run, BANDWIDTH_TAKEN);
    if (error < 0)
        return error;
    error = choose_kernels(test);
    if (error < 0)
        return error;
    error = peak_of(host->target(run), host->opt_str(run, "dram-peak"), &test->peak);
    if (error < 0) {
        host->explain(run, "dram-peak: expected MB/s such as 3200, or a bus such as ddr4-1600x16");
        return error;
    }
    wrong_init(&test->wrong);
    error = run_columns(test);
    if (error != -EIO && test->has_measured)
        report(test);
    wrong_done(&test->wrong);
    return error;
}
