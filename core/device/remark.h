/* remark: what a person should know of a disk or partition before trusting its figures: a slow
 * link, a worn or doubtful card, a partition across the borders its card erases by. Pure. */
#ifndef DEVICE_REMARK_H
#define DEVICE_REMARK_H

#include "device/device.h"

struct str;

/* Adds clauses parted by two blanks; nothing when all is well. `disk`: of a partition, else NULL.
 */
void remark_add(const struct device *device, const struct device *disk, struct str *into);
/* Does the partition start on a border its card erases by? -1: one of the two is unknown. */
int remark_is_aligned(const struct device *part, const struct device *disk);

#endif
