/* storage.write: dd's write, system call for system call, on a fresh file. */
#include "tests.h"

#include "report.h"

#include <common/cleanup.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define DIRTY_NOTE_BYTES (8ull << 20)

struct writer { /* one run */
    struct report report;
    struct job job;
    struct parts parts;
    struct pattern pattern;
    struct meter meter;
    struct stream stream;
    struct lap dd, real; /* dd's own clock, and through the sync after it */
    uint64_t sync_ns;
    int alignment;
    const char *doing; /* the call that failed */
};

static void writer_done(struct writer *w)
{
    (void)parts_close(&w->parts);
    meter_close(&w->meter);
    pattern_done(&w->pattern);
}

/* Dirty bytes of the whole machine: sync() will write them too, inside our time. */
static void note_dirty(const struct writer *w)
{
    FILE *meminfo = fopen("/proc/meminfo", "re");
    char line[128];
    unsigned long long kib = 0;
    while (meminfo && fgets(line, sizeof line, meminfo))
        if (sscanf(line, "Dirty: %llu kB", &kib) == 1)
            break;
    if (meminfo)
        fclose(meminfo);
    if (kib * 1024 <= DIRTY_NOTE_BYTES)
        return;
    char text[128];
    snprintf(text, sizeof text, "%llu MB of other data waited in RAM; sync writes them as well",
             kib * 1024 / 1000000);
    w->report.host->fact(w->report.run, "dirty-before", text);
}

/* One call that waits for the device, its time added to sync_time. */
static int flush(struct writer *w, const char *phase, int (*call)(struct parts *))
{
    if (sampler_cancelled(&w->meter.sampler))
        return -ECANCELED;
    w->doing = phase;
    atomic_store_explicit(&w->meter.is_flushing, true, memory_order_relaxed);
    w->report.host->phase(w->report.run, phase);
    uint64_t t0 = lap_now_ns();
    int error = call(&w->parts);
    w->sync_ns += lap_now_ns() - t0;
    return error;
}

static int sync_all(struct parts *parts)
{
    (void)parts;
    sync();
    return 0;
}

/* dd's own rule too: behind a last block that went through the cache it calls fsync. */
static bool needs_fsync(const struct writer *w)
{
    return w->job.method->fsyncs || parts_was_refused(&w->parts) || w->stream.ended_buffered;
}

/* Everything that has a clock. */
static int transfer(struct writer *w)
{
    const struct method *method = w->job.method;
    w->doing = "write";
    w->report.host->phase(w->report.run, "write");
    lap_begin(&w->real);
    w->dd = w->real;
    int error = stream_write(&w->stream);
    if (error == 0 && method->fdatasyncs)
        error = flush(w, "fsync", parts_fdatasync);
    else if (error == 0 && needs_fsync(w))
        error = flush(w, "fsync", parts_fsync);
    lap_end(&w->dd);
    /* `dd && sync`: sync reports no error, so the file's own fsync goes first. */
    if (error == 0 && method->syncs)
        error = flush(w, "fsync", parts_fsync);
    if (error == 0 && method->syncs)
        error = flush(w, "sync", sync_all);
    lap_end(&w->real);
    return error;
}

/* A direct write flushes nothing and so never hears of an error behind it: ask, outside the time.
 */
static int check_after(struct writer *w)
{
    const struct report *report = &w->report;
    if (!w->job.method->is_direct || needs_fsync(w))
        return 0;
    w->doing = "fsync after the time";
    report->host->phase(report->run, "check");
    int error = meter_start(&w->meter, report->host, report->run, METRIC_MOVED, false, 0);
    if (error < 0)
        return error;
    uint64_t t0 = lap_now_ns();
    error = parts_fsync(&w->parts);
    uint64_t took_ns = lap_now_ns() - t0;
    meter_stop(&w->meter);
    char text[128];
    snprintf(text, sizeof text, "fsync after the time reported no error and took %.3f s",
             lap_seconds(took_ns));
    if (error == 0)
        report->host->fact(report->run, "check", text);
    return error;
}

