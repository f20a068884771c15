#include "device/sysfs.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/log.h"
#include "base/str.h"
#include "base/units.h"

/* Is the resolved `path` the resolved `base` or below it? */
static bool is_within(const char *path, const char *base)
{
    size_t size = strlen(base);
    if (size == 1) /* "/" */
        return true;
    return strncmp(path, base, size) == 0 && (path[size] == '/' || path[size] == '\0');
}

/* realpath asks for each component of a long path; the kernel knows the whole one. */
static char *resolved(const char *path)
{
    AUTO_CLOSE int fd = open(path, O_PATH | O_CLOEXEC);
    if (fd < 0)
        return NULL;
    AUTO(str_done) struct str link = {0};
    char text[PATH_MAX];
    str_addf(&link, "/proc/self/fd/%d", fd);
    ssize_t size = readlink(link.text, text, sizeof text);
    if (size <= 0 || (size_t)size == sizeof text || text[0] != '/') /* no /proc here */
        return realpath(path, NULL);
    text[size] = '\0';
    return mem_copy_text(text);
}

static int resolve_within(const char *root, const char *path, char **ret_path)
{
    AUTO_FREE char *found = resolved(path);
    if (!found)
        return -errno;
    AUTO_FREE char *base = root[0] ? resolved(root) : NULL;
    if (root[0] && !base)
        return -errno;
    if (base && !is_within(found, base))
        return -EXDEV;
    *ret_path = take_pointer(&found);
    return 0;
}

int sysfs_resolve(const char *root, const char *path, char **ret_path)
{
    AUTO(str_done) struct str full = {0};
    str_addf(&full, "%s%s%s", root, path[0] == '/' ? "" : "/", path);
    return resolve_within(root, full.text, ret_path);
}

int sysfs_follow(const char *root, const char *folder, const char *name, char **ret_path)
{
    AUTO(str_done) struct str full = {0};
    str_addf(&full, "%s/%s", folder, name);
    return resolve_within(root, full.text, ret_path);
}

static unsigned long opened;

/* The kernel's own texts are as they are; of a recorded tree its maker wants to know. */
static enum log_level skip_level(const char *folder)
{
    return str_starts(folder, "/sys/") || str_starts(folder, "/proc/") ? LOG_INFO : LOG_WARNING;
}

unsigned long sysfs_opened(void)
{
    return opened;
}

/* A recorded tree may hold a pipe, a device or a link where a text belongs: reading it could wait
 * for ever. */
static int open_text(int dirfd, const char *path, int *ret_fd)
{
    struct stat about;
    if (fstatat(dirfd, path, &about, AT_SYMLINK_NOFOLLOW) < 0)
        return -errno;
    if (!S_ISREG(about.st_mode))
        return -EINVAL;
    AUTO_CLOSE int fd =
        openat(dirfd, path, O_RDONLY | O_NONBLOCK | O_NOFOLLOW | O_NOCTTY | O_CLOEXEC);
    if (fd < 0)
        return -errno;
    opened++;
    *ret_fd = take_fd(&fd);
    return 0;
}

/* An answer shorter than what was asked for is the end, for the kernel's attributes as well. */
static int read_text(int fd, size_t limit, bool ends_short, struct str *into)
{
    char piece[SYSFS_TEXT_MAX];
    for (size_t total = 0; total < limit;) {
        size_t room = limit - total < sizeof piece ? limit - total : sizeof piece;
        ssize_t size = read(fd, piece, room);
        if (size < 0 && errno == EINTR)
            continue;
        if (size <= 0)
            return size < 0 ? -errno : 0;
        str_add_bytes(into, piece, (size_t)size);
        total += (size_t)size;
        if (ends_short && (size_t)size < room)
            break;
    }
    return 0;
}

/* `name` below `folder`, which is open as `dirfd` or (-1) is not. */
static int read_at(int dirfd, const char *folder, const char *name, size_t limit, bool ends_short,
                   struct str *into)
{
    AUTO_CLOSE int fd = -1;
    AUTO(str_done) struct str path = {0};
    if (dirfd < 0) {
        str_add(&path, folder);
        str_add_bytes(&path, "/", 1);
        str_add(&path, name);
    }
    int rc = dirfd < 0 ? open_text(AT_FDCWD, path.text, &fd) : open_text(dirfd, name, &fd);
    if (rc == -EINVAL)
        log_say(skip_level(folder), "%s/%s is skipped: it is no regular file", folder, name);
    return rc < 0 ? rc : read_text(fd, limit, ends_short, into);
}

int sysfs_file(const char *folder, const char *name, size_t limit, struct str *into)
{
    return read_at(-1, folder, name, limit, false, into);
}

