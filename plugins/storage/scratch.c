#include "scratch.h"

#include "lap.h"

#include <common/cleanup.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define NAME_TRIES 100
#define NAME_PREFIX ".iodyno-"
#define NAME_SUFFIX ".tmp"

static int refuse(int error, char why[SCRATCH_WHY_MAX], const struct scratch_request *request,
                  const char *name, const char *reason)
{
    snprintf(why, SCRATCH_WHY_MAX, "cannot use %s/%s: %s", request->folder, name, reason);
    return error;
}

bool scratch_has_lasting_inodes(const char *filesystem)
{
    static const char *const without[] = {"vfat", "msdos", "exfat", "fuseblk", "fuse"};
    for (size_t i = 0; i < ARRAY_SIZE(without); i++)
        if (strcmp(filesystem, without[i]) == 0)
            return false;
    return true;
}

bool scratch_name_valid(const char *file)
{
    size_t length = strlen(file);
    if (length == 0 || length > STAMP_FILE_MAX || strpbrk(file, "/\n"))
        return false;
    if (strcmp(file, ".") == 0 || strcmp(file, "..") == 0)
        return false;
    return strncmp(file, NAME_PREFIX, sizeof NAME_PREFIX - 1) != 0;
}

/* openat with dd's flags; O_DIRECT is dropped, and the fact remembered, where it is refused. */
static int open_timed(struct scratch *scratch, const char *name, int flags, bool is_direct)
{
    uint64_t t0 = lap_now_ns();
    int fd = openat(scratch->dirfd, name, flags | (is_direct ? O_DIRECT : 0), 0600);
    if (fd < 0 && errno == EINVAL && is_direct) {
        /* Some filesystems create the file before they refuse the flag. */
        if ((flags & O_CREAT) && (flags & O_EXCL))
            (void)unlinkat(scratch->dirfd, name, 0);
        t0 = lap_now_ns();
        fd = openat(scratch->dirfd, name, flags, 0600);
        scratch->was_direct_refused = fd >= 0;
    }
    if (fd < 0)
        return -errno;
    scratch->open_ns = lap_now_ns() - t0;
    scratch->fd = fd;
    scratch->is_direct = is_direct && !scratch->was_direct_refused;
    return 0;
}

static int stamp_now(struct scratch *scratch, const struct scratch_request *request)
{
    struct stat status;
    if (fstat(scratch->fd, &status) < 0)
        return -errno;
    stamp_make(&scratch->stamp, scratch->name, &status, request->planned_bytes);
    scratch->stamp.total_bytes = request->total_bytes;
    return stamp_write(scratch->dirfd, &scratch->stamp);
}

int scratch_clear(const struct scratch_request *request, char why[SCRATCH_WHY_MAX])
{
    struct stat status;
    struct stamp stamp;
    if (fstatat(request->dirfd, request->file, &status, AT_SYMLINK_NOFOLLOW) < 0)
        return errno == ENOENT ? 0 : refuse(-errno, why, request, request->file, strerror(errno));
    if (stamp_read(request->dirfd, request->file, &stamp) < 0)
        return refuse(-EEXIST, why, request, request->file,
                      "it exists and iodyno did not write it; name another file");
    if (stamp_owner_alive(&stamp) && stamp.pid != (uint64_t)getpid())
        return refuse(-EBUSY, why, request, request->file, "another run is writing it");
    if (!stamp_fits(&stamp, &status, scratch_has_lasting_inodes(request->filesystem)) ||
        !stamp_untouched(&stamp, &status))
        return refuse(-EEXIST, why, request, request->file,
                      "it exists and is no longer what iodyno left there; remove it or name "
                      "another file");
    if (unlinkat(request->dirfd, request->file, 0) < 0)
        return refuse(-errno, why, request, request->file, strerror(errno));
    (void)stamp_remove(request->dirfd, request->file);
    return 1;
}

static int create_named(struct scratch *scratch, const struct scratch_request *request,
                        const char *name, char why[SCRATCH_WHY_MAX])
{
    int flags = O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC;
    int error = open_timed(scratch, name, flags, request->is_direct);
    if (error < 0)
        return error == -EEXIST ? error : refuse(error, why, request, name, strerror(-error));
    snprintf(scratch->name, sizeof scratch->name, "%.*s", STAMP_FILE_MAX, name);
    error = stamp_now(scratch, request);
    if (error < 0) {
        scratch->is_kept = false;
        (void)scratch_close(scratch);
        return refuse(error, why, request, name, strerror(-error));
    }
    return 0;
}