static int prepare(struct writer *w)
{
    const struct report *report = &w->report;
    char why[SCRATCH_WHY_MAX];
    struct scratch_request request = job_scratch(&w->job);
    request.is_direct = w->job.method->is_direct;
    report_sweep(report);
    if (pattern_make(&w->pattern, w->job.bs, w->job.is_random) < 0) {
        report->host->explain(report->run, "not enough memory for one block: choose a smaller bs");
        return -ENOMEM;
    }
    int error = parts_create(&w->parts, &request, why);
    if (error < 0) {
        report->host->explain(report->run, why);
        return error;
    }
    uint32_t align;
    w->alignment = direct_alignment(w->parts.files[0].fd, &align);
    w->stream = (struct stream){.file = &w->parts,
                                .pattern = &w->pattern,
                                .meter = &w->meter,
                                .bs = w->job.bs,
                                .total = w->job.total};
    report_place(report);
    report_plan(report, true);
    if (w->job.method->syncs)
        note_dirty(w);
    return 0;
}

/* What of a cancelled run may be called written: with a device to ask, what reached it. */
static uint64_t reached_bytes(const struct writer *w)
{
    uint64_t device = meter_device(&w->meter).written_bytes;
    bool is_buffered = !parts_is_direct(&w->parts) && w->meter.leaf.count > 0;
    if (!is_buffered || device >= w->stream.done)
        return w->stream.done;
    char text[160];
    snprintf(
        text, sizeof text,
        "cancelled: the rate counts the %llu bytes that reached the device, not the %llu in RAM",
        (unsigned long long)device, (unsigned long long)(w->stream.done - device));
    w->report.host->fact(w->report.run, "partial", text);
    return device;
}

static int fail(struct writer *w, int error)
{
    parts_discard(&w->parts); /* a file that did not reach the device is of no use to anyone */
    return report_fault(&w->report, w->doing, error, w->stream.done, w->job.total, &w->meter.leaf);
}

int storage_write(const struct dyno_host *host, struct dyno_run *run)
{
    if (strcmp(host->opt_str(run, "method"), "queue") == 0)
        return storage_queued_write(host, run);
    AUTO(writer_done) struct writer w = {.alignment = -1};
    char why[JOB_WHY_MAX];
    int error = job_parse(host, run, write_methods, &w.job, why);
    if (error < 0) {
        host->explain(run, why);
        return error;
    }
    w.report = (struct report){.host = host, .run = run, .job = &w.job};
    meter_open(&w.meter, w.job.target);
    w.meter.watches_stalls = w.job.method->is_direct;
    error = prepare(&w);
    if (error < 0)
        return error;
    error = meter_start(&w.meter, host, run, METRIC_MOVED, false, w.job.total);
    if (error < 0)
        return error;
    error = transfer(&w);
    meter_stop(&w.meter);
    if (error < 0 && error != -ECANCELED)
        return fail(&w, error);
    report_watched_stalls(&w.report, &w.meter);
    bool is_cancelled = error == -ECANCELED;
    uint64_t bytes = is_cancelled ? reached_bytes(&w) : w.stream.done;
    if (w.job.method->is_direct)
        stream_probe(&w.stream);
    report_direct(&w.report, &w.parts, &w.stream, w.alignment, true);
    uint64_t open_ns = parts_open_ns(&w.parts);
    error = is_cancelled ? 0 : check_after(&w);
    if (error < 0)
        return fail(&w, error);
    w.doing = "close";
    error = parts_close(&w.parts);
    if (error < 0)
        return fail(&w, error);
    report_times(&w.report, bytes, &w.dd, &w.real, open_ns, w.job.method->syncs);
    report_cpu(&w.report, &w.real, &w.meter);
    if (w.sync_ns > 0)
        host->result(run, METRIC_SYNC_TIME, DYNO_LANE_ALL, lap_seconds(w.sync_ns));
    return is_cancelled ? -ECANCELED : 0;
}

uint64_t storage_write_room(const struct dyno_host *host, struct dyno_run *run)
{
    return job_total(host, run);
}
