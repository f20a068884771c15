#include "report.h"

#include "ddline.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/statvfs.h>

#define CPU_LEAST_NS (NS_PER_S / 20)

static void fact(const struct report *report, const char *key, const char *text)
{
    report->host->fact(report->run, key, text);
}

static void result(const struct report *report, unsigned metric, double value)
{
    report->host->result(report->run, metric, DYNO_LANE_ALL, value);
}

void report_split(const struct report *report)
{
    const struct job *job = report->job;
    char text[PARTS_TEXT_MAX];
    if (!job->part_bytes)
        return;
    parts_explain(job->total, job->part_bytes, job->target->filesystem, job->target->max_file_bytes,
                  text);
    fact(report, "split", text);
}

void report_place(const struct report *report)
{
    const struct job *job = report->job;
    if (job->target->filesystem && job->target->filesystem[0])
        fact(report, "file-system", job->target->filesystem);
}

void report_plan(const struct report *report, bool is_write)
{
    const struct job *job = report->job;
    char command[JOB_COMMAND_MAX];
    job_command(job, is_write, command);
    if (!job->method->is_queued)
        fact(report, "engine", "plain");
    fact(report, "method", job->method->name);
    fact(report, "by-hand", command);
    report_split(report);
    bool is_cut = job->method->is_direct && !job->method->fsyncs && job->total % job->bs != 0;
    if (is_write)
        fact(report, "flush",
             is_cut ? "flushed within the time, as dd does behind a last block shorter than bs"
                    : job->method->flush);
}

void report_sweep(const struct report *report)
{
    struct scratch_request request = job_scratch(report->job);
    uint64_t bytes;
    unsigned count = scratch_sweep(request.dirfd, request.filesystem, &bytes);
    if (count)
        report->host->log(report->run, DYNO_INFO,
                          "removed %u left-over file(s) of interrupted runs, %" PRIu64 " bytes",
                          count, bytes);
}

/* dd would have to be called once for each file: its line is of them all. */
static void tell_ddline(const struct report *report, uint64_t bytes, uint64_t wall_ns)
{
    struct ddline line = ddline_make(bytes, wall_ns);
    unsigned files = parts_count(bytes, report->job->part_bytes);
    char text[sizeof line.text + 32];
    snprintf(text, sizeof text, files > 1 ? "%s, in %u files" : "%s", line.text, files);
    fact(report, "dd-line", text);
}

void report_times(const struct report *report, uint64_t bytes, const struct lap *dd,
                  const struct lap *real, uint64_t open_ns, bool is_real)
{
    uint64_t real_ns = real->wall_ns + open_ns;
    uint64_t headline_ns = is_real ? real_ns : dd->wall_ns;
    if (headline_ns > 0)
        result(report, METRIC_RATE, (double)bytes / lap_seconds(headline_ns));
    result(report, METRIC_TRANSFER_TIME, lap_seconds(dd->wall_ns));
    result(report, METRIC_REAL_TIME, lap_seconds(real_ns));
    if (!report->job->method->is_queued)
        tell_ddline(report, bytes, dd->wall_ns);
    fact(report, "real-line", ddline_real(real_ns, real->user_ns, real->sys_ns).text);
}

void report_watched_stalls(const struct report *report, const struct meter *meter)
{
    if (!meter->watches_stalls)
        return;
    result(report, METRIC_STALLS, (double)meter->watch.stalls);
    if (meter->watch.stalls == 0)
        return;
    result(report, METRIC_LATENCY_MAX, lap_seconds(meter->watch.longest_ns));
    fact(report, "stalls-by", "watched every 0.1 s: the longest is known to 0.1 s");
}

void report_cpu(const struct report *report, const struct lap *lap, const struct meter *meter)
{
    double kernel = meter_kernel_share(meter);
    if (lap->wall_ns < CPU_LEAST_NS)
        return;
    result(report, METRIC_CPU_SHARE, (double)(lap->user_ns + lap->sys_ns) / (double)lap->wall_ns);
    if (kernel >= 0)
        result(report, METRIC_KERNEL_SHARE, kernel);
}

void report_latency(const struct report *report, const struct latency *latency)
{
    static const struct {
        unsigned metric;
        double share;
    } rows[] = {{METRIC_LATENCY_P50, 0.5},
                {METRIC_LATENCY_P95, 0.95},
                {METRIC_LATENCY_P99, 0.99},
                {METRIC_LATENCY_P999, 0.999}};
    if (latency_count(latency) == 0)
        return;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        result(report, rows[i].metric, lap_seconds(latency_at(latency, rows[i].share)));
    result(report, METRIC_LATENCY_MAX, lap_seconds(atomic_load(&latency->most_ns)));
    result(report, METRIC_STALLS, (double)atomic_load(&latency->stalls));
}

void report_direct(const struct report *report, const struct parts *parts,
                   const struct stream *stream, int alignment, bool is_write)
{
    if (!report->job->method->is_direct)
        return;
    struct direct_evidence evidence = {.filesystem = report->job->target->filesystem,
                                       .is_write = is_write,
                                       .was_refused = parts_was_refused(parts),
                                       .alignment = alignment,
                                       .is_cache_known = stream->is_cache_known,
                                       .probed_bytes = stream->probed_bytes,
                                       .cached_bytes = stream->cached_bytes};
    struct direct_answer answer =
        report->job->raw_fd >= 0
            ? direct_judge_raw(direct_is_ram_loop(report->job->target->leaf_stat))
            : direct_judge(&evidence);
    fact(report, "o_direct", direct_word(answer.verdict));
    fact(report, "o_direct-why", answer.why);
}

int report_fault(const struct report *report, const char *doing, int error, uint64_t done,
                 uint64_t total, struct leafstat *leaf)
{
    if (error == -ECANCELED)
        return error;
    (void)leafstat_read(leaf); /* learns whether the disk is still there */
    struct fault fault = {.doing = doing,
                          .place = report->job->target->path,
                          .error = error,
                          .done = done,
                          .total = total,
                          .is_disk_gone = leaf->is_gone};
    struct statvfs room;
    if (fstatvfs(report->job->target->scratch_dirfd, &room) == 0) {
        fault.is_read_only = (room.f_flag & ST_RDONLY) != 0;
        fault.room_bytes = error == -ENOSPC ? (uint64_t)room.f_bavail * room.f_frsize : 0;
    }
    char sentence[512];
    error = fault_explain(&fault, sentence, sizeof sentence);
    report->host->explain(report->run, sentence);
    return error;
}

void report_share(const struct report *report, const char *key, uint64_t part, uint64_t whole,
                  const char *of_what)
{
    char text[160];
    double percent = whole ? 100.0 * (double)part / (double)whole : 0.0;
    snprintf(text, sizeof text, "%.1f %% %s", percent > 100.0 ? 100.0 : percent, of_what);
    fact(report, key, text);
}
