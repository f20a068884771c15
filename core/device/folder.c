#include "device/folder.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/magic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/log.h"
#include "base/str.h"
#include "base/units.h"

#define NODEV_FLAG 4 /* ST_NODEV of statfs(2) */

static unsigned long opened;

unsigned long folder_opened(void)
{
    return opened;
}

/* ---- open folders */

/* Of the kernel's own file systems none has device nodes, of others those mounted with nodev. */
static bool may_have_nodes(int fd)
{
    struct statfs about;
    return fstatfs(fd, &about) < 0 ||
           (about.f_type != SYSFS_MAGIC && about.f_type != PROC_SUPER_MAGIC &&
            !(about.f_flags & NODEV_FLAG));
}

/* realpath asks for each part of a long path; the kernel knows the whole one. */
char *folder_path_of(int fd, const char *path)
{
    AUTO(str_done) struct str link = {0};
    char text[PATH_MAX];
    str_addf(&link, "/proc/self/fd/%d", fd);
    ssize_t size = readlink(link.text, text, sizeof text);
    if (size <= 0 || (size_t)size == sizeof text || text[0] != '/') /* no /proc here */
        return realpath(path, NULL);
    text[size] = '\0';
    return mem_copy_text(text);
}

int folder_open(const char *path, struct folder *ret_folder)
{
    int fd = open(path, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (fd < 0)
        return -errno;
    *ret_folder = (struct folder){fd, path, may_have_nodes(fd)};
    return 0;
}

bool folder_is_within(const char *path, const char *base)
{
    size_t size = strlen(base);
    if (size <= 1) /* "", "/" */
        return true;
    return strncmp(path, base, size) == 0 && (path[size] == '/' || path[size] == '\0');
}

int folder_enter(const struct folder *above, const char *base, const char *name,
                 struct folder *ret_folder, char **ret_path)
{
    AUTO_CLOSE int fd = openat(above->fd, name, O_PATH | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0)
        return -errno;
    AUTO(str_done) struct str full = {0};
    str_addf(&full, "%s/%s", above->path, name);
    AUTO_FREE char *path = folder_path_of(fd, full.text);
    if (!path)
        return -errno;
    if (!folder_is_within(path, base))
        return -EXDEV;
    *ret_folder = (struct folder){fd, path, may_have_nodes(fd)};
    (void)take_fd(&fd);
    *ret_path = take_pointer(&path);
    return 0;
}

void folder_close(struct folder *folder)
{
    if (folder->fd >= 0)
        (void)close(folder->fd);
    folder->fd = -1;
}

struct folder folder_none(const char *path)
{
    return (struct folder){AT_FDCWD, path, true};
}

/* ---- texts */

/* The kernel's own texts are as they are; of a recorded tree its maker wants to know. */
static void say_skipped(const struct folder *folder, const char *name, const char *why)
{
    bool is_own = str_starts(folder->path, "/sys/") || str_starts(folder->path, "/proc/");
    bool is_whole = folder->fd == AT_FDCWD;
    log_say(is_own ? LOG_INFO : LOG_WARNING, "%s%s%s is skipped: %s", is_whole ? "" : folder->path,
            is_whole ? "" : "/", name, why);
}

static int look(const struct folder *folder, const char *name)
{
    struct stat about;
    if (fstatat(folder->fd, name, &about, AT_SYMLINK_NOFOLLOW) < 0)
        return -errno;
    return S_ISREG(about.st_mode) ? 0 : -EINVAL;
}

static int open_text(const struct folder *folder, const char *name, int *ret_fd)
{
    int rc = folder->has_nodes ? look(folder, name) : 0;
    if (rc < 0)
        return rc;
    int fd = openat(folder->fd, name, O_RDONLY | O_NONBLOCK | O_NOFOLLOW | O_NOCTTY | O_CLOEXEC);
    if (fd < 0) { /* absent, not permitted, or a link or device that is not opened */
        rc = -errno;
        return rc != -ENOENT && look(folder, name) == -EINVAL ? -EINVAL : rc;
    }
    opened++;
    *ret_fd = fd;
    return 0;
}

/* By its place: nothing is taken out of a pipe. */
static int read_at(int fd, char *into, size_t room, size_t place, size_t *ret_size)
{
    ssize_t size;
    do
        size = pread(fd, into, room, (off_t)place);
    while (size < 0 && errno == EINTR);
    if (size < 0)
        return errno == EISDIR || errno == ESPIPE ? -EINVAL : -errno;
    *ret_size = (size_t)size;
    return 0;
}

/* Adds what `name` holds, `limit` bytes at most; an answer shorter than what was asked for is the
 * end where `ends_short`. */
static int read_name(const struct folder *folder, const char *name, size_t limit, bool ends_short,
                     struct str *into)
{
    AUTO_CLOSE int fd = -1;
    char piece[FOLDER_TEXT_MAX];
    int rc = open_text(folder, name, &fd);
    bool is_end = false;
    for (size_t total = 0, size = 0; rc == 0 && !is_end && total < limit; total += size) {
        size_t room = limit - total < sizeof piece ? limit - total : sizeof piece;
        rc = read_at(fd, piece, room, total, &size);
        if (rc == 0)
            str_add_bytes(into, piece, size);
        is_end = size == 0 || (ends_short && size < room);
    }
    if (rc == -EINVAL)
        say_skipped(folder, name, "it is no regular file");
    return rc;
}

int folder_file(const struct folder *folder, const char *name, size_t limit, struct str *into)
{
    return read_name(folder, name, limit, false, into);
}

/* The kernel answers an attribute with one read. Without its trailing blanks. */
int folder_text(const struct folder *folder, const char *name, struct str *into)
{
    size_t before = into->size;
    int rc = read_name(folder, name, FOLDER_TEXT_MAX, true, into);
    while (into->size > before && isspace((unsigned char)into->text[into->size - 1]))
        into->text[--into->size] = '\0';
    return rc;
}

char *folder_label(const struct folder *folder, const char *name)
{
    AUTO(str_done) struct str text = {0};
    if (folder_text(folder, name, &text) < 0)
        return NULL;
    const char *start = str_text(&text);
    size_t size = text.size;
    /* Fixed-width fields of cards and bridges are filled with NULs or blanks. */
    while (size > 0 && (start[size - 1] == '\0' || isspace((unsigned char)start[size - 1])))
        size--;
    while (size > 0 && isspace((unsigned char)*start)) {
        start++;
        size--;
    }
    if (size == 0)
        return NULL;
    struct str label = {0};
    str_add_clean(&label, start, size);
    return str_take(&label);
}

int folder_number(const struct folder *folder, const char *name, uint64_t *ret_value)
{
    AUTO(str_done) struct str text = {0};
    int rc = folder_text(folder, name, &text);
    if (rc < 0)
        return rc;
    rc = strlen(str_text(&text)) == text.size ? units_parse_u64(str_text(&text), ret_value)
                                              : -EINVAL; /* NUL bytes inside */
    if (rc < 0)
        say_skipped(folder, name, "it is no number");
    return rc;
}

char *folder_link(const struct folder *folder, const char *name)
{
    char target[PATH_MAX];
    ssize_t size = readlinkat(folder->fd, name, target, sizeof target - 1);
    if (size <= 0)
        return NULL;
    target[size] = '\0';
    return mem_copy_text(target);
}

bool folder_has(const struct folder *folder, const char *name)
{
    struct stat about;
    return fstatat(folder->fd, name, &about, AT_SYMLINK_NOFOLLOW) == 0;
}

bool folder_has_folder(const struct folder *folder, const char *name)
{
    struct stat about;
    return fstatat(folder->fd, name, &about, AT_SYMLINK_NOFOLLOW) == 0 && S_ISDIR(about.st_mode);
}
