#include "device/inventory.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/str.h"
#include "device/block.h"
#include "device/board.h"
#include "device/leaf.h"
#include "device/sysfs.h"

static const char no_filesystem[] = "it has no mounted file system: mount it, or name a folder";

static struct device *inventory_add(struct inventory *inventory, struct device device)
{
    inventory->devices =
        mem_grow(inventory->devices, inventory->count + 1, sizeof *inventory->devices);
    inventory->devices[inventory->count] = device;
    return &inventory->devices[inventory->count++];
}

/* A machine without a block layer has no such class: that is no error. */
static int scan_blocks(const char *root, struct inventory *inventory)
{
    AUTO_FREE char *sys = NULL, *class = NULL;
    int rc = sysfs_resolve(root, "/sys", &sys);
    if (rc < 0)
        return rc;
    char **names = NULL;
    if (sysfs_resolve(root, "/sys/class/block", &class) < 0 || sysfs_list(class, &names) < 0)
        return 0;
    for (char **name = names; *name; name++) {
        AUTO_FREE char *folder = NULL;
        struct device device;
        /* A device may go between the listing and the reading. */
        if (sysfs_follow(root, class, *name, &folder) == 0 &&
            block_read(root, folder, &device) == 0)
            inventory_add(inventory, device);
    }
    sysfs_list_free(names);
    return 0;
}

static struct device *find_folder(const struct inventory *inventory, const char *folder)
{
    for (size_t i = 0; i < inventory->count; i++) {
        const char *path = inventory->devices[i].sysfs_path;
        if (path && strcmp(path, folder) == 0)
            return &inventory->devices[i];
    }
    return NULL;
}

static struct device *find_id(const struct inventory *inventory, const char *id)
{
    for (size_t i = 0; i < inventory->count && id; i++)
        if (strcmp(inventory->devices[i].id, id) == 0)
            return &inventory->devices[i];
    return NULL;
}

/* Whole file systems before binds of a part, then shorter points, then by letters. */
static int compare_mounts(const void *a, const void *b)
{
    const struct mount_entry *left = *(struct mount_entry *const *)a,
                             *right = *(struct mount_entry *const *)b;
    bool left_is_part = strcmp(left->root, "/") != 0, right_is_part = strcmp(right->root, "/") != 0;
    if (left_is_part != right_is_part)
        return left_is_part ? 1 : -1;
    size_t left_size = strlen(left->point), right_size = strlen(right->point);
    if (left_size != right_size)
        return left_size < right_size ? -1 : 1;
    return strcmp(left->point, right->point);
}

/* By point; of equal ones the later mount, which covers the others, last. */
static int compare_points(const void *a, const void *b)
{
    const struct mount_entry *left = *(struct mount_entry *const *)a,
                             *right = *(struct mount_entry *const *)b;
    int order = strcmp(left->point, right->point);
    return order != 0 ? order : (left > right) - (left < right);
}

/* The mounts that can be reached by their paths; returns their number. */
static size_t list_reachable(const struct mount_table *table, const struct mount_entry **ret_list)
{
    size_t count = 0;
    for (size_t i = 0; i < table->count; i++)
        ret_list[i] = &table->entries[i];
    qsort(ret_list, table->count, sizeof *ret_list, compare_points);
    for (size_t i = 0; i < table->count; i++) {
        bool is_covered =
            i + 1 < table->count && strcmp(ret_list[i]->point, ret_list[i + 1]->point) == 0;
        if (!is_covered)
            ret_list[count++] = ret_list[i];
    }
    return count;
}

static void add_mount(struct device *device, const struct mount_entry *entry)
{
    size_t count = 0;
    while (device->mounts && device->mounts[count])
        count++;
    if (count == 0) {
        device->filesystem = mem_copy_text(entry->filesystem);
        device->is_mount_read_only = entry->is_read_only;
    }
    device->mounts = mem_grow(device->mounts, count + 2, sizeof *device->mounts);
    device->mounts[count] = mem_copy_text(entry->point);
    device->mounts[count + 1] = NULL;
}

