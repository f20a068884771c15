/* leaf: the physical disks under a block device number: partition -> disk, dm and md -> members,
 * btrfs -> its devices. Reads sysfs text only. */
#ifndef DEVICE_LEAF_H
#define DEVICE_LEAF_H

#include "device/mount.h"

#define LEAF_MAX 64 /* disks under one device or file system */

/* All arrays are NULL-ended, hold resolved sysfs folders ("ROOT/sys/devices/…/vda") and are freed
 * with leaf_free. They are empty when there is no disk below (tmpfs, nfs). 0 or negative errno. */

/* The sysfs folder of a device number, -ENOENT when there is none. The caller frees. */
int leaf_folder(const char *root, unsigned major, unsigned minor, char **ret_folder);
/* The same, of a device known by name as well: -ENODEV when its number has passed to another. */
int leaf_named(const char *root, unsigned major, unsigned minor, const char *name,
               char **ret_folder);
/* The leaf disks under a device number; a loop device is a leaf, whatever file it stands on. */
int leaf_of_number(const char *root, unsigned major, unsigned minor, char ***ret_folders);
/* The same for a device whose resolved folder is known. */
int leaf_of_folder(const char *root, const char *folder, char ***ret_folders);
/* The block devices a file system is made on, as they stand in the mount table: a partition, a dm
 * device, all members of a btrfs; none for an overlay. */
int leaf_members(const char *root, const struct mount_entry *entry, char ***ret_folders);
/* The leaf disks under what is written to `entry` (an overlay's: its upper folder). */
int leaf_of_mount(const char *root, const struct mount_table *table,
                  const struct mount_entry *entry, char ***ret_folders);
char **leaf_free(char **folders); /* accepts NULL, returns NULL */

#endif
