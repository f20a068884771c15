/* node: the file in /dev that stands for a block device. A name there is only a name: what was
 * opened is compared with the device's number. May block as the device does: worker and probe only.
 */
#ifndef DEVICE_NODE_H
#define DEVICE_NODE_H

struct str;

/* Adds the path that the kernel names for the device of this resolved sysfs folder. -ENODEV. */
int node_path(const char *folder, struct str *into);
/* Opens it with `flags` (O_CLOEXEC and O_NOCTTY are added). What open() said, or -ENODEV when it is
 * not the block device of that number. */
int node_open(const char *path, unsigned major, unsigned minor, int flags, int *ret_fd);

#endif