int sysfs_open(const char *folder, int *ret_fd)
{
    int fd = open(folder, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (fd < 0)
        return -errno;
    *ret_fd = fd;
    return 0;
}

int sysfs_text_at(int dirfd, const char *folder, const char *name, struct str *into)
{
    AUTO(str_done) struct str text = {0};
    int rc = read_at(dirfd, folder, name, SYSFS_TEXT_MAX, true, &text);
    if (rc < 0)
        return rc;
    size_t size = text.size;
    while (size > 0 && isspace((unsigned char)text.text[size - 1]))
        size--;
    str_add_bytes(into, str_text(&text), size);
    return 0;
}

int sysfs_text(const char *folder, const char *name, struct str *into)
{
    return sysfs_text_at(-1, folder, name, into);
}

char *sysfs_label(const char *folder, const char *name)
{
    AUTO(str_done) struct str text = {0};
    if (sysfs_text(folder, name, &text) < 0)
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

int sysfs_number_at(int dirfd, const char *folder, const char *name, uint64_t *ret_value)
{
    AUTO(str_done) struct str text = {0};
    int rc = sysfs_text_at(dirfd, folder, name, &text);
    if (rc < 0)
        return rc;
    rc = strlen(str_text(&text)) == text.size ? units_parse_u64(str_text(&text), ret_value)
                                              : -EINVAL; /* NUL bytes inside */
    if (rc < 0)
        log_say(skip_level(folder), "%s/%s is skipped: it is no number", folder, name);
    return rc;
}

int sysfs_number(const char *folder, const char *name, uint64_t *ret_value)
{
    return sysfs_number_at(-1, folder, name, ret_value);
}

bool sysfs_has(const char *folder, const char *name)
{
    AUTO(str_done) struct str path = {0};
    str_addf(&path, "%s/%s", folder, name);
    struct stat about;
    return lstat(path.text, &about) == 0;
}

bool sysfs_is_folder_at(int dirfd, const char *name)
{
    struct stat about;
    return fstatat(dirfd, name, &about, AT_SYMLINK_NOFOLLOW) == 0 && S_ISDIR(about.st_mode);
}

bool sysfs_has_at(int dirfd, const char *name)
{
    struct stat about;
    return fstatat(dirfd, name, &about, AT_SYMLINK_NOFOLLOW) == 0;
}

char *sysfs_link_at(int dirfd, const char *name)
{
    char target[PATH_MAX];
    ssize_t size = readlinkat(dirfd, name, target, sizeof target - 1);
    if (size <= 0)
        return NULL;
    target[size] = '\0';
    return mem_copy_text(target);
}

char *sysfs_link(const char *folder, const char *name)
{
    AUTO(str_done) struct str path = {0};
    str_addf(&path, "%s/%s", folder, name);
    return sysfs_link_at(AT_FDCWD, path.text);
}

int sysfs_natural(const char *a, const char *b)
{
    while (*a && *b) {
        if (!isdigit((unsigned char)*a) || !isdigit((unsigned char)*b)) {
            if (*a != *b)
                return (unsigned char)*a < (unsigned char)*b ? -1 : 1;
            a++;
            b++;
            continue;
        }
        while (*a == '0')
            a++;
        while (*b == '0')
            b++;
        size_t a_digits = strspn(a, "0123456789"), b_digits = strspn(b, "0123456789");
        if (a_digits != b_digits)
            return a_digits < b_digits ? -1 : 1;
        int order = strncmp(a, b, a_digits);
        if (order != 0)
            return order;
        a += a_digits;
        b += b_digits;
    }
    return *a ? 1 : *b ? -1 : 0;
}

static int compare_names(const void *a, const void *b)
{
    const char *left = *(char *const *)a, *right = *(char *const *)b;
    int order = sysfs_natural(left, right);
    return order != 0 ? order : strcmp(left, right);
}

static void close_folder(DIR **folder)
{
    if (*folder)
        (void)closedir(*folder);
}

int sysfs_names(const char *folder, char ***ret_names)
{
    AUTO(close_folder) DIR *stream = opendir(folder); /* glibc and musl open it close-on-exec */
    if (!stream)
        return -errno;
    char **names = mem_new(1, sizeof *names);
    size_t count = 0, room = 0;
    const struct dirent *entry;
    while (count < SYSFS_ENTRIES_MAX && (entry = readdir(stream))) {
        if (entry->d_name[0] == '.')
            continue;
        if (count == room) {
            room = room ? room * 2 : 16;
            names = mem_grow(names, room + 1, sizeof *names);
        }
        names[count++] = mem_copy_text(entry->d_name);
    }
    names[count] = NULL;
    *ret_names = names;
    return 0;
}

int sysfs_list(const char *folder, char ***ret_names)
{
    int rc = sysfs_names(folder, ret_names);
    size_t count = 0;
    while (rc == 0 && (*ret_names)[count])
        count++;
    if (count > 1)
        qsort(*ret_names, count, sizeof **ret_names, compare_names);
    return rc;
}

char **sysfs_list_free(char **names)
{
    for (char **name = names; name && *name; name++)
        free(*name);
    free(names);
    return NULL;
}

char *sysfs_above(const char *folder, const char *attribute)
{
    AUTO_FREE char *path = mem_copy_text(folder);
    const char *devices = strstr(path, "/sys/devices/");
    if (!devices)
        return NULL;
    size_t least = (size_t)(devices - path) + strlen("/sys/devices");
    while (strlen(path) > least) {
        if (sysfs_has(path, attribute))
            return take_pointer(&path);
        *strrchr(path, '/') = '\0';
    }
    return NULL;
}

const char *sysfs_base(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}
