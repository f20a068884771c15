#include "device/scan.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/log.h"
#include "base/str.h"
#include "device/block.h"
#include "device/sysfs.h"

struct entry { /* a name in class/block */
    const char *name;
    char *target; /* text of its link; of a folder: its name */
    size_t index; /* of its device; SIZE_MAX: not read (yet) */
};

struct scan {
    const char *root, *class;
    struct entry *entries; /* sorted by target: a disk stands before its partitions */
    size_t count;
    struct device *devices;
    size_t device_count;
    size_t open_index; /* of the disk whose folder is open; SIZE_MAX: none */
    int open_fd;
};

static int compare_entries(const void *a, const void *b)
{
    const struct entry *left = a, *right = b;
    return strcmp(left->target, right->target);
}

/* The entry whose link leads to the folder above the one this entry's leads to. */
static const struct entry *find_disk(const struct scan *scan, const struct entry *entry)
{
    AUTO_FREE char *above = mem_copy_text(entry->target);
    char *slash = strrchr(above, '/');
    if (!slash)
        return NULL;
    *slash = '\0';
    const struct entry key = {.target = above};
    return bsearch(&key, scan->entries, scan->count, sizeof key, compare_entries);
}

/* Partitions follow their disk: its folder is opened once for all of them. */
static int open_disk(struct scan *scan, size_t index)
{
    if (scan->open_index == index)
        return scan->open_fd;
    if (scan->open_fd >= 0)
        (void)close(scan->open_fd);
    scan->open_fd = -1;
    scan->open_index = index;
    (void)sysfs_open(scan->devices[index].sysfs_path, &scan->open_fd);
    return scan->open_fd;
}

/* A partition's folder is its disk's and a name: nothing needs resolving, and a link that is none
 * of the kernel's is not followed. */
static int read_below(struct scan *scan, size_t index, const char *name, struct device *ret_device)
{
    int fd = open_disk(scan, index);
    if (fd < 0 || !sysfs_is_folder_at(fd, name))
        return -ENODEV;
    return block_read_part(fd, name, &scan->devices[index], ret_device);
}

static int read_entry(struct scan *scan, const struct entry *entry, struct device *ret_device)
{
    const struct entry *disk = find_disk(scan, entry);
    if (disk && disk->index != SIZE_MAX &&
        read_below(scan, disk->index, sysfs_base(entry->target), ret_device) == 0)
        return 0;
    AUTO_FREE char *folder = NULL;
    int rc = sysfs_follow(scan->root, scan->class, entry->name, &folder);
    if (rc == 0)
        rc = block_read(scan->root, folder, ret_device);
    if (rc < 0) /* or it went between the listing and the reading */
        log_say(scan->root[0] ? LOG_WARNING : LOG_INFO, "%s/%s is skipped: it is no block device",
                scan->class, entry->name);
    return rc;
}

static void read_all(struct scan *scan)
{
    scan->devices = mem_new(scan->count + 1, sizeof *scan->devices);
    for (size_t i = 0; i < scan->count; i++)
        if (read_entry(scan, &scan->entries[i], &scan->devices[scan->device_count]) == 0)
            scan->entries[i].index = scan->device_count++;
    if (scan->open_fd >= 0)
        (void)close(scan->open_fd);
}

int scan_blocks(const char *root, struct device **ret_devices, size_t *ret_count)
{
    AUTO_FREE char *sys = NULL, *class = NULL;
    *ret_devices = NULL;
    *ret_count = 0;
    int rc = sysfs_resolve(root, "/sys", &sys);
    if (rc < 0)
        return rc;
    AUTO_CLOSE int class_fd = -1;
    char **names = NULL;
    if (sysfs_resolve(root, "/sys/class/block", &class) < 0 || sysfs_open(class, &class_fd) < 0 ||
        sysfs_names(class, &names) < 0)
        return 0;
    struct scan scan = {.root = root, .class = class, .open_index = SIZE_MAX, .open_fd = -1};
    while (names[scan.count])
        scan.count++;
    AUTO_FREE struct entry *entries = mem_new(scan.count + 1, sizeof *entries);
    for (size_t i = 0; i < scan.count; i++) {
        char *target = sysfs_link_at(class_fd, names[i]);
        entries[i] = (struct entry){names[i], target ? target : mem_copy_text(names[i]), SIZE_MAX};
    }
    qsort(entries, scan.count, sizeof *entries, compare_entries);
    scan.entries = entries;
    read_all(&scan);
    for (size_t i = 0; i < scan.count; i++)
        free(entries[i].target);
    sysfs_list_free(names);
    *ret_devices = scan.devices;
    *ret_count = scan.device_count;
    return 0;
}
