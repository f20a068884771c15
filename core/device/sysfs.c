#include "device/sysfs.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/cleanup.h"
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

static int resolve_within(const char *root, const char *path, char **ret_path)
{
    AUTO_FREE char *resolved = realpath(path, NULL);
    if (!resolved)
        return -errno;
    AUTO_FREE char *base = realpath(root[0] ? root : "/", NULL);
    if (!base)
        return -errno;
    if (!is_within(resolved, base))
        return -EXDEV;
    *ret_path = take_pointer(&resolved);
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

int sysfs_text(const char *folder, const char *name, struct str *into)
{
    AUTO(str_done) struct str path = {0};
    str_addf(&path, "%s/%s", folder, name);
    /* A recorded tree may hold a pipe or a link where a text belongs: reading it could wait for
     * ever. */
    struct stat about;
    if (lstat(path.text, &about) < 0)
        return -errno;
    if (!S_ISREG(about.st_mode))
        return -EINVAL;
    AUTO(str_done) struct str text = {0};
    int rc = file_read(path.text, SYSFS_TEXT_MAX, &text);
    if (rc < 0)
        return rc;
    size_t size = text.size;
    while (size > 0 && isspace((unsigned char)text.text[size - 1]))
        size--;
    str_add_bytes(into, str_text(&text), size);
    return 0;
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

int sysfs_number(const char *folder, const char *name, uint64_t *ret_value)
{
    AUTO(str_done) struct str text = {0};
    int rc = sysfs_text(folder, name, &text);
    return rc < 0 ? rc : units_parse_u64(str_text(&text), ret_value);
}

bool sysfs_has(const char *folder, const char *name)
{
    AUTO(str_done) struct str path = {0};
    str_addf(&path, "%s/%s", folder, name);
    struct stat about;
    return lstat(path.text, &about) == 0;
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

int sysfs_list(const char *folder, char ***ret_names)
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
    qsort(names, count, sizeof *names, compare_names);
    *ret_names = names;
    return 0;
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
