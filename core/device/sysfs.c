#include "device/sysfs.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/str.h"
#include "device/folder.h"

static char *resolved(const char *path)
{
    AUTO_CLOSE int fd = open(path, O_PATH | O_CLOEXEC);
    return fd < 0 ? NULL : folder_path_of(fd, path);
}

static int resolve_within(const char *root, const char *path, char **ret_path)
{
    AUTO_FREE char *found = resolved(path);
    if (!found)
        return -errno;
    AUTO_FREE char *base = root[0] ? resolved(root) : NULL;
    if (root[0] && !base)
        return -errno;
    if (base && !folder_is_within(found, base))
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

static void join(struct str *into, const char *folder, const char *name)
{
    str_add(into, folder);
    str_add_bytes(into, "/", 1);
    str_add(into, name);
}

int sysfs_file(const char *folder, const char *name, size_t limit, struct str *into)
{
    AUTO(str_done) struct str path = {0};
    const struct folder none = folder_none(folder);
    join(&path, folder, name);
    return folder_file(&none, path.text, limit, into);
}

int sysfs_text(const char *folder, const char *name, struct str *into)
{
    AUTO(str_done) struct str path = {0};
    const struct folder none = folder_none(folder);
    join(&path, folder, name);
    return folder_text(&none, path.text, into);
}

char *sysfs_label(const char *folder, const char *name)
{
    AUTO(str_done) struct str path = {0};
    const struct folder none = folder_none(folder);
    join(&path, folder, name);
    return folder_label(&none, path.text);
}

int sysfs_number(const char *folder, const char *name, uint64_t *ret_value)
{
    AUTO(str_done) struct str path = {0};
    const struct folder none = folder_none(folder);
    join(&path, folder, name);
    return folder_number(&none, path.text, ret_value);
}

bool sysfs_has(const char *folder, const char *name)
{
    AUTO(str_done) struct str path = {0};
    const struct folder none = folder_none(folder);
    join(&path, folder, name);
    return folder_has(&none, path.text);
}

char *sysfs_link(const char *folder, const char *name)
{
    AUTO(str_done) struct str path = {0};
    const struct folder none = folder_none(folder);
    join(&path, folder, name);
    return folder_link(&none, path.text);
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