static void place_mount(const char *root, struct inventory *inventory,
                        const struct mount_entry *entry)
{
    char **members = NULL;
    if (leaf_members(root, entry, &members) < 0)
        return;
    for (char **member = members; *member; member++) {
        struct device *device = find_folder(inventory, *member);
        if (device)
            add_mount(device, entry);
    }
    leaf_free(members);
}

/* Marks a device and the disks below it. */
static void mark_root(const char *root, struct inventory *inventory, const char *folder)
{
    struct device *device = find_folder(inventory, folder);
    if (!device)
        return;
    device->is_root = true;
    char **leaves = NULL;
    if (leaf_of_number(root, device->major, device->minor, &leaves) < 0)
        return;
    for (char **leaf = leaves; *leaf; leaf++) {
        struct device *disk = find_folder(inventory, *leaf);
        if (disk)
            disk->is_root = true;
    }
    leaf_free(leaves);
}

static void find_root(const char *root, struct inventory *inventory,
                      const struct mount_table *table)
{
    const struct mount_entry *entry = mount_by_point(table, "/");
    const struct mount_entry *backing = entry ? mount_backing(table, entry) : NULL;
    char **members = NULL;
    if (!backing || leaf_members(root, backing, &members) < 0)
        return;
    for (char **member = members; *member; member++)
        mark_root(root, inventory, *member);
    leaf_free(members);
}

/* Recorded trees may come without a mount table; then nothing is mounted. */
static void scan_mounts(const char *root, struct inventory *inventory)
{
    AUTO(mount_table_done) struct mount_table table = {0};
    if (mount_read(root, &table) < 0 || table.count == 0)
        return;
    AUTO_FREE const struct mount_entry **order = mem_new(table.count, sizeof *order);
    size_t count = list_reachable(&table, order);
    qsort(order, count, sizeof *order, compare_mounts);
    for (size_t i = 0; i < count; i++)
        place_mount(root, inventory, order[i]);
    find_root(root, inventory, &table);
}

/* Is the device or the disk it lies on one that is left out? */
static const char *hidden_why(const struct inventory *inventory, const struct device *device)
{
    const char *why = block_hidden_why(device);
    const struct device *disk = device->parent ? find_id(inventory, device->parent) : NULL;
    return why || !disk ? why : block_hidden_why(disk);
}

static void judge(const struct inventory *inventory, struct device *device)
{
    AUTO(str_done) struct str why = {0};
    const char *hidden = device->kind == DEVICE_DRAM ? NULL : hidden_why(inventory, device);
    if (hidden)
        str_add(&why, hidden);
    else if (device->kind != DEVICE_DRAM) {
        const struct device *mounted = inventory_mounted(inventory, device, &why);
        if (mounted && mounted->is_mount_read_only)
            str_addf(&why, "its file system at %s is mounted read-only", mounted->mounts[0]);
    }
    device->is_testable = why.size == 0;
    device->why = why.size > 0 ? str_take(&why) : NULL;
}

struct rank { /* a device with what it is sorted by */
    struct device device;
    enum device_kind disk_kind;
};

static int compare_ranks(const void *a, const void *b)
{
    const struct rank *left = a, *right = b;
    if (left->disk_kind != right->disk_kind)
        return left->disk_kind < right->disk_kind ? -1 : 1;
    const char *left_disk = left->device.parent ? left->device.parent : left->device.id;
    const char *right_disk = right->device.parent ? right->device.parent : right->device.id;
    int order = sysfs_natural(left_disk, right_disk);
    if (order != 0)
        return order;
    if (!left->device.parent != !right->device.parent)
        return left->device.parent ? 1 : -1;
    order = sysfs_natural(left->device.id, right->device.id);
    return order != 0 ? order : strcmp(left->device.id, right->device.id);
}

