#include "stamp.h"

#include <common/cleanup.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAGIC "iodyno scratch file 1"
#define TEXT_MAX 1024
#define MTIME_SLACK_S 2 /* FAT keeps times in steps of two seconds */

/* Reads a small text file at `path` below `dirfd`; the owner of the file into ret_uid. */
static int read_text(int dirfd, const char *path, char text[TEXT_MAX], uid_t *ret_uid)
{
    AUTO_CLOSE int fd = openat(dirfd, path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    if (fd < 0)
        return -errno;
    struct stat status;
    if (fstat(fd, &status) < 0)
        return -errno;
    if (!S_ISREG(status.st_mode))
        return -EINVAL;
    ssize_t n = read(fd, text, TEXT_MAX - 1);
    if (n < 0)
        return -errno;
    text[n] = '\0';
    *ret_uid = status.st_uid;
    return 0;
}

const char *stamp_boot_id(void)
{
    static char boot[STAMP_BOOT_MAX];
    char text[TEXT_MAX];
    uid_t uid;
    if (boot[0] == '\0' &&
        read_text(AT_FDCWD, "/proc/sys/kernel/random/boot_id", text, &uid) == 0) {
        text[strcspn(text, "\n")] = '\0';
        snprintf(boot, sizeof boot, "%.*s", (int)sizeof boot - 1, text);
    }
    return boot;
}

/* Field 22 of /proc/PID/stat, counted behind the last ')': a name may hold spaces and brackets. */
static uint64_t start_of(uint64_t pid)
{
    char path[64], text[TEXT_MAX];
    uid_t uid;
    snprintf(path, sizeof path, "/proc/%" PRIu64 "/stat", pid);
    if (read_text(AT_FDCWD, path, text, &uid) < 0)
        return 0;
    const char *at = strrchr(text, ')');
    for (int field = 2; at && field < 22; field++) {
        at = strchr(at, ' ');
        at = at ? at + 1 : NULL;
    }
    return at ? strtoull(at, NULL, 10) : 0;
}

void stamp_sidecar(const char *file, char ret_name[NAME_MAX + 1])
{
    bool is_temporary = strncmp(file, ".iodyno-", 8) == 0;
    snprintf(ret_name, NAME_MAX + 1, "%s%.*s.stamp", is_temporary ? "" : ".iodyno-", STAMP_FILE_MAX,
             file);
}

void stamp_make(struct stamp *stamp, const char *file, const struct stat *status,
                uint64_t planned_bytes)
{
    *stamp = (struct stamp){.pid = (uint64_t)getpid(),
                            .device = status->st_dev,
                            .inode = status->st_ino,
                            .planned_bytes = planned_bytes};
    stamp->start = start_of(stamp->pid);
    snprintf(stamp->name, sizeof stamp->name, "%s", file);
    snprintf(stamp->boot, sizeof stamp->boot, "%s", stamp_boot_id());
}

/* A power cut leaves the old one or the new one: a file without a stamp would be a stranger's. */
static int replace(int dirfd, const char *name, const char *text, size_t size)
{
    char next[NAME_MAX + 1];
    snprintf(next, sizeof next, "%.*s.new", NAME_MAX - 4, name);
    if (unlinkat(dirfd, next, 0) < 0 && errno != ENOENT)
        return -errno;
    AUTO_CLOSE int fd =
        openat(dirfd, next, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (fd < 0)
        return -errno;
    ssize_t written = write(fd, text, size);
    int error = written < 0 || fsync(fd) < 0 ? -errno : (size_t)written < size ? -ENOSPC : 0;
    if (error == 0 && renameat(dirfd, next, dirfd, name) < 0)
        error = -errno;
    if (error < 0)
        (void)unlinkat(dirfd, next, 0);
    else
        (void)fsync(dirfd); /* some filesystems cannot; their files come back all the same */
    return error;
}

int stamp_write(int dirfd, const struct stamp *stamp)
{
    char name[NAME_MAX + 1], text[TEXT_MAX];
    stamp_sidecar(stamp->name, name);
    int n = snprintf(text, sizeof text,
                     MAGIC "\nboot %s\npid %" PRIu64 "\nstart %" PRIu64 "\ndevice %" PRIu64
                           "\ninode %" PRIu64 "\nplanned %" PRIu64 "\n",
                     stamp->boot, stamp->pid, stamp->start, stamp->device, stamp->inode,
                     stamp->planned_bytes);
    if (stamp->total_bytes)
        n += snprintf(text + n, sizeof text - (size_t)n, "total %" PRIu64 "\n", stamp->total_bytes);
    if (stamp->is_final)
        n += snprintf(text + n, sizeof text - (size_t)n, "bytes %" PRIu64 "\nmtime %" PRId64 "\n",
                      stamp->final_bytes, stamp->mtime_s);
    n += snprintf(text + n, sizeof text - (size_t)n, "name %s\n", stamp->name);
    return replace(dirfd, name, text, (size_t)n);
}

static bool take_number(const char *line, const char *key, uint64_t *io_value)
{
    size_t length = strlen(key);
    if (strncmp(line, key, length) != 0 || line[length] != ' ')
        return false;
    char *end;
    errno = 0;
    uint64_t value = strtoull(line + length + 1, &end, 10);
    if (errno || *end != '\0' || line[length + 1] < '0' || line[length + 1] > '9')
        return false;
    *io_value = value;
    return true;
}

static int parse(char *text, struct stamp *stamp)
{
    enum { BOOT = 1, PID = 2, DEVICE = 4, INODE = 8, PLANNED = 16, NAME = 32, ALL = 63 };
    unsigned seen = 0, final = 0;
    uint64_t mtime = 0;
    char *rest = NULL;
    char *line = strtok_r(text, "\n", &rest);
    if (!line || strcmp(line, MAGIC) != 0)
        return -EINVAL;
    while ((line = strtok_r(NULL, "\n", &rest))) {
        if (strncmp(line, "boot ", 5) == 0) {
            snprintf(stamp->boot, sizeof stamp->boot, "%.*s", (int)sizeof stamp->boot - 1,
                     line + 5);
            seen |= BOOT;
        } else if (strncmp(line, "name ", 5) == 0) {
            snprintf(stamp->name, sizeof stamp->name, "%.*s", STAMP_FILE_MAX, line + 5);
            seen |= NAME;
        } else if (take_number(line, "pid", &stamp->pid)) {
            seen |= PID;
        } else if (take_number(line, "device", &stamp->device)) {
            seen |= DEVICE;
        } else if (take_number(line, "inode", &stamp->inode)) {
            seen |= INODE;
        } else if (take_number(line, "planned", &stamp->planned_bytes)) {
            seen |= PLANNED;
        } else if (take_number(line, "bytes", &stamp->final_bytes) ||
                   take_number(line, "mtime", &mtime)) {
            final++;
        } else if (!take_number(line, "total", &stamp->total_bytes)) {
            (void)take_number(line, "start", &stamp->start);
        }
    }
    stamp->is_final = final == 2;
    stamp->mtime_s = (int64_t)mtime;
    return seen == ALL ? 0 : -EINVAL;
}

int stamp_read(int dirfd, const char *file, struct stamp *ret_stamp)
{
    char name[NAME_MAX + 1], text[TEXT_MAX];
    struct stat status;
    uid_t uid;
    stamp_sidecar(file, name);
    int error = read_text(dirfd, name, text, &uid);
    if (error < 0)
        return error;
    struct stamp stamp = {0};
    error = parse(text, &stamp);
    if (error < 0)
        return error;
    if (strcmp(stamp.name, file) != 0)
        return -EINVAL;
    /* In a folder that many may write to, nobody stamps another one's file. */
    if (fstatat(dirfd, file, &status, AT_SYMLINK_NOFOLLOW) == 0 && status.st_uid != uid)
        return -EPERM;
    *ret_stamp = stamp;
    return 0;
}

int stamp_remove(int dirfd, const char *file)
{
    char name[NAME_MAX + 1];
    stamp_sidecar(file, name);
    return unlinkat(dirfd, name, 0) < 0 ? -errno : 0;
}

bool stamp_owner_alive(const struct stamp *stamp)
{
    if (stamp->boot[0] == '\0' || strcmp(stamp->boot, stamp_boot_id()) != 0)
        return false;
    uint64_t start = start_of(stamp->pid);
    return start != 0 && (stamp->start == 0 || start == stamp->start);
}

bool stamp_fits(const struct stamp *stamp, const struct stat *status, bool has_inodes)
{
    if (!S_ISREG(status->st_mode) || status->st_nlink > 1)
        return false;
    if (has_inodes && status->st_ino != stamp->inode)
        return false;
    return (uint64_t)status->st_size <= stamp->planned_bytes;
}

bool stamp_untouched(const struct stamp *stamp, const struct stat *status)
{
    int64_t apart = (int64_t)status->st_mtime - stamp->mtime_s;
    return stamp->is_final && (uint64_t)status->st_size == stamp->final_bytes &&
           apart >= -MTIME_SLACK_S && apart <= MTIME_SLACK_S;
}
