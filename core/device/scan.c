#include "device/scan.h"

#include <stdlib.h>
#include <string.h>

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

/* A partition's folder is its disk's and a name: nothing needs resolving, and a link that is none
 * of the kernel's is not followed. */
static int read_below(const struct device *disk, const struct entry *entry,
                      struct device *ret_device)
{
    AUTO(str_done) struct str folder = {0};
    str_addf(&folder, "%s/%s", disk->sysfs_path, sysfs_base(entry->target));
    if (!sysfs_is_folder(folder.text) || !sysfs_has(folder.text, "partition"))
        return -1;
    return block_read_part(folder.text, disk, ret_device);
}

static int read_entry(const struct scan *scan, const struct entry *entry, struct device *ret_device)
{
    const struct entry *disk = find_disk(scan, entry);
    if (disk && disk->index != SIZE_MAX &&
        read_below(&scan->devices[disk->index], entry, ret_device) == 0)
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
}

int scan_blocks(const char *root, struct device **ret_devices, size_t *ret_count)
{
    AUTO_FREE char *sys = NULL, *class = NULL;
    *ret_devices = NULL;
    *ret_count = 0;
    int rc = sysfs_resolve(root, "/sys", &sys);
    if (rc < 0)
        return rc;
    char **names = NULL;
    if (sysfs_resolve(root, "/sys/class/block", &class) < 0 || sysfs_list(class, &names) < 0)
        return 0;
    struct scan scan = {.root = root, .class = class};
    while (names[scan.count])
        scan.count++;
    AUTO_FREE struct entry *entries = mem_new(scan.count + 1, sizeof *entries);
    for (size_t i = 0; i < scan.count; i++) {
        char *target = sysfs_link(class, names[i]);
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