static void sort_devices(struct inventory *inventory)
{
    if (inventory->count == 0)
        return;
    AUTO_FREE struct rank *ranks = mem_new(inventory->count, sizeof *ranks);
    for (size_t i = 0; i < inventory->count; i++) {
        const struct device *device = &inventory->devices[i];
        const struct device *disk = find_id(inventory, device->parent);
        ranks[i] = (struct rank){*device, disk ? disk->kind : device->kind};
    }
    qsort(ranks, inventory->count, sizeof *ranks, compare_ranks);
    for (size_t i = 0; i < inventory->count; i++)
        inventory->devices[i] = ranks[i].device;
}

/* The machine's memory: the working set of memory tests, so what the kernel may hand out. */
static void add_dram(const char *root, struct inventory *inventory)
{
    uint64_t size = board_memory(root);
    if (size == 0)
        return;
    inventory_add(inventory, (struct device){.kind = DEVICE_DRAM,
                                             .id = mem_copy_text("dram"),
                                             .size_bytes = size,
                                             .has_medium = true});
}

static void drop_hidden(struct inventory *inventory)
{
    AUTO_FREE bool *is_hidden = mem_new(inventory->count + 1, sizeof *is_hidden);
    for (size_t i = 0; i < inventory->count; i++)
        is_hidden[i] = inventory->devices[i].kind != DEVICE_DRAM &&
                       hidden_why(inventory, &inventory->devices[i]);
    size_t kept = 0;
    for (size_t i = 0; i < inventory->count; i++) {
        if (is_hidden[i])
            device_done(&inventory->devices[i]);
        else
            inventory->devices[kept++] = inventory->devices[i];
    }
    inventory->count = kept;
}

int inventory_scan_all(const char *root, struct inventory *ret_inventory)
{
    AUTO(inventory_done) struct inventory inventory = {0};
    int rc = scan_blocks(root, &inventory);
    if (rc < 0)
        return rc;
    scan_mounts(root, &inventory);
    add_dram(root, &inventory);
    sort_devices(&inventory);
    for (size_t i = 0; i < inventory.count; i++)
        judge(&inventory, &inventory.devices[i]);
    *ret_inventory = inventory;
    inventory = (struct inventory){0};
    return 0;
}

int inventory_scan(const char *root, struct inventory *ret_inventory)
{
    struct inventory inventory;
    int rc = inventory_scan_all(root, &inventory);
    if (rc < 0)
        return rc;
    drop_hidden(&inventory);
    *ret_inventory = inventory;
    return 0;
}

void inventory_done(struct inventory *inventory)
{
    for (size_t i = 0; i < inventory->count; i++)
        device_done(&inventory->devices[i]);
    free(inventory->devices);
    *inventory = (struct inventory){0};
}

const struct device *inventory_find(const struct inventory *inventory, const char *id)
{
    return id ? find_id(inventory, id) : NULL;
}

/* Is `a` the better place to write to than `b` (which may be NULL)? */
static bool is_better(const struct device *a, const struct device *b)
{
    if (!b || a->is_mount_read_only != b->is_mount_read_only)
        return !b || !a->is_mount_read_only;
    return a->size_bytes > b->size_bytes;
}

const struct device *inventory_mounted(const struct inventory *inventory,
                                       const struct device *device, struct str *why)
{
    str_clear(why);
    if (device->kind >= DEVICE_DRAM) {
        str_add(why, "it is no disk");
        return NULL;
    }
    if (!device->has_medium || device->is_read_only) {
        str_add(why, device->has_medium ? "it is read-only" : "it has no medium");
        return NULL;
    }
    if (device->mounts)
        return device;
    const struct device *best = NULL;
    for (size_t i = 0; i < inventory->count; i++) {
        const struct device *part = &inventory->devices[i];
        bool is_ours = part->parent && strcmp(part->parent, device->id) == 0;
        if (is_ours && part->mounts && is_better(part, best))
            best = part;
    }
    if (!best)
        str_add(why, no_filesystem);
    return best;
}
