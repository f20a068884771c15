#include "hoard.h"

#include <common/cleanup.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define NAME_FORMAT ".iodyno-verify-%06x-%u.tmp"

static void name_of(uint32_t id, unsigned number, char name[STAMP_FILE_MAX + 1])
{
    snprintf(name, STAMP_FILE_MAX + 1, NAME_FORMAT, (unsigned)(id & HOARD_ID_MASK), number);
}

static bool parse_name(const char *name, uint32_t *ret_id, unsigned *ret_number)
{
    char again[STAMP_FILE_MAX + 1];
    unsigned id, number;
    if (sscanf(name, ".iodyno-verify-%6x-%5u.tmp", &id, &number) != 2)
        return false;
    name_of(id, number, again);
    if (strcmp(name, again) != 0)
        return false;
    *ret_id = id;
    *ret_number = number;
    return true;
}

void hoard_begin(struct hoard *hoard, const struct scratch_request *request, uint32_t id,
                 uint64_t total, uint64_t part_bytes)
{
    *hoard = (struct hoard){.request = *request,
                            .id = id & HOARD_ID_MASK,
                            .total = total,
                            .part_bytes = part_bytes,
                            .file.fd = -1};
}

void hoard_name(const struct hoard *hoard, uint64_t offset, char name[STAMP_FILE_MAX + 1])
{
    name_of(hoard->id, (unsigned)(offset / hoard->part_bytes), name);
}

uint64_t hoard_file_end(const struct hoard *hoard, uint64_t offset)
{
    uint64_t end = (offset / hoard->part_bytes + 1) * hoard->part_bytes;
    return end < hoard->total ? end : hoard->total;
}

/* ---- what was left */

struct left { /* one file of ours */
    struct stamp stamp;
    uint64_t bytes;
};

/* Only what bears our stamp, is that very file and has nobody on it. -EEXIST: it is not ours. */
static int look(const struct scratch_request *request, const char *name, struct left *ret_left)
{
    struct stat status;
    struct left left;
    if (fstatat(request->dirfd, name, &status, AT_SYMLINK_NOFOLLOW) < 0)
        return -errno;
    if (stamp_read(request->dirfd, name, &left.stamp) < 0 ||
        !stamp_fits(&left.stamp, &status, scratch_has_lasting_inodes(request->filesystem)))
        return -EEXIST;
    if (stamp_owner_alive(&left.stamp) && left.stamp.pid != (uint64_t)getpid())
        return -EBUSY;
    left.bytes = (uint64_t)status.st_size;
    *ret_left = left;
    return 0;
}

static void close_dir(DIR **dir)
{
    if (*dir)
        closedir(*dir);
}

typedef void (*found_fn)(void *user, const char *name, uint32_t id, unsigned number);

