/* node: the file in /dev that stands for a block device. A name there is only a name: what was
 * opened is compared with the device's number. May block as the device does: worker and probe only.
 */
#ifndef DEVICE_NODE_H
#define DEVICE_NODE_H

#include <stddef.h>

struct str;

/* "8:16", of which nothing may be left over: -ENODEV when it is none. Pure. */
int node_number(const char *text, size_t size, unsigned *ret_major, unsigned *ret_minor);
int node_half(const char *text, size_t size, unsigned *ret_value); /* "16" */

/* Adds the path that the kernel names for the device of this resolved sysfs folder; what the folder
 * is called where its uevent does not tell. */
void node_path(const char *folder, struct str *into);
/* Opens it with `flags` (O_CLOEXEC and O_NOCTTY are added). What open() said, or -ENODEV when it is
 * not the block device of that number: then it was not opened. */
int node_open(const char *path, unsigned major, unsigned minor, int flags, int *ret_fd);

#endif
