#include "device/node.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/str.h"
#include "device/sysfs.h"

int node_half(const char *text, size_t size, unsigned *ret_value)
{
    uint64_t value = 0;
    if (size == 0)
        return -ENODEV;
    for (size_t i = 0; i < size; i++) {
        if (text[i] < '0' || text[i] > '9')
            return -ENODEV;
        value = value * 10 + (uint64_t)(text[i] - '0');
        if (value > UINT32_MAX)
            return -ENODEV;
    }
    *ret_value = (unsigned)value;
    return 0;
}

int node_number(const char *text, size_t size, unsigned *ret_major, unsigned *ret_minor)
{
    const char *colon = memchr(text, ':', size);
    if (!colon)
        return -ENODEV;
    size_t first = (size_t)(colon - text);
    int rc = node_half(text, first, ret_major);
    return rc < 0 ? rc : node_half(colon + 1, size - first - 1, ret_minor);
}

/* The value of a line of a uevent text; NULL. */
static const char *line_of(const char *text, const char *key)
{
    while (!str_starts(text, key)) {
        text = strchr(text, '\n');
        if (!text)
            return NULL;
        text++;
    }
    return text + strlen(key);
}

void node_path(const char *folder, struct str *into)
{
    AUTO(str_done) struct str text = {0};
    (void)sysfs_text(folder, "uevent", &text);
    const char *name = line_of(str_text(&text), "DEVNAME=");
    str_add(into, "/dev/");
    if (name) {
        str_add_bytes(into, name, strcspn(name, "\n"));
        return;
    }
    size_t from = into->size;
    str_add(into, sysfs_base(folder));
    for (char *at = into->text + from; *at; at++)
        if (*at == '!') /* stands for '/' in names of sysfs */
            *at = '/';
}

static bool is_node(const struct stat *about, unsigned major, unsigned minor)
{
    return S_ISBLK(about->st_mode) && about->st_rdev == makedev(major, minor);
}

int node_open(const char *path, unsigned major, unsigned minor, int flags, int *ret_fd)
{
    struct stat about;
    /* Before, too: to open a pipe waits for its writer, to open another device is an act. */
    if (stat(path, &about) < 0)
        return -errno;
    if (!is_node(&about, major, minor))
        return -ENODEV;
    AUTO_CLOSE int fd = open(path, flags | O_CLOEXEC | O_NOCTTY);
    if (fd < 0)
        return -errno;
    if (fstat(fd, &about) < 0 || !is_node(&about, major, minor))
        return -ENODEV;
    *ret_fd = take_fd(&fd);
    return 0;
}
