/* storage.random: aligned random requests over the test's own file: how many a second, how long
 * each took. */
#include "tests.h"

#include "a1.h"
#include "ddline.h"
#include "rig.h"

#include <common/cleanup.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define A1_BS 4096u

static unsigned write_percent(const struct dyno_host *host, struct dyno_run *run)
{
    const char *mode = host->opt_str(run, "mode");
    if (strcmp(mode, "mix") == 0) {
        uint64_t reads = host->opt_u64(run, "reads");
        return reads > 100 ? 0 : 100 - (unsigned)reads;
    }
    return strcmp(mode, "write") == 0 ? 100 : 0;
}

static void report_by_hand(const struct rig *rig, unsigned percent)
{
    const struct job *job = &rig->job;
    char text[JOB_COMMAND_MAX], mix[32] = "", files[32] = "";
    if (percent > 0 && percent < 100)
        snprintf(mix, sizeof mix, " --rwmixread=%u", 100 - percent);
    if (job->part_bytes)
        snprintf(files, sizeof files, " --nrfiles=%u", parts_count(job->total, job->part_bytes));
    snprintf(text, sizeof text,
             "fio --name=iodyno --directory=%.300s%s --rw=%s%s --bs=%zu --size=%" PRIu64
             " --direct=1 --norandommap --ioengine=%s --iodepth=%u --time_based --runtime=%" PRIu64
             "ms%s",
             job->target->path, files,
             percent == 0     ? "randread"
             : percent == 100 ? "randwrite"
                              : "randrw",
             mix, job->bs, job->total, job->depth == 1 ? "psync" : "io_uring", job->depth,
             job->time_ns / 1000000, percent ? " --end_fsync=1" : "");
    rig->report.host->fact(rig->report.run, "by-hand", text);
    report_split(&rig->report);
}

static void report_results(struct rig *rig, unsigned percent)
{
    const struct report *report = &rig->report;
    const struct dyno_host *host = report->host;
    struct a1 a1 = {.write_bps = -1, .read_iops = -1, .write_iops = -1};
    char text[A1_TEXT_MAX];
    host->result(report->run, METRIC_IOPS, DYNO_LANE_ALL, rig_iops(rig));
    host->result(report->run, METRIC_RATE, DYNO_LANE_ALL, rig_rate(rig));
    host->result(report->run, METRIC_TRANSFER_TIME, DYNO_LANE_ALL, lap_seconds(rig->lap.wall_ns));
    host->fact(report->run, "real-line",
               ddline_real(rig->lap.wall_ns, rig->lap.user_ns, rig->lap.sys_ns).text);
    if (percent > 0)
        host->result(report->run, METRIC_SYNC_TIME, DYNO_LANE_ALL, lap_seconds(rig->sync_ns));
    report_latency(report, &rig->latency);
    report_cpu(report, &rig->lap, &rig->meter);
    if (percent == 0 && rig->meter.leaf.count > 0) {
        double cached = 1.0 - (double)meter_device(&rig->meter).read_bytes / (double)rig->bytes;
        host->result(report->run, METRIC_CACHED, DYNO_LANE_ALL, cached < 0.0 ? 0.0 : cached);
    }
    if (percent == 0)
        a1.read_iops = rig_iops(rig);
    else if (percent == 100)
        a1.write_iops = rig_iops(rig);
    a1_judge(&a1, text);
    if (rig->job.bs == A1_BS && text[0])
        host->fact(report->run, "a1", text);
}

int storage_random(const struct dyno_host *host, struct dyno_run *run)
{
    AUTO(rig_end) struct rig rig = {.bytes = 0};
    char why[JOB_WHY_MAX];
    unsigned percent = write_percent(host, run);
    int error = job_parse_queue(host, run, &queue_method, &rig.job, why);
    if (error < 0) {
        host->explain(run, why);
        return error;
    }
    rig_begin(&rig, host, run);
    rig.meter.counts_steps = true;
    error = rig_create(&rig);
    if (error < 0)
        return error;
    report_by_hand(&rig, percent);
    error = rig_lay_out(&rig);
    if (error < 0)
        return error;
    rig_report_direct(&rig, &rig.file, false);
    rig.meter.counts_writes = true;
    struct rig_load load = {.phase = host->opt_str(run, "mode"),
                            .bs = rig.job.bs,
                            .depth = rig.job.depth,
                            .is_random = true,
                            .write_percent = percent,
                            .time_ns = rig.job.time_ns};
    error = rig_go(&rig, &load);
    if ((error == 0 || error == -ECANCELED) && rig.bytes > 0)
        report_results(&rig, percent);
    return error;
}

uint64_t storage_size_room(const struct dyno_host *host, struct dyno_run *run)
{
    return host->opt_u64(run, "size");
}
