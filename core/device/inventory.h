/* inventory: all devices of this machine (or of a recorded tree), found from sysfs and procfs text
 * alone: no udev, no /dev, no ioctl, so it may run in the screen's process. */
#ifndef DEVICE_INVENTORY_H
#define DEVICE_INVENTORY_H

#include "device/device.h"

struct inventory {
    struct device
        *devices; /* disks first, each followed by its partitions; then dram, then network */
    size_t count;
};

/* `root` "" for this machine, else the folder holding sys/ and proc/. 0 or negative errno. */
int inventory_scan(const char *root, struct inventory *ret_inventory);
void inventory_done(struct inventory *inventory);

const struct device *inventory_find(const struct inventory *inventory,
                                    const char *id); /* or NULL */

/* The device to use for storage when `device` was named: itself when mounted, else the mounted
 * partition with most room to write (largest size), NULL with a sentence in `why` when none is. */
struct str;
const struct device *inventory_mounted(const struct inventory *inventory,
                                       const struct device *device, struct str *why);

#endif
