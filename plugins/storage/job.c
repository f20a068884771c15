#include "job.h"

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
    {.name = NULL},
};
const char *const write_method_names[] = {"dd-fsync",        "dd-fdatasync", "dd-direct",
                                          "dd-direct-fsync", "dd-then-sync", NULL};

const struct method read_methods[] = {
    {.name = "dd-direct", .is_direct = true, .drops_cache = true, .flags = " iflag=direct"},
    {.name = "dd-cold", .drops_cache = true, .flags = ""},
    {.name = "dd", .flags = ""},
    {.name = NULL},
};
const char *const read_method_names[] = {"dd-direct", "dd-cold", "dd", NULL};

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

static int check(const struct job *job, uint64_t bs, char why[JOB_WHY_MAX])
{
    const struct dyno_target *target = job->target;
    uint64_t block = target->logical_block ? target->logical_block : 512;
    if (target->scratch_dirfd < 0) {
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
    if (target->max_file_bytes && job->total > target->max_file_bytes) {
        snprintf(why, JOB_WHY_MAX,
                 "%s on %s takes no file above %" PRIu64 " bytes, and %" PRIu64
                 " were asked for: choose a smaller size",
                 target->filesystem ? target->filesystem : "the filesystem", target->path,
                 target->max_file_bytes, job->total);
        return -EFBIG;
    }
    return 0;
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
    uint64_t bs = host->opt_u64(run, "bs");
    struct job job = {.target = host->target(run),
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
    int n = snprintf(path, sizeof path, "%s%s%s", job->target->path,
                     strcmp(job->target->path, "/") == 0 ? "" : "/", name);
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
    if (!job->file[0])
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
