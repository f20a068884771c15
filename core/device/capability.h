/* capability: what the link to a storage device could carry, where something proves that it runs
 * below: the board's device tree, a card's registers, the descriptors of a USB device. Pure. */
#ifndef DEVICE_CAPABILITY_H
#define DEVICE_CAPABILITY_H

#include <stdbool.h>

#include "device/device.h"

struct capability {
    double bps;       /* bytes per second */
    char source[96];  /* "HS400, 8 bit, by the device tree and eMMC 5.1," */
    char advice[256]; /* what to do; "": nothing is known */
};

/* False when the link runs as fast as can be proven, or its own mode is not known. */
bool capability_find(const struct device *disk, struct capability *ret_capability);

#endif
