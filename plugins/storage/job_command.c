/* job: the shell line that does by hand what it does. */
#include "job.h"

#include "parts.h"

#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

#define QUOTED_MAX 200
#define PIECE_MAX (QUOTED_MAX + 192)

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

struct words { /* of a line */
    const struct job *job;
    char file[QUOTED_MAX], bs[32];
    const char *source, *flags;
};

static void amount_text(const struct words *words, uint64_t bytes, char text[96])
{
    if (bytes % words->job->bs == 0)
        snprintf(text, 96, "bs=%s count=%" PRIu64, words->bs, bytes / words->job->bs);
    else
        snprintf(text, 96, "bs=%s count=%" PRIu64 " iflag=count_bytes", words->bs, bytes);
}

/* What dd cannot do, fio does. */
static void with_fio(const struct words *words, bool is_write, char text[JOB_COMMAND_MAX])
{
    const struct job *job = words->job;
    char size[32], part[32], where[PIECE_MAX], folder[QUOTED_MAX];
    size_text(job->total, size);
    size_text(job->part_bytes, part);
    snprintf(where, sizeof where, "--filename=%s", words->file);
    if (job->part_bytes && quote(job->target->path, folder))
        snprintf(where, sizeof where,
                 "--directory=%s --nrfiles=%u --filesize=%s --file_service_type=sequential", folder,
                 parts_count(job->total, job->part_bytes), part);
    snprintf(text, JOB_COMMAND_MAX,
             "fio --name=iodyno %s --rw=%s --bs=%s --size=%s --direct=1 --ioengine=io_uring "
             "--iodepth=%u%s",
             where, is_write ? "write" : "read", words->bs, size, job->depth,
             is_write           ? " --end_fsync=1"
             : job->raw_fd >= 0 ? " --readonly"
                                : "");
}

/* One dd for each file, and what comes behind them all. */
static void write_parts(const struct words *words, const char *flags, char text[JOB_COMMAND_MAX])
{
    const struct job *job = words->job;
    unsigned count = parts_count(job->total, job->part_bytes);
    uint64_t rest = job->total - (count - 1) * job->part_bytes;
    char each[96], last[96], tail[PIECE_MAX] = "";
    bool is_even = rest == job->part_bytes;
    amount_text(words, job->part_bytes, each);
    amount_text(words, rest, last);
    if (!is_even)
        snprintf(tail, sizeof tail, " && dd if=%s of=%s.%u %s%s", words->source, words->file, count,
                 last, flags);
    snprintf(text, JOB_COMMAND_MAX, "for i in $(seq %u); do dd if=%s of=%s.$i %s%s; done%s",
             is_even ? count : count - 1, words->source, words->file, each, flags, tail);
}

static void add(char text[JOB_COMMAND_MAX], const char *format, const char *first,
                const char *second)
{
    size_t at = strlen(text);
    snprintf(text + at, JOB_COMMAND_MAX - at, format, first, second);
}

static void with_parts(const struct words *words, bool is_write, char text[JOB_COMMAND_MAX])
{
    const struct method *method = words->job->method;
    bool drops = method->drops_cache && !method->is_direct;
    bool is_given = words->job->file[0] != '\0';
    text[0] = '\0';
    if (is_write || !is_given)
        write_parts(words, is_write && method->is_direct ? " oflag=direct" : "", text);
    if (is_write && method->syncs)
        add(text, "%s%s", " && sync", "");
    else if (is_write && (method->fsyncs || method->fdatasyncs))
        add(text, " && sync %s%s.*", method->fdatasyncs ? "-d " : "", words->file);
    if (is_write)
        return;
    if (!is_given)
        add(text, " && sync %s.*%s", words->file, " && ");
    /* Ours are NAME, NAME.2 …; those that were just written by hand all have a number. */
    add(text, "for f in %s%s", is_given ? words->file : "", is_given ? " " : "");
    add(text, "%s.*; do %s", words->file, drops ? "dd if=\"$f\" iflag=nocache count=0; " : "");
    add(text, "dd if=\"$f\" of=/dev/null bs=%s%s; done", words->bs,
        method->is_direct ? " iflag=direct" : "");
}

static void with_dd(const struct words *words, bool is_write, char text[JOB_COMMAND_MAX])
{
    const struct job *job = words->job;
    const char *file = words->file;
    char amount[96], first[PIECE_MAX] = "", drop[QUOTED_MAX + 64] = "";
    amount_text(words, job->total, amount);
    if (is_write) {
        snprintf(text, JOB_COMMAND_MAX, "dd if=%s of=%s %s%s%s", words->source, file, amount,
                 words->flags, job->method->syncs ? " && sync" : "");
        return;
    }
    if (!job->file[0] && job->raw_fd < 0)
        snprintf(first, sizeof first, "dd if=%s of=%s %s conv=fsync && ", words->source, file,
                 amount);
    if (job->method->drops_cache && !job->method->is_direct)
        snprintf(drop, sizeof drop, "dd if=%s iflag=nocache count=0 && ", file);
    /* A direct read takes whole blocks; the end of the file cuts the last. */
    if (job->method->is_direct)
        snprintf(amount, sizeof amount, "bs=%s count=%" PRIu64, words->bs,
                 (job->total + job->bs - 1) / job->bs);
    snprintf(text, JOB_COMMAND_MAX, "%s%sdd if=%s of=/dev/null %s%s", first, drop, file, amount,
             words->flags);
}

void job_command(const struct job *job, bool is_write, char text[JOB_COMMAND_MAX])
{
    struct words words = {.job = job,
                          .source = job->is_random ? "/dev/urandom" : "/dev/zero",
                          .flags = job->method->flags};
    name_file(job, words.file);
    size_text(job->bs, words.bs);
    if (job->method->is_queued)
        with_fio(&words, is_write, text);
    else if (job->part_bytes)
        with_parts(&words, is_write, text);
    else
        with_dd(&words, is_write, text);
}
