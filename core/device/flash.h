/* flash: raw flash without a block layer of its own: listed so that a person sees it, never tested.
 * Reads sysfs text only. */
#ifndef DEVICE_FLASH_H
#define DEVICE_FLASH_H

#include "device/slot.h"

/* Calls `fn` for each mtd device; chips that are no NAND are hidden from the plain list. */
void flash_scan(const char *root, slot_fn fn, void *user);
/* Is it a NAND, the storage of its board? */
bool flash_is_nand(const struct device *device);

#endif
