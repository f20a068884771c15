/* part: one partition of a disk. At most four texts of sysfs are read for it. */
#ifndef DEVICE_PART_H
#define DEVICE_PART_H

#include "device/device.h"

struct folder;

/* Fills what sysfs tells about the partition `name` in its disk's folder, which is open; all is
 * known of the disk. -ENODEV when it is none. */
int part_read(const struct folder *disk_folder, const char *name, const struct device *disk,
              struct device *ret_device);

/* Takes nature, numbers and label of a partition's uevent text. `ret_has_numbers`: major and minor
 * stood there. Pure. */
void part_take_uevent(const char *text, struct device *device, bool *ret_is_part,
                      bool *ret_has_numbers);

/* Of disks and partitions alike: "179:1" of an attribute into major and minor, -ENODEV when it is
 * none; bytes of one that counts sectors of 512, 0 unknown. */
int part_read_number(const struct folder *folder, const char *attribute, struct device *device);
uint64_t part_sectors(const struct folder *folder, const char *attribute);

#endif
