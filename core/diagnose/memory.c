#include "diagnose/rules.h"

#include <string.h>

#include "base/cleanup.h"
#include "base/units.h"
#include "iodyno/plugin.h"

#define OVER_PEAK 1.02   /* clocks and counters are not better than this */
#define PEAK_SHARE 0.70  /* 77 to 86 % were seen on boards: refresh and turns take the rest */
#define HURT_SHARE 0.5   /* of one thread's rate, for all together */
#define SCALES_SHARE 0.8 /* of so many times one thread's rate */
#define CLOCK_SHARE 0.95 /* of the memory's highest */
#define THREADS_MAX 4096

/* A kernel's rates in its fact: "1 thread 13300 MB/s (…); 4 threads 19000 MB/s (…); avx2". */
struct columns {
    unsigned threads;        /* of the last column */
    double one_bps, all_bps; /* 0: no such column */
};

/* Digits, and dots for a rate, from `*at` on; leaves it behind them. */
static bool take_number(const char **at, double *ret_value)
{
    char digits[24];
    size_t size = strspn(*at, "0123456789.");
    if (size == 0 || size >= sizeof digits)
        return false;
    memcpy(digits, *at, size);
    digits[size] = '\0';
    *at += size;
    return units_parse_double(digits, ret_value) == 0;
}

static bool take_word(const char **at, const char *word)
{
    if (!str_starts(*at, word))
        return false;
    *at += strlen(word);
    return true;
}

static bool take_column(const char *at, struct columns *columns)
{
    double threads, mbps;
    if (!take_number(&at, &threads) || !take_word(&at, " thread") || threads < 1 ||
        threads > THREADS_MAX)
        return false;
    (void)take_word(&at, "s");
    if (!take_word(&at, " ") || !take_number(&at, &mbps) || !take_word(&at, " MB/s"))
        return false;
    if (threads < 2) {
        columns->one_bps = mbps * 1e6;
    } else {
        columns->threads = (unsigned)threads;
        columns->all_bps = mbps * 1e6;
    }
    return true;
}

/* Whether one thread and several were measured. */
static bool read_columns(const char *fact, struct columns *ret_columns)
{
    struct columns columns = {0};
    for (const char *at = fact; at && take_column(at, &columns);) {
        at = strstr(at, "; ");
        at = at ? at + 2 : NULL;
    }
    *ret_columns = columns;
    return columns.one_bps > 0 && columns.all_bps > 0;
}

/* Whole MB of 10^6: published figures have them, and "2.8 GB/s" would hide what they show. */
static void add_mbps(double bps, struct str *text)
{
    str_addf(text, "%.0f MB/s", bps / 1e6);
}

static void add_share(const struct evidence *evidence, struct str *text)
{
    add_mbps(evidence->rate_bps, text);
    if (evidence->ceiling_bps <= 0)
        return;
    str_add(text, " of ");
    add_mbps(evidence->ceiling_bps, text);
    str_addf(text, " (%s)",
             units_value(evidence->rate_bps / evidence->ceiling_bps, DYNO_RATIO).text);
}

static const char *event_text(const struct model *model, const char *code)
{
    for (size_t i = 0; i < model->event_count; i++)
        if (strcmp(model->events[i].code, code) == 0)
            return model->events[i].text;
    return NULL;
}

static unsigned count_events(const struct model *model, const char *code)
{
    unsigned count = 0;
    for (size_t i = 0; i < model->event_count; i++)
        count += strcmp(model->events[i].code, code) == 0;
    return count;
}

static bool is_of_dram(const struct evidence *evidence)
{
    return evidence->is_memory && evidence->cache_level[0] == '\0';
}

/* Whole words of the test, or what the memory controller counted. */
enum strength memory_error(const struct evidence *evidence, struct str *text)
{
    const char *error = event_text(evidence->model, "memory-error");
    const char *counted = model_fact(evidence->model, "edac-errors");
    if (!evidence->is_memory || (!error && !counted))
        return SILENT;
    if (error) {
        const unsigned count = count_events(evidence->model, "memory-error");
        str_addf(text, "this memory makes errors: %s", error);
        if (count > 1)
            str_addf(text, " (and %u more)", count - 1);
        return MAIN;
    }
    str_addf(text, "the memory controller counted errors during this run: %s", counted);
    /* Of those put right the figures are true all the same. */
    return strstr(counted, " 0 uncorrected") ? WARNING : MAIN;
}

enum strength memory_not_dram(const struct evidence *evidence, struct str *text)
{
    const char *set = model_fact(evidence->model, "set");
    if (!evidence->is_memory || is_of_dram(evidence))
        return SILENT;
    str_addf(text, "this is the speed of %s, not of the DRAM", evidence->cache_level);
    if (set)
        str_addf(text, ": %s", set);
    return MAIN;
}

