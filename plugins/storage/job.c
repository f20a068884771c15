#include "job.h"

#include "parts.h"
#include "queue.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define FLUSH_IN_TIME "flushed to the device within the time"

const struct method write_methods[] = {
    {.name = "dd-fsync", .fsyncs = true, .flags = " conv=fsync", .flush = FLUSH_IN_TIME},
    {.name = "dd-fdatasync",
     .fdatasyncs = true,
     .flags = " conv=fdatasync",
     .flush = FLUSH_IN_TIME},
    {.name = "dd-direct",
     .is_direct = true,
     .flags = " oflag=direct",
     .flush = "no flush: dd-direct does not flush the device cache"},
    {.name = "dd-direct-fsync",
     .is_direct = true,
     .fsyncs = true,
     .flags = " oflag=direct conv=fsync",
     .flush = FLUSH_IN_TIME},
    {.name = "dd-then-sync",
     .syncs = true,
     .flags = "",
     .flush = "flushed within the real time, not within dd's own line"},
    {.name = "queue",
     .is_direct = true,
     .fsyncs = true,
     .is_queued = true,
     .flags = "",
     .flush = FLUSH_IN_TIME},
    {.name = NULL},
};
const char *const write_method_names[] = {
    "dd-fsync", "dd-fdatasync", "dd-direct", "dd-direct-fsync", "dd-then-sync", "queue", NULL};
const struct method queue_method = {.name = "queue",
                                    .is_direct = true,
                                    .fsyncs = true,
                                    .drops_cache = true,
                                    .is_queued = true,
                                    .flags = "",
                                    .flush = FLUSH_IN_TIME};

const struct method read_methods[] = {
    {.name = "dd-direct", .is_direct = true, .drops_cache = true, .flags = " iflag=direct"},
    {.name = "dd-cold", .drops_cache = true, .flags = ""},
    {.name = "dd", .flags = ""},
    {.name = "queue", .is_direct = true, .drops_cache = true, .is_queued = true, .flags = ""},
    {.name = NULL},
};
const char *const read_method_names[] = {"dd-direct", "dd-cold", "dd", "queue", NULL};

uint64_t job_total(const struct dyno_host *host, struct dyno_run *run)
{
    uint64_t count = host->opt_u64(run, "count"), bs = host->opt_u64(run, "bs");
    if (count == 0)
        return host->opt_u64(run, "size");
    return bs > UINT64_MAX / count ? UINT64_MAX : bs * count;
}

static int refuse(int error, char why[JOB_WHY_MAX], const char *what, uint64_t value,
                  const char *reason)
{
    snprintf(why, JOB_WHY_MAX, "%s%" PRIu64 " cannot be used: %s", what, value, reason);
    return error;
}

static int check_queue(const struct job *job, char why[JOB_WHY_MAX])
{
    if (!job->method->is_queued && job->time_ns) {
        snprintf(why, JOB_WHY_MAX, "time= goes with method=queue; %s ends with its size",
                 job->method->name);
        return -EINVAL;
    }
    if (!job->method->is_queued)
        return 0;
    if (job->depth < 1 || job->depth > QUEUE_DEPTH_MAX)
        return refuse(-ERANGE, why, "depth=", job->depth, "it must be from 1 to 256");
    if ((uint64_t)job->depth * job->bs > QUEUE_BUFFERS_MAX)
        return refuse(-ERANGE, why, "depth=", job->depth,
                      "that many blocks of this bs would take more than 256 MiB of memory");
    if (job->total < job->bs)
        return refuse(-ERANGE, why, "a size of ", job->total, "it is less than one block of bs");
    return 0;
}

/* A whole device takes what needs no file system. */
static int check_raw(const struct job *job, char why[JOB_WHY_MAX])
{
    if (job->method->is_direct && !job->file[0])
        return 0;
    snprintf(why, JOB_WHY_MAX,
             job->file[0]
                 ? "file=%.100s cannot be used: the device is read raw, without a file system"
                 : "method=%.100s needs a file system; a whole device is read with "
                   "method=dd-direct or method=queue",
             job->file[0] ? job->file : job->method->name);
    return -EINVAL;
}

/* A filesystem that takes no file of that size gets several. */
static int split(struct job *job, char why[JOB_WHY_MAX])
{
    const struct dyno_target *target = job->target;
    int error = parts_length(job->total, target->max_file_bytes, job->bs, &job->part_bytes);
    if (error == -EFBIG)
        snprintf(why, JOB_WHY_MAX,
                 "%s on %s takes no file above %" PRIu64 " bytes, and %" PRIu64
                 " would take more than %u of them: choose a smaller size or bs",
                 target->filesystem ? target->filesystem : "the filesystem", target->path,
                 target->max_file_bytes, job->total, PARTS_MOST);
    return error;
}

