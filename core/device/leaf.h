/* leaf: the physical disks under a block device number: partition -> disk, dm and md -> members,
 * btrfs -> its devices. Reads sysfs text only. */
#ifndef DEVICE_LEAF_H
#define DEVICE_LEAF_H

#include "device/mount.h"

/* NULL-ended array of absolute sysfs folders ("ROOT/sys/devices/…/vda") of the leaf disks; the
 * caller frees with leaf_free. An empty array when there is none (tmpfs, nfs). 0 or negative errno.
 */
int leaf_of_number(const char *root, unsigned major, unsigned minor, char ***ret_folders);
int leaf_of_mount(const char *root, const struct mount_table *table,
                  const struct mount_entry *entry, char ***ret_folders);
char **leaf_free(char **folders);

#endif
