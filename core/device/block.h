/* block: one disk of sysfs: what kind of disk it is and the facts its folder tells. Reads
 * attributes the kernel answers from memory only (a virtio disk's `serial` asks the disk: left
 * out). */
#ifndef DEVICE_BLOCK_H
#define DEVICE_BLOCK_H

#include "device/device.h"

struct folder;

/* Fills everything sysfs tells about the device in `path` (resolved), a disk or a partition.
 * Mounts, root mark and fitness are the inventory's. 0, or -ENODEV when the folder is no block
 * device. */
int block_read(const char *root, const char *path, struct device *ret_device);
/* The same for a whole disk whose folder is open; `base`: the resolved root, or "". */
int block_read_disk(const char *root, const char *base, const struct folder *folder,
                    struct device *ret_device);

/* Why a device is left out of the list: NULL when it is shown, else a clause ("it is a hardware
 * area of an eMMC"). Static. */
const char *block_hidden_why(const struct device *device);

#endif
