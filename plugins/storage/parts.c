#include "parts.h"

#include "cache.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#define SPARE_FDS 64u

int parts_length(uint64_t total, uint64_t max_file_bytes, uint64_t block, uint64_t *ret_bytes)
{
    uint64_t bytes = max_file_bytes < PARTS_BYTES ? max_file_bytes : PARTS_BYTES;
    bytes -= bytes % block;
    if (max_file_bytes == 0 || total <= max_file_bytes)
        bytes = 0;
    else if (bytes == 0 || (total - 1) / bytes >= PARTS_MOST)
        return -EFBIG;
    *ret_bytes = bytes;
    return 0;
}

unsigned parts_count(uint64_t total, uint64_t part_bytes)
{
    return part_bytes && total ? (unsigned)((total - 1) / part_bytes) + 1 : 1;
}

void parts_explain(uint64_t total, uint64_t part_bytes, const char *filesystem,
                   uint64_t max_file_bytes, char text[PARTS_TEXT_MAX])
{
    snprintf(text, PARTS_TEXT_MAX,
             "%u files of %" PRIu64 " bytes%s: %.20s takes no file above %" PRIu64 " bytes",
             parts_count(total, part_bytes), part_bytes,
             total % part_bytes ? " (the last is shorter)" : "", filesystem, max_file_bytes);
}

/* All stay open: a nameless one lives as long as its descriptor. */
static int allow_files(unsigned count)
{
    struct rlimit limit;
    if (getrlimit(RLIMIT_NOFILE, &limit) < 0)
        return -errno;
    if (limit.rlim_cur >= (rlim_t)count + SPARE_FDS)
        return 0;
    limit.rlim_cur = limit.rlim_max;
    (void)setrlimit(RLIMIT_NOFILE, &limit);
    return limit.rlim_cur >= (rlim_t)count + SPARE_FDS ? 0 : -EMFILE;
}

/* NAME, NAME.2, NAME.3 …; false when that is too long. */
static bool part_name(const char *name, unsigned number, char into[STAMP_FILE_MAX + 1])
{
    char suffix[16] = "";
    if (number > 0)
        snprintf(suffix, sizeof suffix, ".%u", number + 1);
    int n = snprintf(into, STAMP_FILE_MAX + 1, "%.*s%s", STAMP_FILE_MAX, name, suffix);
    return n > 0 && n <= STAMP_FILE_MAX;
}

static int refuse(int error, const struct scratch_request *request, const char *reason,
                  char why[SCRATCH_WHY_MAX])
{
    snprintf(why, SCRATCH_WHY_MAX, "cannot use %.300s: %s", request->folder, reason);
    return error;
}

static int create_one(struct parts *parts, const struct scratch_request *request,
                      char why[SCRATCH_WHY_MAX])
{
    char name[STAMP_FILE_MAX + 1] = "";
    uint64_t before = parts->count * request->part_bytes;
    struct scratch_request own = *request;
    if (request->file[0] && !part_name(request->file, parts->count, name))
        return refuse(-ENAMETOOLONG, request, "the name is too long for several files", why);
    own.file = name;
    own.number = request->number + parts->count;
    if (request->part_bytes)
        own.planned_bytes = request->planned_bytes - before < request->part_bytes
                                ? request->planned_bytes - before
                                : request->part_bytes;
    int error = scratch_create(&parts->files[parts->count], &own, why);
    if (error == 0)
        parts->count++;
    return error;
}

/* Parts that an earlier, larger run left would be taken for some of this one's. */
static int clear_more(const struct parts *parts, const struct scratch_request *request,
                      char why[SCRATCH_WHY_MAX])
{
    char name[STAMP_FILE_MAX + 1];
    int error = 1;
    for (unsigned i = parts->count; error > 0 && i < PARTS_MOST; i++) {
        struct scratch_request own = *request;
        own.file = name;
        error = part_name(request->file, i, name) ? scratch_clear(&own, why) : 0;
    }
    return error == -EEXIST ? 0 : error < 0 ? error : 0; /* a stranger's bears no stamp */
}

int parts_create(struct parts *parts, const struct scratch_request *request,
                 char why[SCRATCH_WHY_MAX])
{
    unsigned count = parts_count(request->planned_bytes, request->part_bytes);
    *parts = (struct parts){.part_bytes = request->part_bytes};
    if (allow_files(count) < 0)
        return refuse(-EMFILE, request, "it takes more files than may be open here", why);
    parts->files = calloc(count, sizeof *parts->files);
    if (!parts->files)
        return refuse(-ENOMEM, request, "not enough memory", why);
    int error = 0;
    while (error == 0 && parts->count < count)
        error = create_one(parts, request, why);
    if (error == 0 && request->file[0])
        error = clear_more(parts, request, why);
    if (error < 0) {
        parts_discard(parts);
        (void)parts_close(parts);
    }
    return error;
}

static int grow(struct parts *parts)
{
    struct scratch *files = realloc(parts->files, (parts->count + 1) * sizeof *files);
    if (!files)
        return -ENOMEM;
    parts->files = files;
    return 0;
}

