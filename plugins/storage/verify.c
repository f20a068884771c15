/* storage.verify: fills free space with sectors that know their place, and reads them back from the
 * device: finds a false capacity, and data that did not stay as it was. Broken off, it leaves its
 * files, and another run goes on with them. */
#include "verify.h"

#include "cache.h"
#include "hoard.h"
#include "rig.h"
#include "sectors.h"
#include "tests.h"

#include <common/cleanup.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>

struct verifier {   /* one run */
    struct rig rig; /* without its queue and file: dd's way, one block at a time */
    struct sectors sectors;
    struct hoard hoard;
    unsigned char *buffer;
    uint64_t earlier; /* bytes that a run before this one had written */
    uint64_t checked; /* in the pass that goes on, or the last one */
    uint64_t written, write_ns;
    bool is_kept; /* the files stay, for another run to go on */
};

static void verifier_done(struct verifier *v)
{
    if (v->is_kept)
        (void)hoard_close(&v->hoard);
    else
        hoard_remove(&v->hoard);
    free(v->buffer);
    sectors_done(&v->sectors);
    rig_end(&v->rig);
}

static int explain(struct verifier *v, int error, const char *why)
{
    v->rig.report.host->explain(v->rig.report.run, why);
    return error;
}

static int too_small(struct verifier *v, uint64_t room, const char *what)
{
    char why[256];
    snprintf(why, sizeof why, "%.120s has room for %" PRIu64 " bytes beyond the reserve: %s",
             v->rig.job.target->path, room, what);
    return explain(v, -ENOSPC, why);
}

static uint64_t part_bytes(const struct dyno_target *target)
{
    uint64_t most = target->max_file_bytes ? target->max_file_bytes : HOARD_FILE_BYTES;
    if (most > HOARD_FILE_BYTES)
        most = HOARD_FILE_BYTES;
    return most - most % SECTORS_BLOCK;
}

/* What an earlier run left makes room for this one, which begins anew. */
static uint64_t sweep(struct verifier *v)
{
    const struct report *report = &v->rig.report;
    struct scratch_request request = job_scratch(report->job);
    uint64_t bytes = 0;
    char text[128];
    report_sweep(report);
    unsigned count = hoard_sweep(request.dirfd, request.filesystem, &bytes);
    snprintf(text, sizeof text,
             "%u file(s) of a verify that was broken off, %" PRIu64 " bytes, were removed", count,
             bytes);
    if (count)
        report->host->log(report->run, DYNO_INFO, "%s", text);
    return bytes;
}

/* The size asked for, or the share of what is free beyond the guard's reserve. */
static int begin_anew(struct verifier *v)
{
    const struct report *report = &v->rig.report;
    struct job *job = &v->rig.job;
    struct scratch_request request = job_scratch(job);
    uint64_t size = report->host->opt_u64(report->run, "size");
    uint64_t share = report->host->opt_u64(report->run, "share");
    uint64_t room = job->target->free_bytes + sweep(v), seed = 0;
    uint64_t part = part_bytes(job->target);
    job->total = size ? size : room / 100 * (share < 100 ? share : 100);
    if (part > 0 && job->total / part >= HOARD_FILES_MOST)
        job->total = part * HOARD_FILES_MOST;
    job->total -= job->total % SECTORS_BLOCK;
    if (job->total > room || job->total == 0 || part == 0)
        return too_small(v, room, "too little to verify");
    if (getrandom(&seed, sizeof seed, GRND_NONBLOCK) < 0)
        seed = lap_now_ns();
    hoard_begin(&v->hoard, &request, (uint32_t)(seed & HOARD_ID_MASK), job->total, part);
    return 0;
}

