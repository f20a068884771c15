/* storage.verify: fills free space with sectors that know their place, and reads them back from the
 * device: finds a false capacity, and data that did not stay as it was. */
#include "verify.h"

#include "cache.h"
#include "rig.h"
#include "sectors.h"
#include "tests.h"

#include <common/cleanup.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>
#include <sys/resource.h>

#define FILE_BYTES (1ull << 30) /* FAT takes less than 4 GiB; a break costs one file at most */
#define FILES_MOST 65536u
#define SPARE_FDS 64u

struct verifier {   /* one run */
    struct rig rig; /* without its queue: dd's way, one block at a time */
    struct sectors sectors;
    struct scratch *files;
    unsigned file_count;
    unsigned char *buffer;
    uint64_t checked, write_ns;
};

static void verifier_done(struct verifier *v)
{
    for (unsigned i = 0; i < v->file_count; i++)
        (void)scratch_close(&v->files[i]);
    free(v->files);
    free(v->buffer);
    sectors_done(&v->sectors);
    rig_end(&v->rig);
}

/* Nameless files live as long as their descriptors: their number is what bounds the data. */
static uint64_t files_allowed(void)
{
    struct rlimit limit;
    if (getrlimit(RLIMIT_NOFILE, &limit) < 0)
        return 1;
    limit.rlim_cur = limit.rlim_max;
    (void)setrlimit(RLIMIT_NOFILE, &limit);
    if (getrlimit(RLIMIT_NOFILE, &limit) < 0 || limit.rlim_cur <= SPARE_FDS)
        return 1;
    uint64_t allowed = (uint64_t)limit.rlim_cur - SPARE_FDS;
    return allowed < FILES_MOST ? allowed : FILES_MOST;
}

/* The size asked for, or the share of what is free beyond the guard's reserve. */
static int decide_size(struct verifier *v)
{
    const struct report *report = &v->rig.report;
    struct job *job = &v->rig.job;
    uint64_t size = report->host->opt_u64(report->run, "size");
    uint64_t share = report->host->opt_u64(report->run, "share");
    uint64_t room = job->target->free_bytes, most = files_allowed() * FILE_BYTES;
    job->total = size ? size : room / 100 * (share < 100 ? share : 100);
    if (job->total > most)
        job->total = most;
    job->total -= job->total % SECTORS_BLOCK;
    char why[160];
    if (job->total > room || job->total == 0) {
        snprintf(why, sizeof why,
                 "%s has room for %" PRIu64 " bytes beyond the reserve: too little to verify",
                 job->target->path, room);
        report->host->explain(report->run, why);
        return -ENOSPC;
    }
    v->files = calloc((size_t)((job->total + FILE_BYTES - 1) / FILE_BYTES), sizeof *v->files);
    if (!v->files || posix_memalign((void **)&v->buffer, 4096, SECTORS_BLOCK))
        return -ENOMEM;
    return 0;
}

static uint64_t file_end(const struct verifier *v, unsigned number)
{
    uint64_t end = (number + 1) * FILE_BYTES;
    return end < v->rig.job.total ? end : v->rig.job.total;
}

static int add_file(struct verifier *v)
{
    const struct report *report = &v->rig.report;
    struct scratch_request request = job_scratch(&v->rig.job);
    char why[SCRATCH_WHY_MAX];
    request.is_direct = true;
    request.number = v->file_count;
    request.planned_bytes = FILE_BYTES;
    int error = scratch_create(&v->files[v->file_count], &request, why);
    if (error < 0) {
        report->host->explain(report->run, why);
        return error;
    }
    v->file_count++;
    return 0;
}

static int fail(struct verifier *v, const char *doing, int error, uint64_t done)
{
    return report_fault(&v->rig.report, doing, error, done, v->rig.job.total, &v->rig.meter.leaf);
}

static int write_block(const struct scratch *file, const unsigned char *block)
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

/* One file, from where the one before ended; flushed, and out of RAM. */
static int write_file(struct verifier *v, struct scratch *file, uint64_t *io_at, uint64_t end)
{
    struct meter *meter = &v->rig.meter;
    while (*io_at < end) {
        int error = write_block(file, sectors_block(&v->sectors, *io_at));
        if (error < 0)
            return fail(v, "write", error, *io_at);
        *io_at += SECTORS_BLOCK;
        meter_publish(meter, *io_at, *io_at / SECTORS_BLOCK);
        if (sampler_cancelled(&meter->sampler))
            return -ECANCELED;
    }
    int error = cache_drop(file->fd);
    return error < 0 ? fail(v, "fsync", error, *io_at) : 0;
}

