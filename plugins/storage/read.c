/* storage.read: dd's read, from the device (direct, cold) or as often published (maybe from RAM).
 */
#include "tests.h"

#include "report.h"

#include <common/cleanup.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define DROP_TRIES 2 /* pages still on their way to the LRU lists survive the first */

struct reader { /* one run */
    struct report report;
    struct job job;
    struct parts parts;
    struct pattern pattern;
    struct meter meter;
    struct stream stream;
    struct lap lap;
    uint64_t resident_bytes; /* of the file, in RAM before the clock */
    uint64_t probe_resident; /* of its first DIRECT_PROBE_AT bytes */
    bool is_resident_known;
    int alignment;
    const char *doing;
};

static void reader_done(struct reader *r)
{
    (void)parts_close(&r->parts);
    meter_close(&r->meter);
    pattern_done(&r->pattern);
}

static int create_own(struct reader *r)
{
    const struct report *report = &r->report;
    struct scratch_request request = job_scratch(&r->job);
    char why[SCRATCH_WHY_MAX];
    report_sweep(report);
    int error = parts_create(&r->parts, &request, why);
    if (error < 0)
        report->host->explain(report->run, why);
    return error;
}

/* The run's own file: written and fsynced in the phase `prepare`, not in the rate. */
static int write_own(struct reader *r)
{
    const struct report *report = &r->report;
    struct pattern source = {.bytes = NULL};
    int error = pattern_make(&source, r->job.bs, r->job.is_random);
    if (error < 0)
        return error;
    struct stream writing = {.file = &r->parts,
                             .pattern = &source,
                             .meter = &r->meter,
                             .bs = r->job.bs,
                             .total = r->job.total};
    error = meter_start(&r->meter, report->host, report->run, METRIC_PREPARED, false, r->job.total);
    r->doing = "write of the file to be read";
    if (error == 0)
        error = stream_write(&writing);
    atomic_store_explicit(&r->meter.is_flushing, true, memory_order_relaxed);
    if (error == 0)
        error = parts_fsync(&r->parts);
    meter_stop(&r->meter);
    pattern_done(&source);
    r->stream.done = writing.done; /* for the sentence of an error */
    if (error < 0)
        return report_fault(report, r->doing, error, writing.done, r->job.total, &r->meter.leaf);
    return parts_rewind(&r->parts);
}

static int open_given(struct reader *r)
{
    const struct report *report = &r->report;
    struct scratch_request request = job_scratch(&r->job);
    char why[SCRATCH_WHY_MAX];
    int error = parts_open(&r->parts, &request, why);
    if (error < 0) {
        report->host->explain(report->run, why);
        return error;
    }
    uint64_t size = parts_bytes(&r->parts);
    r->job.part_bytes = r->parts.count > 1 ? r->parts.part_bytes : 0;
    if (size == 0) {
        report->host->explain(report->run, "the file is empty: there is nothing to read");
        return -ENODATA;
    }
    if (size < r->job.total)
        r->job.total = size;
    return 0;
}

/* The whole device, opened by the host. */
static int open_raw(struct reader *r)
{
    const struct report *report = &r->report;
    int error = parts_adopt(&r->parts, r->job.raw_fd);
    if (error < 0)
        return error;
    uint64_t size = parts_bytes(&r->parts);
    r->job.part_bytes = r->parts.count > 1 ? r->parts.part_bytes : 0;
    if (size == 0) {
        report->host->explain(report->run, "the device has no size: is there a medium in it?");
        return -ENOMEDIUM;
    }
    if (size < r->job.total)
        r->job.total = size;
    uint32_t align;
    r->alignment = direct_alignment(r->parts.files[0].fd, &align);
    return 0;
}

static void look_into_cache(struct reader *r)
{
    uint64_t probe = r->job.total < DIRECT_PROBE_AT ? r->job.total : DIRECT_PROBE_AT;
    r->is_resident_known = parts_resident(&r->parts, r->job.total, &r->resident_bytes) == 0 &&
                           parts_resident(&r->parts, probe, &r->probe_resident) == 0;
}