/* What is left of an earlier run, of the size it had. */
static int begin_again(struct verifier *v)
{
    const struct report *report = &v->rig.report;
    struct job *job = &v->rig.job;
    struct hoard *hoard = &v->hoard;
    struct scratch_request request = job_scratch(job);
    uint64_t size = report->host->opt_u64(report->run, "size");
    char why[SCRATCH_WHY_MAX];
    v->is_kept = true; /* until all is done, whatever comes in between */
    int error = hoard_find(hoard, &request, why);
    if (error < 0)
        return explain(v, error, why);
    job->total = hoard->total;
    if (size && size - size % SECTORS_BLOCK != hoard->total) {
        snprintf(why, sizeof why,
                 "the verify to go on with has a size of %" PRIu64 " bytes: leave size= away, or "
                 "start anew without resume",
                 hoard->total);
        return explain(v, -EINVAL, why);
    }
    if (hoard->part_bytes % SECTORS_BLOCK || hoard->total % SECTORS_BLOCK)
        return explain(v, -EBADMSG,
                       "the stamp of the files to go on with is damaged: start anew, "
                       "without resume");
    if (hoard->written > hoard->total)
        hoard->written = hoard->total;
    hoard->written -= hoard->written % SECTORS_BLOCK; /* a block that was cut is written again */
    v->earlier = hoard->written;
    if (hoard->total - hoard->written > job->target->free_bytes)
        return too_small(v, job->target->free_bytes, "too little to go on");
    snprintf(why, sizeof why, "%" PRIu64 " of %" PRIu64 " bytes were written by an earlier run",
             hoard->written, hoard->total);
    report->host->fact(report->run, "resumed", why);
    return 0;
}

/* A run that was broken off leaves its files; one whose device failed gives the room back. */
static int fail(struct verifier *v, const char *doing, int error, uint64_t done)
{
    int code =
        report_fault(&v->rig.report, doing, error, done, v->rig.job.total, &v->rig.meter.leaf);
    v->is_kept = code == -ECANCELED || code == -ENODEV;
    return code;
}

static int write_block(struct scratch *file, const unsigned char *block)
{
    for (size_t at = 0; at < SECTORS_BLOCK;) {
        ssize_t n = write(file->fd, block + at, SECTORS_BLOCK - at);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return n < 0 ? -errno : -ENOSPC;
        at += (size_t)n;
    }
    return 0;
}

/* Flushed, out of RAM, and stamped as whole up to here. */
static int settle(struct verifier *v)
{
    struct hoard *hoard = &v->hoard;
    int error = cache_drop(hoard->file.fd);
    if (error == 0)
        error = hoard_settle(hoard);
    if (error < 0)
        return fail(v, "fsync", error, hoard->written);
    hoard->settled = hoard->written;
    return 0;
}

static int open_at(struct verifier *v, uint64_t offset)
{
    char why[SCRATCH_WHY_MAX];
    int error = hoard_open(&v->hoard, offset, why);
    if (error == -ENODEV || error == -EIO || error == -ENXIO)
        return fail(v, "open", error, offset);
    return error < 0 ? explain(v, error, why) : 0;
}

/* One file, from where the one before ended. */
static int write_file(struct verifier *v)
{
    struct meter *meter = &v->rig.meter;
    struct hoard *hoard = &v->hoard;
    uint64_t end = hoard_file_end(hoard, hoard->written);
    int error = open_at(v, hoard->written);
    bool is_cancelled = false;
    while (error == 0 && !is_cancelled && hoard->written < end) {
        error = write_block(&hoard->file, sectors_block(&v->sectors, hoard->written));
        if (error < 0)
            return fail(v, "write", error, hoard->written);
        hoard->written += SECTORS_BLOCK;
        v->written += SECTORS_BLOCK;
        meter_publish(meter, v->written, v->written / SECTORS_BLOCK);
        is_cancelled = sampler_cancelled(&meter->sampler);
    }
    if (error == 0)
        error = settle(v);
    return error == 0 && is_cancelled ? fail(v, "write", -ECANCELED, hoard->written) : error;
}

static int write_all(struct verifier *v)
{
    const struct report *report = &v->rig.report;
    struct hoard *hoard = &v->hoard;
    int error = open_at(v, hoard->written); /* a refusal comes before the first phase */
    if (error < 0)
        return error;
    report->host->phase(report->run, "write");
    error = meter_start(&v->rig.meter, report->host, report->run, METRIC_WRITTEN, false,
                        hoard->total - hoard->written);
    uint64_t t0 = lap_now_ns();
    while (error == 0 && hoard->written < hoard->total)
        error = write_file(v);
    v->write_ns = lap_now_ns() - t0;
    meter_stop(&v->rig.meter);
    return error;
}

static int read_block(const struct scratch *file, unsigned char *buffer)
{
    for (size_t at = 0; at < SECTORS_BLOCK;) {
        ssize_t n = read(file->fd, buffer + at, SECTORS_BLOCK - at);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return n < 0 ? -errno : -EIO; /* shorter than what was written */
        at += (size_t)n;
    }
    return 0;
}