static int write_all(struct verifier *v)
{
    const struct report *report = &v->rig.report;
    uint64_t at = 0;
    report_sweep(report);
    int error = add_file(v); /* a refusal comes before the first phase */
    if (error < 0)
        return error;
    report->host->phase(report->run, "write");
    error = meter_start(&v->rig.meter, report->host, report->run, METRIC_WRITTEN, false,
                        v->rig.job.total);
    uint64_t t0 = lap_now_ns();
    for (unsigned i = 0; error == 0 && at < v->rig.job.total; i++) {
        if (i == v->file_count)
            error = add_file(v);
        if (error == 0)
            error = write_file(v, &v->files[i], &at, file_end(v, i));
    }
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

static void tell_first(struct verifier *v)
{
    const struct report *report = &v->rig.report;
    char text[SECTORS_WHY_MAX];
    sectors_explain(&v->sectors, v->checked, text);
    report->host->event(report->run, "fake-capacity", text);
}

static int read_file(struct verifier *v, struct scratch *file, uint64_t end)
{
    struct meter *meter = &v->rig.meter;
    if (lseek(file->fd, 0, SEEK_SET) < 0)
        return -errno;
    int error = cache_drop(file->fd); /* again: pages may have been on their way the first time */
    while (error == 0 && v->checked < end) {
        error = read_block(file, v->buffer);
        if (error < 0)
            break;
        uint64_t before = v->sectors.wrong;
        uint64_t wrong = sectors_check(&v->sectors, v->buffer, SECTORS_BLOCK, v->checked);
        v->checked += SECTORS_BLOCK;
        if (wrong > 0 && before == 0)
            tell_first(v);
        meter_publish(meter, v->checked, v->checked / SECTORS_BLOCK);
        if (sampler_cancelled(&meter->sampler) && v->checked < v->rig.job.total)
            return -ECANCELED;
    }
    return error < 0 ? fail(v, "read", error, v->checked) : 0;
}

static int read_all(struct verifier *v)
{
    const struct report *report = &v->rig.report;
    report->host->phase(report->run, "read");
    int error =
        meter_start(&v->rig.meter, report->host, report->run, METRIC_MOVED, true, v->rig.job.total);
    lap_begin(&v->rig.lap);
    for (unsigned i = 0; error == 0 && i < v->file_count; i++)
        error = read_file(v, &v->files[i], file_end(v, i));
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

static void report_results(struct verifier *v)
{
    const struct report *report = &v->rig.report;
    const struct dyno_host *host = report->host;
    struct dyno_run *run = report->run;
    double written = (double)v->rig.job.total, seconds = lap_seconds(v->rig.lap.wall_ns);
    double right = (double)(v->checked - v->sectors.wrong * SECTOR_BYTES);
    host->result(run, METRIC_VERIFIED, DYNO_LANE_ALL, right);
    host->result(run, METRIC_WRONG_SECTORS, DYNO_LANE_ALL, (double)v->sectors.wrong);
    if (v->sectors.wrong > 0)
        host->result(run, METRIC_FIRST_WRONG, DYNO_LANE_ALL, (double)v->sectors.first_offset);
    if (v->write_ns > 0)
        host->result(run, METRIC_WRITE_RATE, DYNO_LANE_ALL, written / lap_seconds(v->write_ns));
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
    uint64_t seed = 0;
    if (getrandom(&seed, sizeof seed, GRND_NONBLOCK) < 0)
        seed = lap_now_ns();
    int error = decide_size(v);
    return error < 0 ? error : sectors_make(&v->sectors, seed);
}

int storage_verify(const struct dyno_host *host, struct dyno_run *run)
{
    AUTO(verifier_done) struct verifier v = {.rig.file.fd = -1};
    int error = begin(&v, host, run);
    if (error == 0)
        error = write_all(&v);
    if (error < 0)
        return error;
    rig_report_direct(&v.rig, &v.files[0], true);
    error = read_all(&v);
    if (error < 0 && error != -ECANCELED)
        return error;
    report_results(&v);
    if (v.sectors.wrong == 0)
        return error;
    char text[SECTORS_WHY_MAX];
    sectors_explain(&v.sectors, v.checked, text);
    host->explain(run, text);
    return error < 0 ? error : -EBADMSG;
}