static int each_name(int dirfd, found_fn fn, void *user)
{
    int fd = openat(dirfd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    AUTO(close_dir) DIR *dir = fd < 0 ? NULL : fdopendir(fd);
    if (!dir && fd >= 0)
        close(fd);
    if (!dir)
        return -errno;
    const struct dirent *entry;
    uint32_t id;
    unsigned number;
    while ((entry = readdir(dir)))
        if (parse_name(entry->d_name, &id, &number))
            fn(user, entry->d_name, id, number);
    return 0;
}

struct search {
    const struct scratch_request *request;
    uint32_t id;
    uint64_t total, part_bytes;
    bool is_found, is_busy;
};

/* Each set has a first file; the one of the largest run is gone on with. */
static void consider(void *user, const char *name, uint32_t id, unsigned number)
{
    struct search *search = user;
    struct left left;
    int error = number == 0 ? look(search->request, name, &left) : -ENOENT;
    search->is_busy = search->is_busy || error == -EBUSY;
    if (error < 0 || left.stamp.total_bytes == 0 || left.stamp.planned_bytes == 0)
        return;
    if (search->is_found && left.stamp.total_bytes <= search->total)
        return;
    search->is_found = true;
    search->id = id;
    search->total = left.stamp.total_bytes;
    search->part_bytes = left.stamp.planned_bytes;
}

static int refuse(int error, const struct scratch_request *request, const char *name,
                  const char *reason, char why[SCRATCH_WHY_MAX])
{
    snprintf(why, SCRATCH_WHY_MAX, "%.300s%s%.60s %s", request->folder, name[0] ? "/" : "", name,
             reason);
    return error;
}

/* Counts the files that are there; all but the last must be whole. */
static int measure(struct hoard *hoard, char why[SCRATCH_WHY_MAX])
{
    char name[STAMP_FILE_MAX + 1];
    bool is_short = false, was_settled = true;
    for (unsigned i = 0; i < HOARD_FILES_MOST && i * hoard->part_bytes < hoard->total; i++) {
        struct left left;
        name_of(hoard->id, i, name);
        int error = look(&hoard->request, name, &left);
        if (error == -ENOENT)
            break;
        if (error == 0 && left.bytes > hoard->part_bytes) /* its own stamp may allow it */
            error = -EEXIST;
        if (error < 0)
            return refuse(error, &hoard->request, name,
                          error == -EBUSY ? "is being written by another run"
                                          : "exists, and iodyno did not write it",
                          why);
        if (is_short)
            return refuse(-EBADMSG, &hoard->request, name,
                          "is there, but the file before it was cut: start anew, without resume",
                          why);
        /* The next file is begun only when this one has been flushed. */
        if (i > 0 && !was_settled)
            hoard->settled = hoard->written;
        uint64_t flushed = left.stamp.is_final ? left.stamp.final_bytes : 0;
        is_short = left.bytes < hoard->part_bytes;
        was_settled = left.bytes <= flushed;
        hoard->settled = hoard->written + (was_settled ? left.bytes : flushed);
        hoard->written += left.bytes;
        hoard->count = i + 1;
    }
    return 0;
}

int hoard_find(struct hoard *hoard, const struct scratch_request *request,
               char why[SCRATCH_WHY_MAX])
{
    struct search search = {.request = request};
    int error = each_name(request->dirfd, consider, &search);
    if (error < 0)
        return refuse(error, request, "", strerror(-error), why);
    if (!search.is_found && search.is_busy)
        return refuse(-EBUSY, request, "", "is being verified by another run", why);
    if (!search.is_found)
        return refuse(-ENOENT, request, "",
                      "holds nothing that an earlier verify left: run it without resume", why);
    hoard_begin(hoard, request, search.id, search.total, search.part_bytes);
    return measure(hoard, why);
}

/* ---- one file at a time */

static int close_file(struct hoard *hoard)
{
    hoard->file.is_kept = true;
    hoard->file.is_ours = false; /* closed as it is: its stamp was written when it was flushed */
    return scratch_close(&hoard->file);
}

static int create(struct hoard *hoard, unsigned number, const char *name, char why[SCRATCH_WHY_MAX])
{
    struct scratch_request request = hoard->request;
    request.is_direct = true;
    request.planned_bytes = hoard->part_bytes;
    request.total_bytes = hoard->total;
    int error = scratch_create_as(&hoard->file, &request, name, why);
    if (error == 0)
        hoard->count = number + 1;
    return error;
}

int hoard_open(struct hoard *hoard, uint64_t offset, char why[SCRATCH_WHY_MAX])
{
    char name[STAMP_FILE_MAX + 1];
    unsigned number = (unsigned)(offset / hoard->part_bytes);
    int error = 0;
    if (hoard->file.fd < 0 || hoard->number != number) {
        error = close_file(hoard);
        if (error < 0)
            return refuse(error, &hoard->request, "", strerror(-error), why);
        name_of(hoard->id, number, name);
        error = number < hoard->count ? scratch_reopen(&hoard->file, &hoard->request, name, why)
                                      : create(hoard, number, name, why);
        hoard->number = number;
    }
    if (error == 0 && lseek(hoard->file.fd, (off_t)(offset % hoard->part_bytes), SEEK_SET) < 0) {
        error = -errno;
        (void)refuse(error, &hoard->request, "", strerror(-error), why);
    }
    return error;
}

int hoard_settle(struct hoard *hoard)
{
    return hoard->file.fd < 0 ? 0 : scratch_finish(&hoard->file);
}

int hoard_cut(struct hoard *hoard, uint64_t offset, char why[SCRATCH_WHY_MAX])
{
    int error = hoard_open(hoard, offset, why);
    if (error == 0 && ftruncate(hoard->file.fd, (off_t)(offset % hoard->part_bytes)) < 0) {
        error = -errno;
        (void)refuse(error, &hoard->request, "", strerror(-error), why);
    }
    if (error == 0)
        hoard->written = offset;
    return error;
}

int hoard_close(struct hoard *hoard)
{
    return close_file(hoard);
}

void hoard_remove(struct hoard *hoard)
{
    char name[STAMP_FILE_MAX + 1];
    (void)close_file(hoard);
    for (unsigned i = 0; i < hoard->count; i++) {
        name_of(hoard->id, i, name);
        if (unlinkat(hoard->request.dirfd, name, 0) == 0 || errno == ENOENT)
            (void)stamp_remove(hoard->request.dirfd, name);
    }
    hoard->count = 0;
    hoard->written = hoard->settled = 0;
}

/* ---- those of others */

struct broom {
    struct scratch_request request;
    unsigned count;
    uint64_t bytes;
};

static void sweep(void *user, const char *name, uint32_t id, unsigned number)
{
    struct broom *broom = user;
    struct left left;
    (void)id;
    (void)number;
    if (look(&broom->request, name, &left) < 0 || unlinkat(broom->request.dirfd, name, 0) < 0)
        return;
    (void)stamp_remove(broom->request.dirfd, name);
    broom->count++;
    broom->bytes += left.bytes;
}

unsigned hoard_sweep(int dirfd, const char *filesystem, uint64_t *ret_bytes)
{
    struct broom broom = {.request = {.dirfd = dirfd, .filesystem = filesystem}};
    (void)each_name(dirfd, sweep, &broom);
    *ret_bytes = broom.bytes;
    return broom.count;
}