/* Whether NAME.k is there and is the next part: only what bears our stamp is taken for one. */
static bool is_next(const struct parts *parts, const struct scratch_request *request,
                    char name[STAMP_FILE_MAX + 1])
{
    struct stat status;
    struct stamp stamp;
    return part_name(request->file, parts->count, name) &&
           fstatat(request->dirfd, name, &status, AT_SYMLINK_NOFOLLOW) == 0 &&
           S_ISREG(status.st_mode) && stamp_read(request->dirfd, name, &stamp) == 0;
}

int parts_open(struct parts *parts, const struct scratch_request *request,
               char why[SCRATCH_WHY_MAX])
{
    char name[STAMP_FILE_MAX + 1];
    struct scratch_request own = *request;
    *parts = (struct parts){.count = 0};
    own.file = request->file;
    int error;
    do {
        error = allow_files(parts->count + 1) < 0 ? -EMFILE : grow(parts);
        if (error < 0)
            (void)refuse(error, request, strerror(-error), why);
        else
            error = scratch_open(&parts->files[parts->count], &own, why);
        parts->count += error == 0;
        own.file = name;
        if (parts->count == 1 && error == 0)
            parts->part_bytes = scratch_size(&parts->files[0]);
        /* Only behind a whole part is another one; an empty file has none. */
    } while (error == 0 && parts->part_bytes > 0 && parts->count < PARTS_MOST &&
             scratch_size(&parts->files[parts->count - 1]) == parts->part_bytes &&
             is_next(parts, request, name));
    if (error < 0)
        (void)parts_close(parts);
    return error;
}

int parts_adopt(struct parts *parts, int fd)
{
    *parts = (struct parts){.files = calloc(1, sizeof *parts->files)};
    int error = parts->files ? scratch_adopt(&parts->files[0], fd) : -ENOMEM;
    parts->count = error == 0;
    if (error < 0)
        (void)parts_close(parts);
    return error;
}

int parts_close(struct parts *parts)
{
    int first = 0;
    for (unsigned i = 0; i < parts->count; i++) {
        int error = scratch_close(&parts->files[i]);
        first = first ? first : error;
    }
    free(parts->files);
    *parts = (struct parts){.count = 0};
    return first;
}

void parts_discard(struct parts *parts)
{
    for (unsigned i = 0; i < parts->count; i++)
        parts->files[i].is_kept = parts->files[i].is_kept && !parts->files[i].is_ours;
}

bool parts_is_direct(const struct parts *parts)
{
    for (unsigned i = 0; i < parts->count; i++)
        if (!parts->files[i].is_direct)
            return false;
    return parts->count > 0;
}

bool parts_was_refused(const struct parts *parts)
{
    for (unsigned i = 0; i < parts->count; i++)
        if (parts->files[i].was_direct_refused)
            return true;
    return false;
}

uint64_t parts_open_ns(const struct parts *parts)
{
    uint64_t ns = 0;
    for (unsigned i = 0; i < parts->count; i++)
        ns += parts->files[i].open_ns;
    return ns;
}

uint64_t parts_bytes(const struct parts *parts)
{
    uint64_t bytes = 0;
    for (unsigned i = 0; i < parts->count; i++) {
        uint64_t size = scratch_size(&parts->files[i]);
        /* What somebody added behind a part has no place: parts_at would tell one that is none. */
        bytes += parts->count > 1 && size > parts->part_bytes ? parts->part_bytes : size;
    }
    return bytes;
}

int parts_set_direct(struct parts *parts, bool is_direct)
{
    int error = 0;
    for (unsigned i = 0; error == 0 && i < parts->count; i++)
        error = scratch_set_direct(&parts->files[i], is_direct);
    return error;
}

int parts_each(struct parts *parts, int (*call)(int fd))
{
    int error = 0;
    for (unsigned i = 0; error == 0 && i < parts->count; i++)
        error = call(parts->files[i].fd);
    return error;
}

static int rewind_one(int fd)
{
    return lseek(fd, 0, SEEK_SET) < 0 ? -errno : 0;
}

static int fsync_one(int fd)
{
    return fsync(fd) < 0 ? -errno : 0;
}

static int fdatasync_one(int fd)
{
    return fdatasync(fd) < 0 ? -errno : 0;
}

int parts_rewind(struct parts *parts)
{
    return parts_each(parts, rewind_one);
}

int parts_fsync(struct parts *parts)
{
    return parts_each(parts, fsync_one);
}

int parts_fdatasync(struct parts *parts)
{
    return parts_each(parts, fdatasync_one);
}

int parts_drop(struct parts *parts)
{
    return parts_each(parts, cache_drop);
}

int parts_resident(const struct parts *parts, uint64_t length, uint64_t *ret_bytes)
{
    uint64_t bytes = 0;
    int error = 0;
    for (uint64_t at = 0; error == 0 && at < length;) {
        struct part_place place = parts_at(parts, at);
        uint64_t part = place.left < length - at ? place.left : length - at, resident = 0;
        if (place.number >= parts->count)
            break;
        error = cache_resident(parts->files[place.number].fd, 0, part, &resident);
        bytes += resident;
        at += part;
    }
    if (error == 0)
        *ret_bytes = bytes;
    return error;
}