enum strength memory_over_ceiling(const struct evidence *evidence, struct str *text)
{
    const char *told = event_text(evidence->model, "over-ceiling");
    if (!is_of_dram(evidence) || !evidence->model->has_end)
        return SILENT;
    if (told) {
        str_add(text, told);
        return MAIN;
    }
    if (!evidence->has_rate || evidence->ceiling_bps <= 0 ||
        evidence->rate_bps <= evidence->ceiling_bps * OVER_PEAK)
        return SILENT;
    add_mbps(evidence->rate_bps, text);
    str_add(text, " is more than the peak of ");
    add_mbps(evidence->ceiling_bps, text);
    str_addf(text, " (%s): a cache served it, or the peak is wrong", evidence->ceiling_source);
    return MAIN;
}

enum strength memory_threads_hurt(const struct evidence *evidence, struct str *text)
{
    static const char prefix[] = "kernel-";
    const struct model *model = evidence->model;
    struct columns columns;
    for (size_t i = 0; evidence->is_memory && i < model->fact_count; i++) {
        const struct model_text *fact = &model->facts[i];
        if (!str_starts(fact->key, prefix) || !read_columns(fact->value, &columns) ||
            columns.all_bps >= columns.one_bps * HURT_SHARE)
            continue;
        str_addf(text, "%s: %u threads together moved ", fact->key + strlen(prefix),
                 columns.threads);
        add_mbps(columns.all_bps, text);
        str_add(text, ", less than half of the ");
        add_mbps(columns.one_bps, text);
        str_add(text, " of one: something else used the memory or its CPUs");
        return WARNING;
    }
    return SILENT;
}

/* "at most 2112000000 Hz, governor dmc_ondemand" */
static bool read_highest(const char *fact, double *ret_hertz)
{
    return take_word(&fact, "at most ") && take_number(&fact, ret_hertz) && *ret_hertz > 0;
}

/* Its own governor may hold the memory down while the CPUs are at their best. */
enum strength memory_slow_clock(const struct evidence *evidence, struct str *text)
{
    const struct model *model = evidence->model;
    const char *fact = model_fact(model, "dram-clock");
    int metric = model_metric(model, "dram_clock");
    struct series_total clock = {0};
    double highest;
    if (!evidence->is_memory || !fact || !read_highest(fact, &highest) || metric < 0 ||
        !model->metrics[metric].sum)
        return SILENT;
    series_total(model->metrics[metric].sum, &clock);
    if (clock.count == 0 || clock.min >= highest * CLOCK_SHARE)
        return SILENT;
    str_addf(text, "the memory ran at %s", units_value(clock.min, DYNO_HERTZ).text);
    if (clock.max > clock.min)
        str_addf(text, " to %s", units_value(clock.max, DYNO_HERTZ).text);
    const char *governor = strstr(fact, "governor ");
    str_addf(text, " of at most %s", units_value(highest, DYNO_HERTZ).text);
    if (governor)
        str_addf(text, ": its %s held it down", governor);
    return WARNING;
}

enum strength memory_bus_limited(const struct evidence *evidence, struct str *text)
{
    if (!is_of_dram(evidence) || !evidence->has_rate || evidence->ceiling_bps <= 0 ||
        evidence->rate_bps < evidence->ceiling_bps * PEAK_SHARE)
        return SILENT;
    str_add(text, "the memory bus is the limit: ");
    add_share(evidence, text);
    str_addf(text, ", the peak being that of %s", evidence->ceiling_source);
    return MAIN;
}

static bool headline_columns(const struct evidence *evidence, struct columns *ret_columns)
{
    const char *fact = model_fact(evidence->model, "kernel-read");
    return is_of_dram(evidence) && evidence->has_rate && fact && read_columns(fact, ret_columns);
}

static void add_times(const struct evidence *evidence, const struct columns *columns,
                      struct str *text)
{
    const unsigned tenths = (unsigned)(columns->all_bps / columns->one_bps * 10 + 0.5);
    str_addf(text, "%u threads read %u.%u times what one did, ", columns->threads, tenths / 10,
             tenths % 10);
    add_share(evidence, text);
}

enum strength memory_cpu_limited(const struct evidence *evidence, struct str *text)
{
    struct columns columns;
    if (!headline_columns(evidence, &columns) ||
        columns.all_bps < columns.one_bps * columns.threads * SCALES_SHARE)
        return SILENT;
    str_add(text, "the CPUs are the limit, not the memory: ");
    add_times(evidence, &columns, text);
    return MAIN;
}

enum strength memory_device_limited(const struct evidence *evidence, struct str *text)
{
    struct columns columns;
    if (!headline_columns(evidence, &columns))
        return SILENT;
    str_add(text, "the memory is the limit: ");
    add_times(evidence, &columns, text);
    return MAIN;
}