static int check(struct job *job, uint64_t bs, char why[JOB_WHY_MAX])
{
    const struct dyno_target *target = job->target;
    uint64_t block = target->logical_block ? target->logical_block : 512;
    if (target->scratch_dirfd < 0 && job->raw_fd < 0) {
        snprintf(why, JOB_WHY_MAX, "%s has no mounted filesystem or folder to work in", target->id);
        return -ENOTDIR;
    }
    if (bs < JOB_BS_MIN || bs > JOB_BS_MAX)
        return refuse(-ERANGE, why, "bs=", bs, "it must be from 512 to 64M");
    if (job->total == 0 || job->total > INT64_MAX)
        return refuse(-ERANGE, why, "a size of ", job->total, "it must be from 1 byte to 8 EiB");
    if (job->method->is_direct && bs % block != 0)
        return refuse(-EINVAL, why, "bs=", bs,
                      "direct I/O needs a multiple of the disk's logical block");
    if (job->file[0] && !scratch_name_valid(job->file)) {
        snprintf(why, JOB_WHY_MAX,
                 "file=%.200s cannot be used: it must be a plain name within the folder",
                 job->file);
        return -EINVAL;
    }
    int error = job->raw_fd < 0 ? 0 : check_raw(job, why);
    if (error == 0)
        error = check_queue(job, why);
    if (error < 0)
        return error;
    return job->raw_fd < 0 ? split(job, why) : 0;
}

/* The member is younger than the struct; a host that does not know it sends a shorter one. */
static int raw_fd_of(const struct dyno_target *target)
{
    bool has = target->size >= offsetof(struct dyno_target, raw_fd) + sizeof target->raw_fd;
    return has ? target->raw_fd : -1;
}

int job_parse_queue(const struct dyno_host *host, struct dyno_run *run, const struct method *method,
                    struct job *ret_job, char why[JOB_WHY_MAX])
{
    uint64_t bs = host->opt_u64(run, "bs"), depth = host->opt_u64(run, "depth");
    if (bs == 0) /* no such option */
        bs = JOB_TABLE_BS;
    if (depth == 0)
        depth = JOB_TABLE_DEPTH;
    struct job job = {.target = host->target(run),
                      .method = method,
                      .bs = (size_t)bs,
                      .total = host->opt_u64(run, "size"),
                      .is_random = true,
                      .file = "",
                      .raw_fd = -1,
                      .depth = depth > UINT32_MAX ? UINT32_MAX : (unsigned)depth,
                      .engine = host->opt_str(run, "engine"),
                      .time_ns = host->opt_u64(run, "time")};
    int error = check(&job, bs, why);
    if (error == 0)
        *ret_job = job;
    return error;
}

int job_parse(const struct dyno_host *host, struct dyno_run *run, const struct method *methods,
              struct job *ret_job, char why[JOB_WHY_MAX])
{
    const char *name = host->opt_str(run, "method");
    const struct method *method = methods;
    while (method->name && strcmp(method->name, name) != 0)
        method++;
    if (!method->name) {
        snprintf(why, JOB_WHY_MAX, "method=%.100s is not known", name);
        return -EINVAL;
    }
    uint64_t bs = host->opt_u64(run, "bs"), depth = host->opt_u64(run, "depth");
    struct job job = {.target = host->target(run),
                      .raw_fd = raw_fd_of(host->target(run)),
                      .depth = depth > UINT32_MAX ? UINT32_MAX : (unsigned)depth,
                      .engine = host->opt_str(run, "engine"),
                      .time_ns = host->opt_u64(run, "time"),
                      .method = method,
                      .bs = (size_t)bs,
                      .total = job_total(host, run),
                      .is_random = strcmp(host->opt_str(run, "data"), "random") == 0,
                      .file = host->opt_str(run, "file")};
    int error = check(&job, bs, why);
    if (error == 0)
        *ret_job = job;
    return error;
}

struct scratch_request job_scratch(const struct job *job)
{
    const struct dyno_target *target = job->target;
    return (struct scratch_request){.dirfd = target->scratch_dirfd,
                                    .folder = target->path,
                                    .filesystem = target->filesystem ? target->filesystem : "",
                                    .file = job->file,
                                    .has_tmpfile = target->has_tmpfile != 0,
                                    .planned_bytes = job->total,
                                    .part_bytes = job->part_bytes};
}