/* The first difference, by file. */
static void explain_wrong(struct verifier *v, char text[SECTORS_WHY_MAX + STAMP_FILE_MAX])
{
    const struct hoard *hoard = &v->hoard;
    uint64_t at = v->sectors.first_offset;
    char name[STAMP_FILE_MAX + 1], why[SECTORS_WHY_MAX];
    sectors_explain(&v->sectors, v->checked, why);
    hoard_name(hoard, at, name);
    snprintf(text, SECTORS_WHY_MAX + STAMP_FILE_MAX, "%s (in %.60s at byte %" PRIu64 ")", why, name,
             at % hoard->part_bytes);
}

static void tell_first(struct verifier *v)
{
    const struct report *report = &v->rig.report;
    char text[SECTORS_WHY_MAX + STAMP_FILE_MAX];
    explain_wrong(v, text);
    report->host->event(report->run, "fake-capacity", text);
}

/* Behind what had reached the device for certain when the run before was broken off, a difference
 * is what a power cut takes away: that end is written again. */
static int cut(struct verifier *v)
{
    const struct report *report = &v->rig.report;
    struct hoard *hoard = &v->hoard;
    char text[SCRATCH_WHY_MAX];
    uint64_t lost = hoard->written - v->checked;
    int error = hoard_cut(hoard, v->checked, text);
    if (error < 0)
        return explain(v, error, text);
    snprintf(text, sizeof text,
             "the last %" PRIu64 " bytes had not reached the device when the earlier run was "
             "broken off: they are written again",
             lost);
    report->host->fact(report->run, "written-again", text);
    return 0;
}

static int check_block(struct verifier *v, bool *ret_is_cut)
{
    struct hoard *hoard = &v->hoard;
    int error = read_block(&hoard->file, v->buffer);
    if (error < 0)
        return fail(v, "read", error, v->checked);
    struct sectors before = v->sectors;
    uint64_t wrong = sectors_check(&v->sectors, v->buffer, SECTORS_BLOCK, v->checked);
    if (wrong > 0 && v->checked >= hoard->settled) {
        *ret_is_cut = true;
        v->sectors = before;
        return cut(v);
    }
    v->checked += SECTORS_BLOCK;
    if (wrong > 0 && before.wrong == 0)
        tell_first(v);
    return 0;
}

static int read_file(struct verifier *v)
{
    struct meter *meter = &v->rig.meter;
    struct hoard *hoard = &v->hoard;
    uint64_t most = hoard_file_end(hoard, v->checked), end = most;
    bool is_cut = false;
    int error = open_at(v, v->checked);
    if (error == 0) /* pages may have been on their way the first time */
        error = cache_drop(hoard->file.fd);
    if (end > hoard->written)
        end = hoard->written;
    while (error == 0 && !is_cut && v->checked < end) {
        error = check_block(v, &is_cut);
        meter_publish(meter, v->checked, v->checked / SECTORS_BLOCK);
        if (error == 0 && sampler_cancelled(&meter->sampler) && v->checked < v->rig.job.total)
            error = fail(v, "read", -ECANCELED, v->checked);
    }
    return error;
}

/* All that is written, from the beginning. */
static int read_all(struct verifier *v, const char *phase)
{
    const struct report *report = &v->rig.report;
    struct hoard *hoard = &v->hoard;
    v->checked = 0;
    report->host->phase(report->run, phase);
    int error =
        meter_start(&v->rig.meter, report->host, report->run, METRIC_MOVED, true, hoard->written);
    lap_begin(&v->rig.lap);
    while (error == 0 && v->checked < hoard->written)
        error = read_file(v);
    lap_end(&v->rig.lap);
    meter_stop(&v->rig.meter);
    return error;
}

static void report_cached(struct verifier *v)
{
    const struct report *report = &v->rig.report;
    if (v->rig.meter.leaf.count == 0 || v->checked == 0)
        return;
    double read = (double)meter_device(&v->rig.meter).read_bytes;
    double cached = 1.0 - read / (double)v->checked;
    report->host->result(report->run, METRIC_CACHED, DYNO_LANE_ALL, cached < 0.0 ? 0.0 : cached);
}

