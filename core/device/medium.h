/* medium: disks whose card or disc comes and goes without anybody telling. The kernel asks a card
 * reader for changes only when it is told to (udev tells it), and takes a new medium's size only
 * when the disk is opened (udev opens it). Reads sysfs text the kernel holds in memory. */
#ifndef DEVICE_MEDIUM_H
#define DEVICE_MEDIUM_H

#include "device/inventory.h"

/* `root` as for inventory_scan; `has_udev`: it runs, and opens disks that changed. */
bool medium_is_unwatched(const char *root, const struct device *disk, bool has_udev);
bool medium_has_udev(void); /* on this machine */

/* What answers for a disk: the folder of its USB device, whose slots are asked one after the other;
 * else the disk's own. The caller frees. */
char *medium_bus(const struct device *disk);

#endif
