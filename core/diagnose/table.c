#include "diagnose/rules.h"

#include <string.h>

#include "base/cleanup.h"
#include "base/units.h"
#include "iodyno/plugin.h"

#define OVER_CEILING 1.02
#define QUICK_IOPS 200000.0 /* 5 us a read, one at a time: no disk answers that fast */
#define QUEUE_HELPS 1.5     /* times the single requests */
#define CPU_BUSY 0.90

/* The cells by what they do, each for reads [0] and writes [1]; 0: not measured. */
struct cells {
    double queued_bps[2], single_bps[2], best_bps[2]; /* in sequence */
    double queued_iops[2], single_iops[2];            /* at random, 4 KiB */
};

static const struct {
    const char *key, *name;
} named_cells[] = {
    {"seq1m_q8_read", "SEQ1M Q8 read"},     {"seq1m_q1_read", "SEQ1M Q1 read"},
    {"rnd4k_q32_read", "RND4K Q32 read"},   {"rnd4k_q1_read", "RND4K Q1 read"},
    {"seq1m_q8_write", "SEQ1M Q8 write"},   {"seq1m_q1_write", "SEQ1M Q1 write"},
    {"rnd4k_q32_write", "RND4K Q32 write"}, {"rnd4k_q1_write", "RND4K Q1 write"},
};

static double cell(const struct model *model, const char *key)
{
    double value = 0;
    return model_result(model, key, &value) == 0 && value > 0 ? value : 0;
}

static bool find_cells(const struct evidence *evidence, struct cells *cells)
{
    const struct model *model = evidence->model;
    if (strcmp(model->test, "storage.table") != 0)
        return false;
    *cells = (struct cells){
        .queued_bps = {cell(model, "seq1m_q8_read"), cell(model, "seq1m_q8_write")},
        .single_bps = {cell(model, "seq1m_q1_read"), cell(model, "seq1m_q1_write")},
        .queued_iops = {cell(model, "rnd4k_q32_read_iops"), cell(model, "rnd4k_q32_write_iops")},
        .single_iops = {cell(model, "rnd4k_q1_read_iops"), cell(model, "rnd4k_q1_write_iops")},
    };
    for (unsigned i = 0; i < 2; i++)
        cells->best_bps[i] = cells->queued_bps[i] > cells->single_bps[i] ? cells->queued_bps[i]
                                                                         : cells->single_bps[i];
    return cells->best_bps[0] > 0 && cells->best_bps[1] > 0;
}

enum strength table_over_ceiling(const struct evidence *evidence, struct str *text)
{
    const char *name = NULL;
    double most = evidence->ceiling_bps * OVER_CEILING;
    if (strcmp(evidence->model->test, "storage.table") != 0 || evidence->ceiling_bps <= 0)
        return SILENT;
    for (size_t i = 0; i < ARRAY_SIZE(named_cells); i++)
        if (cell(evidence->model, named_cells[i].key) > most) {
            most = cell(evidence->model, named_cells[i].key);
            name = named_cells[i].name;
        }
    if (!name)
        return SILENT;
    str_addf(text, "%s gave %s, more than the ", name, units_byte_rate(most).text);
    str_addf(text, "%s that ", units_byte_rate(evidence->ceiling_bps).text);
    rules_add_source(evidence, text);
    str_add(text, " can carry: an error of method, not the speed of the device; "
                  "take a larger size");
    return MAIN;
}

/* Where no counter of a disk tells what came from RAM. */
enum strength table_too_quick(const struct evidence *evidence, struct str *text)
{
    struct cells cells;
    if (evidence->has_cached || !find_cells(evidence, &cells) || cells.single_iops[0] < QUICK_IOPS)
        return SILENT;
    str_addf(text,
             "RND4K Q1 read took %.1f us a request: no disk answers that fast, so RAM did; no "
             "counter of a disk tells how often",
             1e6 / cells.single_iops[0]);
    return WARNING;
}

/* "in sequence 80.1 MB/s read, 20.3 MB/s written (77 % and 20 % of SDR104, 4 bit)" */
static void add_sequential(const struct evidence *evidence, const struct cells *cells,
                           struct str *text)
{
    double ceiling = evidence->ceiling_bps;
    str_addf(text, "in sequence %s read, ", units_byte_rate(cells->best_bps[0]).text);
    str_addf(text, "%s written", units_byte_rate(cells->best_bps[1]).text);
    if (ceiling <= 0)
        return;
    str_addf(text, " (%s and ", units_value(cells->best_bps[0] / ceiling, DYNO_RATIO).text);
    str_addf(text, "%s of ", units_value(cells->best_bps[1] / ceiling, DYNO_RATIO).text);
    rules_add_source(evidence, text);
    str_add(text, ")");
}

static void add_random(const struct cells *cells, struct str *text)
{
    const double *single = cells->single_iops, *queued = cells->queued_iops;
    if (single[0] <= 0 || single[1] <= 0)
        return;
    str_addf(text, "; at random, 4 KiB one at a time, %.0f and %.0f IOPS, ", single[0], single[1]);
    str_addf(text, "%s and ", units_value(single[0] * 4096 / cells->best_bps[0], DYNO_RATIO).text);
    str_addf(text, "%s of that rate",
             units_value(single[1] * 4096 / cells->best_bps[1], DYNO_RATIO).text);
    if (queued[0] <= 0 || queued[1] <= 0)
        return;
    double reads = queued[0] / single[0], writes = queued[1] / single[1];
    str_addf(text, "; 32 in flight give %.1f and %.1f times as many: ", reads, writes);
    bool helps_reads = reads >= QUEUE_HELPS, helps_writes = writes >= QUEUE_HELPS;
    str_add(text, helps_reads && helps_writes ? "keep several in flight"
                  : helps_reads               ? "a queue helps its reads, its writes take larger "
                                                "blocks"
                  : helps_writes              ? "a queue helps its writes, its reads take larger "
                                                "blocks"
                                              : "larger blocks help, a queue does not");
}

static const char *cell_name(const char *key)
{
    for (size_t i = 0; key && i < ARRAY_SIZE(named_cells); i++)
        if (strcmp(named_cells[i].key, key) == 0)
            return named_cells[i].name;
    return NULL;
}

static void add_table(const struct evidence *evidence, const struct cells *cells, struct str *text)
{
    const char *dearest = cell_name(model_fact(evidence->model, "cpu-cell"));
    add_sequential(evidence, cells, text);
    add_random(cells, text);
    if (dearest && evidence->cpu >= CPU_BUSY)
        str_addf(text, "; %s took %s of the CPU it can use, its limit", dearest,
                 units_value(evidence->cpu, DYNO_RATIO).text);
}

enum strength table_bus(const struct evidence *evidence, struct str *text)
{
    struct cells cells;
    if (!find_cells(evidence, &cells) || evidence->ceiling_bps <= 0 ||
        cells.best_bps[0] < evidence->ceiling_bps * evidence->bus_share)
        return SILENT;
    str_add(text, "the bus is the limit of reads: ");
    add_table(evidence, &cells, text);
    return MAIN;
}

enum strength table_device(const struct evidence *evidence, struct str *text)
{
    struct cells cells;
    if (!find_cells(evidence, &cells))
        return SILENT;
    str_add(text, "the disk is the limit: ");
    add_table(evidence, &cells, text);
    return MAIN;
}