static int prepare(struct reader *r)
{
    const struct report *report = &r->report;
    if (pattern_make(&r->pattern, r->job.bs, 0) < 0) {
        report->host->explain(report->run, "not enough memory for one block: choose a smaller bs");
        return -ENOMEM;
    }
    if (r->job.raw_fd >= 0)
        return open_raw(r);
    bool is_given = r->job.file[0] != '\0';
    int error = is_given ? open_given(r) : create_own(r);
    if (error < 0) /* a refusal comes before the first phase */
        return error;
    report->host->phase(report->run, "prepare");
    error = is_given ? 0 : write_own(r);
    if (error < 0)
        return error;
    look_into_cache(r);
    bool is_direct_set = r->job.method->is_direct && parts_set_direct(&r->parts, true) == 0;
    bool drops = r->job.method->drops_cache;
    for (int i = 0; drops && i < DROP_TRIES && (i == 0 || r->resident_bytes > 0); i++) {
        r->doing = "fsync before the read";
        error = parts_drop(&r->parts);
        if (error < 0)
            return report_fault(report, r->doing, error, 0, r->job.total, &r->meter.leaf);
        look_into_cache(r);
    }
    if (r->is_resident_known)
        report_share(report, "in-ram-before", r->resident_bytes, r->job.total,
                     "of the file lay in RAM before the read");
    else
        report->host->fact(report->run, "in-ram-before", "unknown: the kernel does not tell");
    uint32_t align;
    r->alignment = is_direct_set ? direct_alignment(r->parts.files[0].fd, &align) : 0;
    return 0;
}

/* Bytes this process made the storage deliver: what to fall back on where no disk can be asked. */
static int own_read_bytes(uint64_t *ret_bytes)
{
    FILE *io = fopen("/proc/self/io", "re");
    char line[128];
    unsigned long long bytes;
    int error = -ENOENT;
    while (io && error < 0 && fgets(line, sizeof line, io))
        if (sscanf(line, "read_bytes: %llu", &bytes) == 1)
            error = 0;
    if (io)
        fclose(io);
    if (error == 0)
        *ret_bytes = bytes;
    return error;
}

static void report_cached(const struct reader *r, uint64_t own_bytes, bool is_own_known)
{
    uint64_t device = own_bytes;
    if (r->meter.leaf.count > 0)
        device = meter_device(&r->meter).read_bytes;
    else if (!is_own_known)
        return;
    double cached = 1.0 - (double)device / (double)r->stream.done;
    r->report.host->result(r->report.run, METRIC_CACHED, DYNO_LANE_ALL,
                           cached < 0.0 ? 0.0 : cached);
    r->report.host->fact(r->report.run, "cached-by",
                         r->meter.leaf.count > 0 ? "the disk's own counter"
                                                 : "the bytes the kernel fetched for this process");
}

static int transfer(struct reader *r)
{
    const struct report *report = &r->report;
    uint64_t own_before = 0, own_after = 0;
    r->stream = (struct stream){.file = &r->parts,
                                .pattern = &r->pattern,
                                .meter = &r->meter,
                                .bs = r->job.bs,
                                .total = r->job.total};
    r->meter.watches_stalls = r->job.method->is_direct;
    bool is_own_known = own_read_bytes(&own_before) == 0;
    report->host->phase(report->run, "read");
    int error = meter_start(&r->meter, report->host, report->run, METRIC_MOVED, true, r->job.total);
    if (error < 0)
        return error;
    lap_begin(&r->lap);
    error = stream_read(&r->stream);
    lap_end(&r->lap);
    meter_stop(&r->meter);
    is_own_known = is_own_known && own_read_bytes(&own_after) == 0;
    if (error < 0 && error != -ECANCELED)
        return report_fault(report, "read", error, r->stream.done, r->job.total, &r->meter.leaf);
    if (r->stream.done == 0)
        return error == -ECANCELED ? error : -ENODATA;
    stream_probe(&r->stream);
    uint64_t before = r->probe_resident;
    r->stream.is_cache_known = r->stream.is_cache_known && r->is_resident_known;
    r->stream.cached_bytes -= before < r->stream.cached_bytes ? before : r->stream.cached_bytes;
    report_direct(report, &r->parts, &r->stream, r->alignment, false);
    report_times(report, r->stream.done, &r->lap, &r->lap, parts_open_ns(&r->parts), false);
    report_cached(r, own_after - own_before, is_own_known);
    report_watched_stalls(report, &r->meter);
    report_cpu(report, &r->lap, &r->meter);
    return error;
}

int storage_read(const struct dyno_host *host, struct dyno_run *run)
{
    if (strcmp(host->opt_str(run, "method"), "queue") == 0)
        return storage_queued_read(host, run);
    AUTO(reader_done) struct reader r = {.alignment = -1};
    char why[JOB_WHY_MAX];
    int error = job_parse(host, run, read_methods, &r.job, why);
    if (error < 0) {
        host->explain(run, why);
        return error;
    }
    r.report = (struct report){.host = host, .run = run, .job = &r.job};
    meter_open(&r.meter, r.job.target);
    report_place(&r.report);
    report_plan(&r.report, false);
    error = prepare(&r);
    return error < 0 ? error : transfer(&r);
}

uint64_t storage_read_room(const struct dyno_host *host, struct dyno_run *run)
{
    return host->opt_str(run, "file")[0] ? 0 : job_total(host, run);
}
