/* queued: storage.write and storage.read with method=queue: sequential, `depth` requests in flight.
 */
#include "tests.h"

#include "rig.h"

#include <common/cleanup.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>

/* Blocks in flight end where a block ends. */
static void cut_to_blocks(struct job *job)
{
    job->total -= job->total % job->bs;
}

static int begin(struct rig *rig, const struct dyno_host *host, struct dyno_run *run,
                 const struct method *methods, bool is_write)
{
    char why[JOB_WHY_MAX];
    int error = job_parse(host, run, methods, &rig->job, why);
    if (error < 0) {
        host->explain(run, why);
        return error;
    }
    cut_to_blocks(&rig->job);
    rig_begin(rig, host, run);
    report_plan(&rig->report, is_write);
    return 0;
}

static void report_results(struct rig *rig, uint64_t open_ns, bool is_write)
{
    const struct report *report = &rig->report;
    const struct dyno_host *host = report->host;
    report_times(report, rig->bytes, &rig->lap, &rig->lap, open_ns, false);
    host->result(report->run, METRIC_IOPS, DYNO_LANE_ALL, rig_iops(rig));
    report_latency(report, &rig->latency);
    report_cpu(report, &rig->lap, &rig->meter);
    if (is_write)
        host->result(report->run, METRIC_SYNC_TIME, DYNO_LANE_ALL, lap_seconds(rig->sync_ns));
}

static struct rig_load load_of(const struct job *job, bool is_write)
{
    return (struct rig_load){.phase = is_write ? "write" : "read",
                             .bs = job->bs,
                             .depth = job->depth,
                             .write_percent = is_write ? 100 : 0,
                             .limit_bytes = job->total,
                             .time_ns = job->time_ns,
                             .has_progress = true};
}

/* Writes that lengthen a file wait for each other, so its length is given first: by fallocate, else
 * by writing it (FAT has no holes either: a block ahead would fill the gap with zeros). */
static int give_length(struct rig *rig)
{
    int error = 0;
    uint64_t part = rig->job.part_bytes ? rig->job.part_bytes : rig->job.total;
    for (unsigned i = 0; error == 0 && i < rig->file.count; i++) {
        uint64_t left = rig->job.total - i * part;
        off_t length = (off_t)(left < part ? left : part);
        error = fallocate(rig->file.files[i].fd, 0, 0, length) < 0 ? -errno : 0;
    }
    if (error == 0)
        return 0;
    if (error == -ENOSPC || error == -EDQUOT)
        return report_fault(&rig->report, "fallocate", error, 0, rig->job.total, &rig->meter.leaf);
    return rig_lay_out(rig);
}

/* A file that could not be filled is of no use to anyone, and holds all its room. */
static int write_all(struct rig *rig)
{
    struct rig_load load = load_of(&rig->job, true);
    int error = rig_create(rig);
    if (error == 0)
        error = give_length(rig);
    if (error == 0)
        error = rig_go(rig, &load);
    if (error < 0 && error != -ECANCELED)
        parts_discard(&rig->file);
    return error;
}

int storage_queued_write(const struct dyno_host *host, struct dyno_run *run)
{
    AUTO(rig_end) struct rig rig = {.bytes = 0};
    int error = begin(&rig, host, run, write_methods, true);
    if (error == 0)
        error = write_all(&rig);
    if (error < 0 && (error != -ECANCELED || rig.lap.wall_ns == 0))
        return error;
    /* Its length was given before: these writes do not lengthen it. */
    rig_report_direct(&rig, &rig.file, false);
    uint64_t open_ns = parts_open_ns(&rig.file);
    int closed = parts_close(&rig.file);
    if (closed < 0)
        return report_fault(&rig.report, "close", closed, rig.bytes, rig.job.total,
                            &rig.meter.leaf);
    if (rig.bytes > 0)
        report_results(&rig, open_ns, true);
    return error;
}

/* A given file, or the whole device: never written. */
static int open_given(struct rig *rig)
{
    const struct report *report = &rig->report;
    char why[SCRATCH_WHY_MAX];
    bool is_raw = rig->job.raw_fd >= 0;
    struct scratch_request request = job_scratch(&rig->job);
    request.is_direct = true;
    int error =
        is_raw ? parts_adopt(&rig->file, rig->job.raw_fd) : parts_open(&rig->file, &request, why);
    if (error < 0 && !is_raw)
        report->host->explain(report->run, why);
    if (error < 0)
        return error;
    uint64_t size = parts_bytes(&rig->file);
    bool has_parts = rig->file.count > 1;
    rig->job.part_bytes = has_parts ? rig->file.part_bytes : 0;
    if (has_parts && rig->file.part_bytes % rig->job.bs != 0) {
        report->host->explain(report->run, "the file is in several parts, and a block of this bs "
                                           "would lie in two of them: choose another bs");
        return -EINVAL;
    }
    if (size < rig->job.total)
        rig->job.total = size;
    cut_to_blocks(&rig->job);
    if (rig->job.total == 0) {
        report->host->explain(report->run, "there is less than one block of bs to read");
        return -ENODATA;
    }
    error = rig_choose_engine(rig);
    if (error == 0 && !is_raw)
        (void)parts_drop(&rig->file); /* what stays in RAM, the disk's counter tells */
    return error;
}

static void report_cached(struct rig *rig)
{
    const struct report *report = &rig->report;
    if (rig->meter.leaf.count == 0)
        return;
    double cached = 1.0 - (double)meter_device(&rig->meter).read_bytes / (double)rig->bytes;
    report->host->result(report->run, METRIC_CACHED, DYNO_LANE_ALL, cached < 0.0 ? 0.0 : cached);
    report->host->fact(report->run, "cached-by", "the disk's own counter");
}

int storage_queued_read(const struct dyno_host *host, struct dyno_run *run)
{
    AUTO(rig_end) struct rig rig = {.bytes = 0};
    int error = begin(&rig, host, run, read_methods, false);
    if (error < 0)
        return error;
    bool is_own = rig.job.raw_fd < 0 && !rig.job.file[0];
    error = is_own ? rig_create(&rig) : open_given(&rig);
    if (error == 0 && is_own)
        error = rig_lay_out(&rig);
    if (error < 0)
        return error;
    struct rig_load load = load_of(&rig.job, false);
    error = rig_go(&rig, &load);
    if ((error < 0 && error != -ECANCELED) || rig.bytes == 0)
        return error;
    rig_report_direct(&rig, &rig.file, false);
    report_results(&rig, parts_open_ns(&rig.file), false);
    report_cached(&rig);
    return error;
}
