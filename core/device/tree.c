#include "device/tree.h"

#include <errno.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/str.h"
#include "device/folder.h"
#include "device/sysfs.h"

#define CELL_BYTES 4

int tree_node(const char *root, const char *folder, char **ret_node)
{
    static const char base[] = "/devicetree/base";
    AUTO_FREE char *link = sysfs_link(folder, "of_node");
    const char *path = link ? strstr(link, base) : NULL;
    if (!path)
        return -ENOENT;
    /* Never by the link itself: recorded machines often lack sys/firmware. */
    AUTO(str_done) struct str node = {0};
    str_addf(&node, "/proc/device-tree%s", path + strlen(base));
    return sysfs_resolve(root, node.text, ret_node);
}

int tree_node_above(const char *root, const char *folder, const char *property, char **ret_node)
{
    AUTO_FREE char *path = mem_copy_text(folder);
    const char *devices = strstr(path, "/sys/devices/");
    if (!devices)
        return -ENOENT;
    size_t least = (size_t)(devices - path) + strlen("/sys/devices");
    while (strlen(path) > least) {
        AUTO_FREE char *node = NULL;
        if (tree_node(root, path, &node) == 0 && tree_has(node, property)) {
            *ret_node = take_pointer(&node);
            return 0;
        }
        *strrchr(path, '/') = '\0';
    }
    return -ENOENT;
}

bool tree_has(const char *node, const char *property)
{
    return sysfs_has(node, property);
}

int tree_u32(const char *node, const char *property, uint32_t *ret_value)
{
    AUTO(str_done) struct str bytes = {0};
    /* sysfs_text would take a last byte of 0x20 for a blank. */
    int rc =
        sysfs_has(node, property) ? sysfs_file(node, property, FOLDER_TEXT_MAX, &bytes) : -ENOENT;
    if (rc < 0)
        return rc;
    if (bytes.size < CELL_BYTES)
        return -EINVAL;
    const unsigned char *cell = (const unsigned char *)bytes.text; /* big-endian */
    *ret_value = (uint32_t)cell[0] << 24 | (uint32_t)cell[1] << 16 | (uint32_t)cell[2] << 8 |
                 (uint32_t)cell[3];
    return 0;
}

char *tree_label(const char *node, const char *property)
{
    AUTO(str_done) struct str text = {0};
    if (sysfs_text(node, property, &text) < 0)
        return NULL;
    struct str label = {0};
    str_add_clean(&label, str_text(&text), strlen(str_text(&text)));
    if (label.size > 0)
        return str_take(&label);
    str_done(&label);
    return NULL;
}
