#include "device/inventory.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/str.h"
#include "device/block.h"
#include "device/board.h"
#include "device/flash.h"
#include "device/net.h"
#include "device/placing.h"
#include "device/ranking.h"
#include "device/scan.h"
#include "device/slot.h"

static const char no_filesystem[] = "it has no mounted file system: mount it, or name a folder";

static struct device *inventory_add(struct inventory *inventory, struct device device)
{
    inventory->devices =
        mem_grow(inventory->devices, inventory->count + 1, sizeof *inventory->devices);
    inventory->devices[inventory->count] = device;
    return &inventory->devices[inventory->count++];
}

static void take_device(void *user, struct device device)
{
    (void)inventory_add(user, device);
}

static const struct device *find_id(const struct inventory *inventory, const char *id)
{
    for (size_t i = 0; i < inventory->count && id; i++)
        if (strcmp(inventory->devices[i].id, id) == 0)
            return &inventory->devices[i];
    return NULL;
}

static void judge(const struct inventory *inventory, struct device *device,
                  const struct device *disk)
{
    AUTO(str_done) struct str why = {0};
    if (device->link) /* net_settle judged it */
        return;
    const char *hidden = device->kind < DEVICE_DRAM ? block_hidden_why(device) : NULL;
    if (!hidden && disk && disk->is_hidden)
        hidden = disk->why;
    device->is_hidden = hidden != NULL;
    if (device->why) /* found as what cannot be tested */
        return;
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

/* Partitions stand behind their disk, so one look over the list knows each one's. */
static void judge_all(struct inventory *inventory)
{
    const struct device *disk = NULL;
    for (size_t i = 0; i < inventory->count; i++) {
        struct device *device = &inventory->devices[i];
        if (!device->parent)
            disk = device;
        bool is_on_it = device->parent && disk && strcmp(device->parent, disk->id) == 0;
        judge(inventory, device, is_on_it ? disk : NULL);
    }
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

/* Apart, as the list of what was found is looked at meanwhile. */
static void add_slots(const char *root, struct inventory *inventory)
{
    struct inventory slots = {0};
    slot_scan(root, inventory->devices, inventory->count, take_device, &slots);
    for (size_t i = 0; i < slots.count; i++)
        (void)inventory_add(inventory, slots.devices[i]);
    free(slots.devices);
}

static void drop_hidden(struct inventory *inventory)
{
    size_t kept = 0;
    for (size_t i = 0; i < inventory->count; i++) {
        if (inventory->devices[i].is_hidden && !inventory->devices[i].link)
            device_done(&inventory->devices[i]);
        else
            inventory->devices[kept++] = inventory->devices[i];
    }
    inventory->count = kept;
}

int inventory_scan_all(const char *root, struct inventory *ret_inventory)
{
    AUTO(inventory_done) struct inventory inventory = {0};
    int rc = scan_blocks(root, &inventory.devices, &inventory.count);
    if (rc < 0)
        return rc;
    flash_scan(root, take_device, &inventory);
    placing_mounts(root, inventory.devices, inventory.count);
    placing_labels(root, inventory.devices, inventory.count);
    add_slots(root, &inventory);
    add_dram(root, &inventory);
    net_scan(root, take_device, &inventory);
    net_settle(inventory.devices, inventory.count);
    ranking_sort(inventory.devices, inventory.count);
    judge_all(&inventory);
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
    if (device->kind >= DEVICE_DRAM || (device->kind == DEVICE_MTD && device->major == 0)) {
        str_add(why, device->why ? device->why : "it is no disk");
        return NULL;
    }
    if (!device->has_medium || device->is_read_only) {
        str_add(why, !device->has_medium          ? "it has no medium"
                     : device->is_write_protected ? "it is write-protected"
                                                  : "it is read-only");
        return NULL;
    }
    if (device->mounts)
        return device;
    const struct device *best = NULL, *end = inventory->devices + inventory->count;
    bool is_inside = device >= inventory->devices && device < end;
    const struct device *disk = device->parent ? NULL
                                : is_inside    ? device
                                               : find_id(inventory, device->id);
    /* Partitions stand right behind their disk. */
    for (const struct device *part = disk ? disk + 1 : end; part < end; part++) {
        if (!part->parent || strcmp(part->parent, device->id) != 0)
            break;
        if (part->mounts && is_better(part, best))
            best = part;
    }
    if (!best)
        str_add(why, no_filesystem);
    return best;
}
