/* tree: the device-tree node behind a sysfs device, and its properties. Text the kernel holds in
 * memory; of a recorded machine DIR/proc/device-tree stands for it. */
#ifndef DEVICE_TREE_H
#define DEVICE_TREE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct str;

/* The node's folder: of the device in `folder` itself. -ENOENT when it has none. The caller frees.
 */
int tree_node(const char *root, const char *folder, char **ret_node);
/* The same of the nearest device at or above it whose node has `property`. */
int tree_node_above(const char *root, const char *folder, const char *property, char **ret_node);

bool tree_has(const char *node, const char *property);
int tree_u32(const char *node, const char *property, uint32_t *ret_value); /* first cell */
char *tree_label(const char *node, const char *property); /* first text, cleaned; NULL */

#endif
