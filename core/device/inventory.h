/* inventory: all devices of this machine (or of a recorded tree), found from sysfs and procfs text
 * alone: no udev, no /dev, no ioctl, so it may run in the screen's process. */
#ifndef DEVICE_INVENTORY_H
#define DEVICE_INVENTORY_H

#include "device/device.h"

struct inventory {
    /* Disks by kind and name, each followed by its partitions; then dram, then network. */
    struct device *devices;
    size_t count;
};

/* `root` "" for this machine, else the folder holding sys/ and proc/. 0 or negative errno. Left out
 * are boot areas of an eMMC, flash that is no NAND, RAM disks and nodes that stand for nothing.
 * Hidden network ports stay, as they can be tested by name: whoever lists looks at `is_hidden`. */
int inventory_scan(const char *root, struct inventory *ret_inventory);
/* The same with what is left out, never testable, `why` telling its nature. */
int inventory_scan_all(const char *root, struct inventory *ret_inventory);
void inventory_done(struct inventory *inventory);

const struct device *inventory_find(const struct inventory *inventory,
                                    const char *id); /* or NULL */

/* The device to use for storage when `device` was named: itself when mounted, else the largest of
 * its mounted partitions (one mounted for writing before one that is not). NULL when there is none:
 * `why` is set to what to say after "sda: " ("it has no medium"). */
struct str;
const struct device *inventory_mounted(const struct inventory *inventory,
                                       const struct device *device, struct str *why);

#endif
