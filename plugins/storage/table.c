/* storage.table: the table that disk benchmarks print: sequential 1 MiB and random 4 KiB, with and
 * without a queue, reading and writing; some seconds a cell. */
#include "tests.h"

#include "a1.h"
#include "rig.h"
#include "table.h"

#include <common/cleanup.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

const struct table_cell table_cells[TABLE_CELLS] = {
    {"seq1m_q8_read", 1u << 20, 8, false, 0},    {"seq1m_q1_read", 1u << 20, 1, false, 0},
    {"rnd4k_q32_read", 4096, 32, true, 0},       {"rnd4k_q1_read", 4096, 1, true, 0},
    {"seq1m_q8_write", 1u << 20, 8, false, 100}, {"seq1m_q1_write", 1u << 20, 1, false, 100},
    {"rnd4k_q32_write", 4096, 32, true, 100},    {"rnd4k_q1_write", 4096, 1, true, 100},
};

static void keep_best(double *best, double value)
{
    if (value > *best)
        *best = value;
}

static void report_cell(const struct rig *rig, unsigned number, struct a1 *a1)
{
    const struct table_cell *cell = &table_cells[number];
    const struct report *report = &rig->report;
    report->host->result(report->run, METRIC_OWN + number, DYNO_LANE_ALL, rig_rate(rig));
    if (!cell->is_random && cell->write_percent)
        keep_best(&a1->write_bps, rig_rate(rig));
    if (!cell->is_random)
        return;
    report->host->result(report->run, TABLE_IOPS(number), DYNO_LANE_ALL, rig_iops(rig));
    keep_best(cell->write_percent ? &a1->write_iops : &a1->read_iops, rig_iops(rig));
}

static int run_cell(struct rig *rig, const struct table_cell *cell)
{
    struct rig_load load = {.phase = cell->key,
                            .bs = cell->bs,
                            .depth = cell->depth,
                            .is_random = cell->is_random,
                            .write_percent = cell->write_percent,
                            .time_ns = rig->job.time_ns};
    return rig_go(rig, &load);
}

static int run_cells(struct rig *rig)
{
    const struct report *report = &rig->report;
    struct a1 a1 = {.write_bps = -1, .read_iops = -1, .write_iops = -1};
    uint64_t stalls = 0, most_ns = 0;
    char text[A1_TEXT_MAX];
    int error = 0;
    for (unsigned i = 0; i < TABLE_CELLS && error == 0; i++) {
        error = run_cell(rig, &table_cells[i]);
        if (error < 0) /* half a cell would stand beside whole ones */
            break;
        report_cell(rig, i, &a1);
        stalls += atomic_load(&rig->latency.stalls);
        if (atomic_load(&rig->latency.most_ns) > most_ns)
            most_ns = atomic_load(&rig->latency.most_ns);
        report->host->progress(report->run, i + 1, TABLE_CELLS);
    }
    if (most_ns > 0) {
        report->host->result(report->run, METRIC_STALLS, DYNO_LANE_ALL, (double)stalls);
        report->host->result(report->run, METRIC_LATENCY_MAX, DYNO_LANE_ALL, lap_seconds(most_ns));
    }
    a1_judge(&a1, text);
    if (error == 0 && text[0])
        report->host->fact(report->run, "a1", text);
    return error;
}

int storage_table(const struct dyno_host *host, struct dyno_run *run)
{
    AUTO(rig_end) struct rig rig = {.bytes = 0};
    char why[JOB_WHY_MAX];
    int error = job_parse_queue(host, run, &queue_method, &rig.job, why);
    if (error < 0) {
        host->explain(run, why);
        return error;
    }
    rig_begin(&rig, host, run);
    rig.meter.counts_steps = true;
    error = rig_create(&rig);
    report_split(&rig.report);
    if (error == 0)
        error = rig_lay_out(&rig);
    if (error < 0)
        return error;
    rig_report_direct(&rig, &rig.file, false);
    rig.meter.counts_writes = true;
    return run_cells(&rig);
}