/* From now on this process is the file's owner. */
static int take_over(struct scratch *scratch, const struct stat *status)
{
    struct stamp before = scratch->stamp;
    if (stamp_owner_alive(&before) && before.pid == (uint64_t)getpid())
        return 0;
    stamp_make(&scratch->stamp, scratch->name, status, before.planned_bytes);
    scratch->stamp.total_bytes = before.total_bytes;
    scratch->stamp.is_final = before.is_final;
    scratch->stamp.final_bytes = before.final_bytes;
    scratch->stamp.mtime_s = before.mtime_s;
    return stamp_write(scratch->dirfd, &scratch->stamp);
}

static int create_temporary(struct scratch *scratch, const struct scratch_request *request,
                            char why[SCRATCH_WHY_MAX])
{
    if (request->has_tmpfile) {
        int error =
            open_timed(scratch, ".", O_RDWR | O_TMPFILE | O_EXCL | O_CLOEXEC, request->is_direct);
        if (error == 0)
            return 0;
        /* What kernels without it, or without it for this filesystem, answer. */
        if (error != -EOPNOTSUPP && error != -EISDIR && error != -ENOENT && error != -EINVAL)
            return refuse(error, why, request, "", strerror(-error));
    }
    for (unsigned n = 0; n < NAME_TRIES; n++) {
        char name[STAMP_FILE_MAX + 1];
        snprintf(name, sizeof name, NAME_PREFIX "%.8s-%ld-%u" NAME_SUFFIX,
                 stamp_boot_id()[0] ? stamp_boot_id() : "00000000", (long)getpid(),
                 request->number + n);
        int error = create_named(scratch, request, name, why);
        if (error != -EEXIST)
            return error;
    }
    return refuse(-EEXIST, why, request, "", "too many left-over scratch files");
}

int scratch_create(struct scratch *scratch, const struct scratch_request *request,
                   char why[SCRATCH_WHY_MAX])
{
    *scratch = (struct scratch){.fd = -1, .dirfd = request->dirfd, .is_ours = true};
    if (request->file[0] == '\0')
        return create_temporary(scratch, request, why);
    int error = scratch_clear(request, why);
    if (error < 0)
        return error;
    scratch->is_kept = true;
    error = create_named(scratch, request, request->file, why);
    if (error == -EEXIST)
        return refuse(error, why, request, request->file, "it has just been created by others");
    return error;
}

int scratch_create_as(struct scratch *scratch, const struct scratch_request *request,
                      const char *name, char why[SCRATCH_WHY_MAX])
{
    *scratch =
        (struct scratch){.fd = -1, .dirfd = request->dirfd, .is_ours = true, .is_kept = true};
    int error = create_named(scratch, request, name, why);
    if (error == -EEXIST)
        return refuse(error, why, request, name, "it exists and iodyno did not write it");
    return error;
}

int scratch_reopen(struct scratch *scratch, const struct scratch_request *request, const char *name,
                   char why[SCRATCH_WHY_MAX])
{
    struct stat status;
    *scratch =
        (struct scratch){.fd = -1, .dirfd = request->dirfd, .is_ours = true, .is_kept = true};
    int error = open_timed(scratch, name, O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, true);
    if (error == 0)
        error = fstat(scratch->fd, &status) < 0 ? -errno : 0;
    if (error == 0) {
        snprintf(scratch->name, sizeof scratch->name, "%.*s", STAMP_FILE_MAX, name);
        error = stamp_read(request->dirfd, name, &scratch->stamp);
    }
    /* Whoever put another file there since it was looked at has not got its stamp. */
    if (error == 0 &&
        !stamp_fits(&scratch->stamp, &status, scratch_has_lasting_inodes(request->filesystem)))
        error = -EEXIST;
    if (error == 0)
        error = take_over(scratch, &status);
    if (error < 0) {
        scratch->is_ours = false;
        (void)scratch_close(scratch);
        return refuse(error, why, request, name,
                      error == -EEXIST ? "it is not the file that iodyno left there"
                                       : strerror(-error));
    }
    return 0;
}

int scratch_open(struct scratch *scratch, const struct scratch_request *request,
                 char why[SCRATCH_WHY_MAX])
{
    *scratch = (struct scratch){.fd = -1, .dirfd = request->dirfd, .is_kept = true};
    struct stat status;
    /* Looked at before it is opened: opening a device is already an act (a tape, a watchdog). */
    if (fstatat(request->dirfd, request->file, &status, AT_SYMLINK_NOFOLLOW) == 0 &&
        !S_ISREG(status.st_mode))
        return refuse(S_ISLNK(status.st_mode) ? -ELOOP : -EINVAL, why, request, request->file,
                      S_ISLNK(status.st_mode) ? "it is a symbolic link"
                                              : "it is not a regular file");
    /* NONBLOCK: the open of a FIFO would wait for its writer. It means nothing to a regular file.
     */
    int error =
        open_timed(scratch, request->file,
                   O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC, request->is_direct);
    if (error < 0)
        return refuse(error, why, request, request->file,
                      error == -ELOOP ? "it is a symbolic link" : strerror(-error));
    snprintf(scratch->name, sizeof scratch->name, "%.*s", STAMP_FILE_MAX, request->file);
    error = fstat(scratch->fd, &status) < 0 ? -errno : !S_ISREG(status.st_mode) ? -EINVAL : 0;
    if (error < 0) {
        (void)scratch_close(scratch);
        return refuse(error, why, request, request->file, "it is not a regular file");
    }
    return 0;
}

