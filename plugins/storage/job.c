#include "job.h"

#include "queue.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

#define QUOTED_MAX 200
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

static int check(const struct job *job, uint64_t bs, char why[JOB_WHY_MAX])
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
    if (job->raw_fd < 0 && target->max_file_bytes && job->total > target->max_file_bytes) {
        snprintf(why, JOB_WHY_MAX,
                 "%s on %s takes no file above %" PRIu64 " bytes, and %" PRIu64
                 " were asked for: choose a smaller size",
                 target->filesystem ? target->filesystem : "the filesystem", target->path,
                 target->max_file_bytes, job->total);
        return -EFBIG;
    }
    return 0;
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
                                    .planned_bytes = job->total};
}

/* dd's shortest spelling of a size in whole units. */
static void size_text(uint64_t bytes, char text[32])
{
    static const char suffix[] = "KMG";
    char unit = '\0';
    for (size_t i = 0; suffix[i] && bytes && bytes % 1024 == 0; i++) {
        bytes /= 1024;
        unit = suffix[i];
    }
    snprintf(text, 32, unit ? "%" PRIu64 "%c" : "%" PRIu64, bytes, unit);
}

/* 'quoted' for the shell where needed; false when it does not fit. */
static bool quote(const char *path, char text[QUOTED_MAX])
{
    static const char plain[] =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789/._-+:@%";
    size_t length = strlen(path), at = 0;
    bool is_plain = path[strspn(path, plain)] == '\0';
    if (length + 3 > QUOTED_MAX)
        return false;
    if (is_plain) {
        memcpy(text, path, length + 1);
        return true;
    }
    text[at++] = '\'';
    for (; *path; path++) {
        if (at + 6 > QUOTED_MAX)
            return false;
        const char *piece = *path == '\'' ? "'\\''" : (char[]){*path, '\0'};
        size_t size = strlen(piece);
        memcpy(text + at, piece, size);
        at += size;
    }
    memcpy(text + at, "'", 2);
    return true;
}

/* The whole path where it fits into the line up to three times, else the name, else a word. */
static void name_file(const struct job *job, char text[QUOTED_MAX])
{
    char path[PATH_MAX];
    const char *name = job->file[0] ? job->file : "dd-test-file";
    const char *slash = strcmp(job->target->path, "/") == 0 ? "" : "/";
    int n = job->raw_fd >= 0
                ? snprintf(path, sizeof path, "%s", job->target->path)
                : snprintf(path, sizeof path, "%s%s%s", job->target->path, slash, name);
    if (n > 0 && (size_t)n < sizeof path && quote(path, text))
        return;
    if (!quote(name, text))
        memcpy(text, "FILE", sizeof "FILE");
}

void job_command(const struct job *job, bool is_write, char text[JOB_COMMAND_MAX])
{
    char file[QUOTED_MAX], bs[32], amount[96];
    name_file(job, file);
    size_text(job->bs, bs);
    if (job->method->is_queued) { /* what dd cannot do, fio does */
        char size[32];
        size_text(job->total, size);
        snprintf(text, JOB_COMMAND_MAX,
                 "fio --name=iodyno --filename=%s --rw=%s --bs=%s --size=%s --direct=1 "
                 "--ioengine=io_uring --iodepth=%u%s",
                 file, is_write ? "write" : "read", bs, size, job->depth,
                 is_write           ? " --end_fsync=1"
                 : job->raw_fd >= 0 ? " --readonly"
                                    : "");
        return;
    }
    if (job->total % job->bs == 0)
        snprintf(amount, sizeof amount, "bs=%s count=%" PRIu64, bs, job->total / job->bs);
    else
        snprintf(amount, sizeof amount, "bs=%s count=%" PRIu64 " iflag=count_bytes", bs,
                 job->total);
    const char *source = job->is_random ? "/dev/urandom" : "/dev/zero";
    const char *flags = job->method->flags;
    if (is_write) {
        snprintf(text, JOB_COMMAND_MAX, "dd if=%s of=%s %s%s%s", source, file, amount, flags,
                 job->method->syncs ? " && sync" : "");
        return;
    }
    char first[QUOTED_MAX + 192] = "", drop[QUOTED_MAX + 64] = "";
    if (!job->file[0] && job->raw_fd < 0)
        snprintf(first, sizeof first, "dd if=%s of=%s %s conv=fsync && ", source, file, amount);
    if (job->method->drops_cache && !job->method->is_direct)
        snprintf(drop, sizeof drop, "dd if=%s iflag=nocache count=0 && ", file);
    /* A direct read takes whole blocks; the end of the file cuts the last. */
    if (job->method->is_direct)
        snprintf(amount, sizeof amount, "bs=%s count=%" PRIu64, bs,
                 (job->total + job->bs - 1) / job->bs);
    snprintf(text, JOB_COMMAND_MAX, "%s%sdd if=%s of=/dev/null %s%s", first, drop, file, amount,
             flags);
}