/* What has not been compared yet, and where it waits. */
static void report_kept(struct verifier *v)
{
    const struct report *report = &v->rig.report;
    const struct hoard *hoard = &v->hoard;
    char text[512];
    report->host->result(report->run, METRIC_REMAINING, DYNO_LANE_ALL,
                         (double)(v->rig.job.total - v->checked));
    if (!v->is_kept || hoard->count == 0)
        return;
    snprintf(text, sizeof text,
             "%u file(s), %" PRIu64 " of %" PRIu64 " bytes, stay in %.200s: go on with --resume; a "
             "verify without it removes them",
             hoard->count, hoard->written, hoard->total, v->rig.job.target->path);
    report->host->fact(report->run, "kept", text);
}

static void report_results(struct verifier *v)
{
    const struct report *report = &v->rig.report;
    const struct dyno_host *host = report->host;
    struct dyno_run *run = report->run;
    double seconds = lap_seconds(v->rig.lap.wall_ns);
    double right = (double)(v->checked - v->sectors.wrong * SECTOR_BYTES);
    report_kept(v);
    if (v->written > 0 && v->write_ns > 0)
        host->result(run, METRIC_WRITE_RATE, DYNO_LANE_ALL,
                     (double)v->written / lap_seconds(v->write_ns));
    if (v->checked == 0)
        return;
    host->result(run, METRIC_VERIFIED, DYNO_LANE_ALL, right);
    host->result(run, METRIC_WRONG_SECTORS, DYNO_LANE_ALL, (double)v->sectors.wrong);
    if (v->sectors.wrong > 0)
        host->result(run, METRIC_FIRST_WRONG, DYNO_LANE_ALL, (double)v->sectors.first_offset);
    if (seconds > 0)
        host->result(run, METRIC_RATE, DYNO_LANE_ALL, (double)v->checked / seconds);
    report_watched_stalls(report, &v->rig.meter);
    report_cpu(report, &v->rig.lap, &v->rig.meter);
    report_cached(v);
}

static int begin(struct verifier *v, const struct dyno_host *host, struct dyno_run *run)
{
    struct job *job = &v->rig.job;
    *job = (struct job){.target = host->target(run),
                        .method = &queue_method,
                        .bs = SECTORS_BLOCK,
                        .file = "",
                        .raw_fd = -1};
    if (job->target->scratch_dirfd < 0) {
        host->explain(run, "there is no mounted filesystem or folder to work in");
        return -ENOTDIR;
    }
    rig_begin(&v->rig, host, run);
    v->rig.meter.watches_stalls = true;
    int error = host->opt_u64(run, "resume") ? begin_again(v) : begin_anew(v);
    if (error == 0 && posix_memalign((void **)&v->buffer, 4096, SECTORS_BLOCK))
        error = -ENOMEM;
    return error < 0 ? error : sectors_make(&v->sectors, v->hoard.id);
}

static void report_direct_of(struct verifier *v)
{
    struct parts parts = {.files = &v->hoard.file, .count = 1};
    if (v->hoard.file.fd >= 0)
        rig_report_direct(&v->rig, &parts, true);
}

/* What there is already, then what is missing, then all of it; without a break in between there is
 * one reading less. */
static int go(struct verifier *v)
{
    struct hoard *hoard = &v->hoard;
    bool is_whole = v->earlier > 0 && v->earlier == hoard->total;
    int error = v->earlier > 0 ? read_all(v, is_whole ? "read" : "check") : 0;
    bool is_done = error == 0 && is_whole && hoard->written == hoard->total;
    if (error < 0 || is_done || v->sectors.wrong > 0)
        return error;
    error = write_all(v);
    if (error < 0)
        return error;
    report_direct_of(v);
    return read_all(v, "read");
}

int storage_verify(const struct dyno_host *host, struct dyno_run *run)
{
    AUTO(verifier_done) struct verifier v = {.hoard.file.fd = -1};
    int error = begin(&v, host, run);
    if (error < 0)
        return error;
    error = go(&v);
    if (error == -ENODEV)
        report_kept(&v);
    if (error < 0 && error != -ECANCELED)
        return error;
    v.is_kept = error == -ECANCELED && v.sectors.wrong == 0;
    report_results(&v);
    if (v.sectors.wrong == 0)
        return error;
    char text[SECTORS_WHY_MAX + STAMP_FILE_MAX];
    explain_wrong(&v, text);
    host->explain(run, text);
    return error < 0 ? error : -EBADMSG;
}

/* What is there already needs no room; the rest of it is looked at by the run itself. */
uint64_t storage_verify_room(const struct dyno_host *host, struct dyno_run *run)
{
    return host->opt_u64(run, "resume") ? 0 : host->opt_u64(run, "size");
}
