/* kmsg: records of the kernel log, and whether one is about a disk. Pure. */
#ifndef DEVICE_KMSG_H
#define DEVICE_KMSG_H

#include <stdbool.h>
#include <stddef.h>

struct str;

#define KMSG_RECORD_MAX 8192 /* bytes of one read of /dev/kmsg */
#define KMSG_WARNING 4       /* levels up to this one are complaints */

/* Splits "4,339,5140900,-;mmc0: error -110 …\n SUBSYSTEM=…": the level, and the text, cleaned,
 * added to `into`. -EINVAL when it is no record. */
int kmsg_parse(const char *record, size_t size, unsigned *ret_level, struct str *into);

/* Does the text name the disk ("mmcblk0", "sda") or one of its partitions, or a host ("mmc0")? */
bool kmsg_names(const char *text, const char *name);

#endif