int scratch_adopt(struct scratch *scratch, int fd)
{
    *scratch = (struct scratch){.fd = fcntl(fd, F_DUPFD_CLOEXEC, 0), .dirfd = -1, .is_kept = true};
    if (scratch->fd < 0)
        return -errno;
    scratch->is_direct = true;
    return 0;
}

uint64_t scratch_size(const struct scratch *scratch)
{
    off_t end = lseek(scratch->fd, 0, SEEK_END);
    return end > 0 && lseek(scratch->fd, 0, SEEK_SET) == 0 ? (uint64_t)end : 0;
}

int scratch_set_direct(struct scratch *scratch, bool is_direct)
{
    int flags = fcntl(scratch->fd, F_GETFL);
    if (flags < 0)
        return -errno;
    flags = is_direct ? flags | O_DIRECT : flags & ~O_DIRECT;
    if (fcntl(scratch->fd, F_SETFL, flags) < 0) {
        scratch->was_direct_refused = is_direct && errno == EINVAL;
        return -errno;
    }
    scratch->is_direct = is_direct;
    return 0;
}

/* A kept file's stamp learns how the run left it, so that a later run may replace it. */
int scratch_finish(struct scratch *scratch)
{
    struct stat status;
    if (fstat(scratch->fd, &status) < 0)
        return -errno;
    scratch->stamp.is_final = true;
    scratch->stamp.final_bytes = (uint64_t)status.st_size;
    scratch->stamp.mtime_s = status.st_mtime;
    return stamp_write(scratch->dirfd, &scratch->stamp);
}

int scratch_close(struct scratch *scratch)
{
    if (scratch->fd < 0)
        return 0;
    bool is_named = scratch->name[0] != '\0';
    if (scratch->is_ours && is_named && scratch->is_kept)
        (void)scratch_finish(scratch);
    /* Closed first, removed after: FAT loses the clusters of an unlinked open file to a power cut.
     */
    int error = close(scratch->fd) < 0 ? -errno : 0;
    scratch->fd = -1;
    if (error < 0)
        scratch->is_kept = false; /* what it lost, nobody knows */
    if (scratch->is_ours && is_named && !scratch->is_kept) {
        if (unlinkat(scratch->dirfd, scratch->name, 0) == 0 || errno == ENOENT)
            (void)stamp_remove(scratch->dirfd, scratch->name);
    }
    return error;
}

/* ".iodyno-XXXXXXXX-PID-N.tmp" */
static bool is_temporary_name(const char *name)
{
    unsigned boot;
    long pid;
    unsigned n;
    int end = 0;
    if (strlen(name) > STAMP_FILE_MAX)
        return false;
    if (sscanf(name, NAME_PREFIX "%8x-%ld-%u" NAME_SUFFIX "%n", &boot, &pid, &n, &end) != 3)
        return false;
    return end > 0 && name[end] == '\0';
}

static bool sweep_one(int dirfd, const char *name, bool has_inodes, uint64_t *io_bytes)
{
    struct stamp stamp;
    struct stat status;
    if (stamp_read(dirfd, name, &stamp) < 0 || stamp_owner_alive(&stamp))
        return false;
    if (fstatat(dirfd, name, &status, AT_SYMLINK_NOFOLLOW) < 0 ||
        !stamp_fits(&stamp, &status, has_inodes))
        return false;
    if (unlinkat(dirfd, name, 0) < 0)
        return false;
    (void)stamp_remove(dirfd, name);
    *io_bytes += (uint64_t)status.st_size;
    return true;
}

static void cleanup_dir(DIR **dir)
{
    if (*dir)
        closedir(*dir);
}

unsigned scratch_sweep(int dirfd, const char *filesystem, uint64_t *ret_bytes)
{
    unsigned count = 0;
    *ret_bytes = 0;
    int fd = openat(dirfd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0)
        return 0;
    AUTO(cleanup_dir) DIR *dir = fdopendir(fd);
    if (!dir) {
        close(fd);
        return 0;
    }
    const struct dirent *entry;
    while ((entry = readdir(dir)))
        if (is_temporary_name(entry->d_name))
            count +=
                sweep_one(dirfd, entry->d_name, scratch_has_lasting_inodes(filesystem), ret_bytes);
    return count;
}
