#include "device/medium.h"

#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/str.h"
#include "base/units.h"
#include "device/folder.h"
#include "device/sysfs.h"

static bool has_word(const struct folder *folder, const char *name, const char *word)
{
    AUTO_FREE char *text = folder_label(folder, name);
    size_t size = strlen(word);
    for (const char *at = text; at && *at; at += strspn(at, " ")) {
        size_t length = strcspn(at, " ");
        if (length == size && memcmp(at, word, size) == 0)
            return true;
        at += length;
    }
    return false;
}

/* Does the kernel ask the disk from time to time? "-1": as all disks. */
static bool is_polled(const char *root, const struct folder *folder)
{
    AUTO_FREE char *own = folder_label(folder, "events_poll_msecs"), *module = NULL;
    uint64_t ms = 0;
    if (own && strcmp(own, "-1") != 0)
        return units_parse_u64(own, &ms) == 0 && ms > 0;
    return sysfs_resolve(root, "/sys/module/block/parameters", &module) == 0 &&
           sysfs_number(module, "events_dfl_poll_msecs", &ms) == 0 && ms > 0;
}

bool medium_is_unwatched(const char *root, const struct device *disk, bool has_udev)
{
    AUTO(folder_close) struct folder folder = {.fd = -1};
    uint64_t removable = 0;
    if (disk->kind != DEVICE_USB || !disk->sysfs_path || folder_open(disk->sysfs_path, &folder) < 0)
        return false;
    return folder_number(&folder, "removable", &removable) == 0 && removable == 1 &&
           has_word(&folder, "events", "media_change") &&
           !has_word(&folder, "events_async", "media_change") &&
           !(has_udev && is_polled(root, &folder));
}

bool medium_has_udev(void)
{
    return access("/run/udev/control", F_OK) == 0;
}

char *medium_bus(const struct device *disk)
{
    char *usb = sysfs_above(disk->sysfs_path, "idVendor");
    return usb ? usb : mem_copy_text(disk->sysfs_path);
}
