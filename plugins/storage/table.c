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

/* What all cells together say. */
struct account {
    struct a1 a1;
    uint64_t stalls, most_ns;
    double read, read_by_disk; /* bytes */
    double cpu, kernel;        /* of the cell that took the most */
    const char *dearest;       /* its key */
};

static void keep_most(double *most, double value)
{
    if (value > *most)
        *most = value;
}

static void report_cell(const struct rig *rig, unsigned number)
{
    const struct report *report = &rig->report;
    report->host->result(report->run, METRIC_OWN + number, DYNO_LANE_ALL, rig_rate(rig));
    if (table_cells[number].is_random)
        report->host->result(report->run, TABLE_IOPS(number), DYNO_LANE_ALL, rig_iops(rig));
}

static void take_cell(struct account *account, const struct rig *rig, const struct table_cell *cell)
{
    const struct lap *lap = &rig->lap;
    bool is_write = cell->write_percent > 0;
    double cpu = lap->wall_ns ? (double)(lap->user_ns + lap->sys_ns) / (double)lap->wall_ns : 0;
    uint64_t most_ns = atomic_load(&rig->latency.most_ns);
    if (!cell->is_random && is_write)
        keep_most(&account->a1.write_bps, rig_rate(rig));
    if (cell->is_random)
        keep_most(is_write ? &account->a1.write_iops : &account->a1.read_iops, rig_iops(rig));
    account->stalls += atomic_load(&rig->latency.stalls);
    if (most_ns > account->most_ns)
        account->most_ns = most_ns;
    if (!is_write) {
        account->read += (double)rig->bytes;
        account->read_by_disk += (double)meter_device(&rig->meter).read_bytes;
    }
    if (!account->dearest || cpu > account->cpu) {
        account->dearest = cell->key;
        account->cpu = cpu;
    }
    keep_most(&account->kernel, meter_kernel_share(&rig->meter));
}

static void report_account(const struct rig *rig, const struct account *account)
{
    const struct dyno_host *host = rig->report.host;
    struct dyno_run *run = rig->report.run;
    if (account->most_ns > 0) {
        host->result(run, METRIC_STALLS, DYNO_LANE_ALL, (double)account->stalls);
        host->result(run, METRIC_LATENCY_MAX, DYNO_LANE_ALL, lap_seconds(account->most_ns));
    }
    if (account->read > 0 && rig->meter.leaf.count > 0) {
        double cached = 1.0 - account->read_by_disk / account->read;
        host->result(run, METRIC_CACHED, DYNO_LANE_ALL, cached < 0.0 ? 0.0 : cached);
        host->fact(run, "cached-by", "the disk's own counter, all cells that read together");
    }
    if (!account->dearest)
        return;
    host->result(run, METRIC_CPU_SHARE, DYNO_LANE_ALL, account->cpu);
    host->fact(run, "cpu-cell", account->dearest);
    if (account->kernel >= 0)
        host->result(run, METRIC_KERNEL_SHARE, DYNO_LANE_ALL, account->kernel);
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
    struct account account = {.a1 = {-1, -1, -1}, .kernel = -1};
    char text[A1_TEXT_MAX];
    int error = 0;
    for (unsigned i = 0; i < TABLE_CELLS && error == 0; i++) {
        error = run_cell(rig, &table_cells[i]);
        if (error < 0) /* half a cell would stand beside whole ones */
            break;
        report_cell(rig, i);
        take_cell(&account, rig, &table_cells[i]);
        report->host->progress(report->run, i + 1, TABLE_CELLS);
    }
    report_account(rig, &account);
    a1_judge(&account.a1, text);
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
