#include "diagnose/rules.h"

#include <stdio.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/units.h"
#include "iodyno/plugin.h"

#define SECONDS_MIN 5 /* a shorter write says nothing about a promise */
#define BLOCK_MIN                                                                                  \
    ((uint64_t)512 << 10) /* the largest recording unit of a card is written whole                 \
                           */
#define RANDOM_BLOCK 4096u
#define RANDOM_DEPTH 32 /* in flight: the card, not the host's way to it, is what is tried */

struct claim {
    double bps; /* 0: none */
    char mark[16];
};

/* The SD association's marks: each promises as many MB/s of sequential writes. */
static const struct {
    const char *key, *name;
    double times; /* MB/s of one; 0: 10 MB/s whatever its number */
} marks[] = {
    {"claim.speed_class", "Class ", 1},
    {"claim.uhs", "U", 10},
    {"claim.video", "V", 1},
    {"claim.application", "A", 0},
};

static unsigned mark_of(const struct model *model, const char *key)
{
    const char *text = model_target(model, key);
    uint64_t number;
    return text && units_parse_u64(text, &number) == 0 && number <= 99 ? (unsigned)number : 0;
}

/* The largest promise; of those beyond what the link carries only the largest is named. */
static void find_claims(const struct evidence *evidence, struct claim *claim, struct claim *beyond)
{
    double most = evidence->ceiling_bps * evidence->bus_share;
    *claim = *beyond = (struct claim){0};
    for (size_t i = 0; i < ARRAY_SIZE(marks); i++) {
        unsigned mark = mark_of(evidence->model, marks[i].key);
        double bps = mark ? (marks[i].times > 0 ? mark * marks[i].times : 10) * 1e6 : 0;
        struct claim *into = most > 0 && bps > most ? beyond : claim;
        if (bps <= into->bps)
            continue;
        into->bps = bps;
        (void)snprintf(into->mark, sizeof into->mark, "%s%u", marks[i].name, mark);
    }
}

static uint64_t size_option(const struct model *model, const char *key)
{
    const char *text = model_option(model, key);
    uint64_t bytes = 0;
    return text && units_parse_size(text, &bytes) == 0 ? bytes : 0;
}

/* Only what surely came to the card can break its promise. */
static bool is_honest_write(const struct evidence *evidence)
{
    uint64_t block = size_option(evidence->model, "bs");
    return strcmp(evidence->model->test, "storage.write") == 0 && evidence->written > 0 &&
           evidence->has_rate && evidence->model->has_end && evidence->seconds >= SECONDS_MIN &&
           (block == 0 || block >= BLOCK_MIN) &&
           (evidence->sync_s > 0 || model_is_direct(evidence->model));
}

enum strength claim_sequential(const struct evidence *evidence, struct str *text)
{
    struct claim claim, beyond;
    const char *misaligned = model_target(evidence->model, "misaligned");
    find_claims(evidence, &claim, &beyond);
    if (claim.bps <= 0 || !is_honest_write(evidence) || evidence->rate_bps >= claim.bps)
        return SILENT;
    str_addf(text, "%s is below the ", units_byte_rate(evidence->rate_bps).text);
    str_addf(text, "%s that its mark %s promises for writing", units_byte_rate(claim.bps).text,
             claim.mark);
    if (beyond.bps > claim.bps) {
        str_addf(text, " (its mark %s, %s, needs more than ", beyond.mark,
                 units_byte_rate(beyond.bps).text);
        rules_add_source(evidence, text);
        str_add(text, ")");
    }
    if (misaligned)
        str_addf(text, "; its partition %s", misaligned);
    rules_add_state(evidence, text);
    str_add(text, ": try it freshly formatted and empty; if it stays below, it is worn or false");
    return WARNING;
}

/* ---- application classes */

struct random_rate {
    bool is_write;
    double iops; /* 0: not measured */
};

static const struct {
    double reads, writes; /* of 4 KiB a second */
} classes[] = {{1500, 500}, {4000, 2000}};

static void keep_most(const struct model *model, const char *key, struct random_rate *rate)
{
    double iops;
    if (model_result(model, key, &iops) == 0 && iops > rate->iops)
        rate->iops = iops;
}

static void find_random(const struct model *model, struct random_rate rates[2])
{
    const char *mode = model_option(model, "mode"), *depth = model_option(model, "depth");
    uint64_t number = 0;
    rates[0] = (struct random_rate){.is_write = false};
    rates[1] = (struct random_rate){.is_write = true};
    if (strcmp(model->test, "storage.table") == 0) {
        keep_most(model, "rnd4k_q32_read_iops", &rates[0]);
        keep_most(model, "rnd4k_q1_read_iops", &rates[0]);
        keep_most(model, "rnd4k_q32_write_iops", &rates[1]);
        keep_most(model, "rnd4k_q1_write_iops", &rates[1]);
        return;
    }
    if (strcmp(model->test, "storage.random") != 0 || !mode || !depth ||
        units_parse_u64(depth, &number) < 0 || number < RANDOM_DEPTH ||
        size_option(model, "bs") != RANDOM_BLOCK || !model->has_end)
        return;
    if (strcmp(mode, "read") == 0)
        keep_most(model, "iops", &rates[0]);
    else if (strcmp(mode, "write") == 0)
        keep_most(model, "iops", &rates[1]);
}

/* A2 is promised to hosts that use the card's own queue and cache: without, A1 is what it owes. */
enum strength claim_random(const struct evidence *evidence, struct str *text)
{
    unsigned mark = mark_of(evidence->model, "claim.application");
    struct random_rate rates[2];
    bool is_below = false, is_below_first = false;
    if (!evidence->is_storage || mark < 1 || mark > ARRAY_SIZE(classes))
        return SILENT;
    find_random(evidence->model, rates);
    for (size_t i = 0; i < ARRAY_SIZE(rates); i++) {
        bool is_write = rates[i].is_write;
        double least = is_write ? classes[mark - 1].writes : classes[mark - 1].reads;
        double first = is_write ? classes[0].writes : classes[0].reads;
        if (rates[i].iops <= 0 || rates[i].iops >= least)
            continue;
        str_addf(text, "%s%.0f random %s a second (of at least %.0f)", is_below ? " and " : "",
                 rates[i].iops, is_write ? "writes" : "reads", least);
        is_below = true;
        is_below_first = is_below_first || rates[i].iops < first;
    }
    if (!is_below)
        return SILENT;
    str_addf(text, " of 4 KiB are below what its mark A%u promises", mark);
    if (mark > 1 && !is_below_first)
        str_add(text, "; A2 counts on the card's own command queue, which few hosts use: without "
                      "it expect A1, 1500 reads and 500 writes a second");
    else
        str_add(text, ": try it freshly formatted and empty; if it stays below, it is worn or "
                      "false");
    return WARNING;
}
