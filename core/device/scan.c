#include "device/scan.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/log.h"
#include "base/str.h"
#include "device/block.h"
#include "device/folder.h"
#include "device/part.h"
#include "device/sysfs.h"

struct scan {
    const char *root, *base; /* as given; resolved, "" for this machine */
    struct folder class;
    char **names;  /* of class/block, sorted by bytes: a disk stands before its partitions */
    size_t *index; /* of each name's device; SIZE_MAX: not read (yet) */
    size_t count;
    struct device *devices;
    size_t device_count;
    size_t open_index; /* of the disk whose folder is open; SIZE_MAX: none */
    struct folder open_folder;
};

static int compare_names(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

/* The kernel names a partition by its disk: "sda1", and "mmcblk0p1" where the disk's own name ends
 * in a digit. SIZE_MAX when there is no disk of such a name. */
static size_t find_disk(const struct scan *scan, const char *name)
{
    AUTO_FREE char *disk = mem_copy_text(name);
    size_t size = strlen(disk), whole = size;
    while (size > 0 && isdigit((unsigned char)disk[size - 1]))
        size--;
    if (size == whole || size == 0)
        return SIZE_MAX;
    if (size > 1 && disk[size - 1] == 'p' && isdigit((unsigned char)disk[size - 2]))
        size--;
    disk[size] = '\0';
    char **found = bsearch(&disk, scan->names, scan->count, sizeof disk, compare_names);
    return found ? scan->index[found - scan->names] : SIZE_MAX;
}

/* Partitions follow their disk: its folder is opened once for all of them. */
static const struct folder *open_disk(struct scan *scan, size_t index)
{
    if (scan->open_index != index) {
        folder_close(&scan->open_folder);
        scan->open_index = index;
        (void)folder_open(scan->devices[index].sysfs_path, &scan->open_folder);
    }
    return &scan->open_folder;
}

/* A partition's folder is its disk's and a name: no link of it is followed. */
static int read_below(struct scan *scan, size_t index, const char *name, struct device *ret_device)
{
    const struct folder *folder = open_disk(scan, index);
    if (folder->fd < 0 || !folder_has_folder(folder, name))
        return -ENODEV;
    return part_read(folder, name, &scan->devices[index], ret_device);
}

/* Its folder stays open, as the open disk's, for the partitions that follow. */
static int read_linked(struct scan *scan, const char *name, struct device *ret_device)
{
    AUTO(folder_close) struct folder folder = {.fd = -1};
    AUTO_FREE char *path = NULL;
    int rc = folder_enter(&scan->class, scan->base, name, &folder, &path);
    if (rc < 0)
        return rc;
    if (folder_has(&folder, "partition"))
        return block_read(scan->root, path, ret_device);
    rc = block_read_disk(scan->root, scan->base, &folder, ret_device);
    if (rc < 0)
        return rc;
    folder_close(&scan->open_folder);
    scan->open_folder = folder;
    scan->open_folder.path = ret_device->sysfs_path;
    scan->open_index = scan->device_count; /* where it will stand */
    folder.fd = -1;
    return 0;
}

static int read_entry(struct scan *scan, const char *name, struct device *ret_device)
{
    size_t disk = find_disk(scan, name);
    if (disk != SIZE_MAX && scan->devices[disk].kind != DEVICE_PARTITION &&
        read_below(scan, disk, name, ret_device) == 0)
        return 0;
    int rc = read_linked(scan, name, ret_device);
    if (rc < 0) /* or it went between the listing and the reading */
        log_say(scan->root[0] ? LOG_WARNING : LOG_INFO, "%s/%s is skipped: it is no block device",
                scan->class.path, name);
    return rc;
}

static void read_all(struct scan *scan)
{
    scan->devices = mem_new(scan->count + 1, sizeof *scan->devices);
    for (size_t i = 0; i < scan->count; i++)
        if (read_entry(scan, scan->names[i], &scan->devices[scan->device_count]) == 0)
            scan->index[i] = scan->device_count++;
    folder_close(&scan->open_folder);
}

int scan_blocks(const char *root, struct device **ret_devices, size_t *ret_count)
{
    AUTO_FREE char *sys = NULL, *base = NULL, *class = NULL;
    *ret_devices = NULL;
    *ret_count = 0;
    int rc = sysfs_resolve(root, "/sys", &sys);
    if (rc == 0 && root[0])
        rc = sysfs_resolve(root, "/", &base);
    if (rc < 0)
        return rc;
    struct scan scan = {.root = root,
                        .base = base ? base : "",
                        .class = {.fd = -1},
                        .open_index = SIZE_MAX,
                        .open_folder = {.fd = -1}};
    if (sysfs_resolve(root, "/sys/class/block", &class) < 0 ||
        folder_open(class, &scan.class) < 0 || sysfs_names(class, &scan.names) < 0) {
        folder_close(&scan.class);
        return 0;
    }
    while (scan.names[scan.count])
        scan.count++;
    if (scan.count > 0)
        qsort(scan.names, scan.count, sizeof *scan.names, compare_names);
    scan.index = mem_new(scan.count + 1, sizeof *scan.index);
    for (size_t i = 0; i < scan.count; i++)
        scan.index[i] = SIZE_MAX;
    read_all(&scan);
    folder_close(&scan.class);
    free(scan.index);
    sysfs_list_free(scan.names);
    *ret_devices = scan.devices;
    *ret_count = scan.device_count;
    return 0;
}
