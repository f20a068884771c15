/* block: one block device of sysfs: what kind of disk it is and the facts its folder tells. Reads
 * attributes the kernel answers from memory only (a virtio disk's `serial` asks the disk: left
 * out). */
#ifndef DEVICE_BLOCK_H
#define DEVICE_BLOCK_H

#include "device/device.h"

/* Kind by the evidence in its resolved folder; first rule that fits. */
enum device_kind block_kind(const char *folder);

/* Fills everything sysfs tells about the device in `folder` (resolved). Mounts, root mark and
 * fitness are the inventory's. 0, or -ENODEV when the folder is no block device. */
int block_read(const char *root, const char *folder, struct device *ret_device);

/* The same for the partition `name` of `disk`, of which all is known and whose folder is open: at
 * most four files are opened. */
int block_read_part(int disk_fd, const char *name, const struct device *disk,
                    struct device *ret_device);

/* Why a device is left out of the list: NULL when it is shown, else a clause ("it is a hardware
 * area of an eMMC"). Static. */
const char *block_hidden_why(const struct device *device);

#endif
