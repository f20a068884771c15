#include "device/flash.h"

#include <ctype.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/str.h"
#include "device/sysfs.h"

/* "mtd0", not "mtd0ro" (the same chip) or "mtdblock0". */
static bool is_device(const char *name)
{
    return str_starts(name, "mtd") && isdigit((unsigned char)name[3]) &&
           name[3 + strspn(name + 3, "0123456789")] == '\0';
}

static void scan_one(const char *root, const char *class, const char *name, slot_fn fn, void *user)
{
    AUTO_FREE char *folder = NULL;
    uint64_t size = 0;
    if (sysfs_follow(root, class, name, &folder) < 0)
        return;
    (void)sysfs_number(folder, "size", &size);
    fn(user, (struct device){.kind = DEVICE_MTD,
                             .id = mem_copy_text(name),
                             .name = sysfs_label(folder, "name"),
                             .size_bytes = size,
                             .has_medium = size > 0,
                             .sysfs_path = take_pointer(&folder),
                             .why = mem_copy_text("raw flash, not tested")});
}

void flash_scan(const char *root, slot_fn fn, void *user)
{
    AUTO_FREE char *class = NULL;
    char **names = NULL;
    if (sysfs_resolve(root, "/sys/class/mtd", &class) < 0 || sysfs_list(class, &names) < 0)
        return;
    for (char **name = names; *name; name++)
        if (is_device(*name))
            scan_one(root, class, *name, fn, user);
    sysfs_list_free(names);
}

bool flash_is_nand(const struct device *device)
{
    AUTO(str_done) struct str type = {0};
    return device->sysfs_path && sysfs_text(device->sysfs_path, "type", &type) == 0 &&
           str_ends(str_text(&type), "nand"); /* "nand", "mlc-nand" */
}
