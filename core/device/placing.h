/* placing: puts what the mount table says on the devices: mount points, file system, label, root
 * and boot. Reads procfs and sysfs text, and on this machine udev's links by label. */
#ifndef DEVICE_PLACING_H
#define DEVICE_PLACING_H

#include "device/device.h"

/* Recorded trees may come without a mount table; then nothing is mounted. */
void placing_mounts(const char *root, struct device *devices, size_t count);
void placing_labels(const char *root, struct device *devices, size_t count);

#endif
