#include "worker/media.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/err.h"
#include "base/str.h"
#include "device/device.h"
#include "device/folder.h"
#include "device/node.h"
#include "device/part.h"
#include "device/sysfs.h"
#include "wire/channel.h"
#include "worker/row.h"

struct disk {
    const char *name;
    struct str stat;  /* its counters at the last look */
    uint64_t sectors; /* its size then */
    bool was_seen;
};

static bool is_name(const char *name)
{
    return name[0] && name[0] != '.' && !strchr(name, '/');
}

/* Opens the node that the kernel names: where there is no udev there are no links either. */
static int look(const struct folder *folder)
{
    struct device device = {.major = 0};
    AUTO(str_done) struct str path = {0};
    AUTO_CLOSE int fd = -1;
    int rc = part_read_number(folder, "dev", &device);
    if (rc < 0)
        return rc;
    node_path(folder->path, &path);
    return node_open(path.text, device.major, device.minor, O_RDONLY | O_NONBLOCK, &fd);
}

/* 1: its medium came or went since the last look, 0: not, or negative errno. */
static int look_at(struct disk *disk)
{
    AUTO_FREE char *path = NULL;
    AUTO(folder_close) struct folder folder = {.fd = -1};
    AUTO(str_done) struct str where = {0}, now = {0};
    uint64_t sectors = 0;
    str_addf(&where, "/sys/class/block/%s", disk->name);
    int rc = sysfs_resolve("", where.text, &path);
    if (rc == 0)
        rc = folder_open(path, &folder);
    if (rc < 0)
        return rc;
    (void)folder_text(&folder, "stat", &now);
    bool is_busy = disk->stat.size > 0 && strcmp(str_text(&now), disk->stat.text) != 0;
    str_clear(&disk->stat);
    str_add(&disk->stat, str_text(&now));
    if (is_busy) /* what moves data has its medium, and may be measured */
        return 0;
    if (!disk->was_seen)
        (void)folder_number(&folder, "size", &disk->sectors);
    rc = look(&folder);
    (void)folder_number(&folder, "size", &sectors);
    bool is_changed = sectors != disk->sectors;
    disk->sectors = sectors;
    disk->was_seen = true;
    return is_changed ? 1 : rc == -ENOMEDIUM ? 0 : rc;
}

/* One round; negative errno when there is no use in another one. */
static int look_at_all(struct disk *disks, size_t count)
{
    AUTO(str_done) struct str row = {0}, why = {0};
    bool is_changed = false;
    int refused = 0;
    for (size_t i = 0; i < count; i++) {
        int rc = look_at(&disks[i]);
        is_changed = is_changed || rc == 1;
        if (rc == -EACCES || rc == -EPERM) {
            refused = rc;
            str_clear(&why);
            str_addf(&why, "cannot open /dev/%s: %s", disks[i].name, err_text(rc));
        }
    }
    str_add_pair(&row, "changed", is_changed ? "true" : "false");
    if (refused < 0)
        str_add_pair(&row, "why", why.text);
    int sent = row_send(&row);
    return sent < 0 ? sent : refused;
}

/* Until the next look is due: 0; the line was closed: -EPIPE. */
static int wait_for_next(void)
{
    struct pollfd line = {.fd = CHANNEL_FD, .events = POLLRDHUP};
    int rc = poll(&line, 1, MEDIA_EVERY_MS);
    return rc < 0 && errno != EINTR ? -errno : rc > 0 ? -EPIPE : 0;
}

int media_main(int argc, char **argv)
{
    bool is_watch = argc > 3 && strcmp(argv[2], "watch") == 0;
    bool is_understood = is_watch || (argc > 3 && strcmp(argv[2], "once") == 0);
    for (int i = 3; i < argc; i++)
        is_understood = is_understood && is_name(argv[i]);
    if (!is_understood) {
        (void)fprintf(stderr, "usage: iodyno-worker --media once|watch DISK ...\n");
        return 2;
    }
    size_t count = (size_t)argc - 3;
    AUTO_FREE struct disk *disks = mem_new(count, sizeof *disks);
    for (size_t i = 0; i < count; i++)
        disks[i].name = argv[i + 3];
    int rc = look_at_all(disks, count);
    while (rc == 0 && is_watch && wait_for_next() == 0)
        rc = look_at_all(disks, count);
    for (size_t i = 0; i < count; i++)
        str_done(&disks[i].stat);
    return rc < 0 ? 1 : 0;
}
