/* slot: places without their device: an MMC host with no card, a device-tree node of a storage or
 * USB controller that is enabled but that no driver took. Reads sysfs text only. */
#ifndef DEVICE_SLOT_H
#define DEVICE_SLOT_H

#include "device/device.h"

/* Takes what it is given. */
typedef void (*slot_fn)(void *user, struct device device);

/* Calls `fn` for each; a machine without such folders has none. `devices`: the cards found, whose
 * hosts need no look. */
void slot_scan(const char *root, const struct device *devices, size_t count, slot_fn fn,
               void *user);

#endif
