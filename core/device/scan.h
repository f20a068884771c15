/* scan: all block devices of sysfs, each read once: partitions from what is known of their disk, so
 * that the cost is linear in their number. */
#ifndef DEVICE_SCAN_H
#define DEVICE_SCAN_H

#include "device/device.h"

/* In no particular order. A machine without a block layer has none: that is no error. The caller
 * owns the array and what is in it. */
int scan_blocks(const char *root, struct device **ret_devices, size_t *ret_count);

#endif
