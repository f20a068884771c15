#include "device/part.h"

#include <errno.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/str.h"
#include "device/folder.h"
#include "device/node.h"

#define SECTOR_BYTES 512 /* of `size`, `start` and `stat`, whatever the disk's own sector is */

int part_read_number(const struct folder *folder, const char *attribute, struct device *device)
{
    AUTO(str_done) struct str text = {0};
    if (folder_text(folder, attribute, &text) < 0)
        return -ENODEV;
    return node_number(str_text(&text), text.size, &device->major, &device->minor);
}

uint64_t part_sectors(const struct folder *folder, const char *attribute)
{
    uint64_t sectors = 0;
    (void)folder_number(folder, attribute, &sectors);
    return sectors <= UINT64_MAX / SECTOR_BYTES ? sectors * SECTOR_BYTES : 0;
}

struct field { /* of a uevent text: "KEY=value" */
    const char *key, *value;
    size_t size;
};

enum { MAJOR, MINOR, TYPE, NAME, FIELDS };

static void take_fields(const char *text, struct field fields[FIELDS])
{
    while (*text) {
        size_t size = strcspn(text, "\n");
        for (size_t i = 0; i < FIELDS; i++) {
            size_t key = strlen(fields[i].key);
            if (!fields[i].value && size > key && memcmp(text, fields[i].key, key) == 0) {
                fields[i].value = text + key;
                fields[i].size = size - key;
            }
        }
        text += size + (text[size] == '\n');
    }
}

static bool is_text(const struct field *field, const char *text)
{
    return field->size == strlen(text) && memcmp(field->value, text, field->size) == 0;
}

void part_take_uevent(const char *text, struct device *device, bool *ret_is_part,
                      bool *ret_has_numbers)
{
    struct field fields[FIELDS] = {
        [MAJOR] = {.key = "MAJOR="},
        [MINOR] = {.key = "MINOR="},
        [TYPE] = {.key = "DEVTYPE="},
        [NAME] = {.key = "PARTNAME="},
    };
    take_fields(text, fields);
    const struct field *major = &fields[MAJOR], *minor = &fields[MINOR], *name = &fields[NAME];
    *ret_is_part = is_text(&fields[TYPE], "partition");
    if (name->size > 0) {
        struct str label = {0};
        str_add_clean(&label, name->value, name->size);
        device->name = str_take(&label);
    }
    *ret_has_numbers = node_half(major->value, major->size, &device->major) == 0 &&
                       node_half(minor->value, minor->size, &device->minor) == 0;
}

/* Where a partition's texts are: names below its disk's folder, built one after the other. */
struct place {
    const struct folder *disk;
    struct str name; /* "sda1/" and an attribute */
    size_t stem;
};

static const char *at(struct place *place, const char *attribute)
{
    place->name.size = place->stem;
    str_add(&place->name, attribute);
    return place->name.text;
}

/* Trees without a uevent text have `partition` and `dev`. */
static int read_uevent(struct place *place, struct device *device)
{
    AUTO(str_done) struct str text = {0};
    bool is_part = false, has_numbers = false;
    (void)folder_text(place->disk, at(place, "uevent"), &text);
    part_take_uevent(str_text(&text), device, &is_part, &has_numbers);
    if (!is_part && !folder_has(place->disk, at(place, "partition")))
        return -ENODEV;
    return has_numbers ? 0 : part_read_number(place->disk, at(place, "dev"), device);
}

static bool is_read_only(struct place *place)
{
    uint64_t value = 0;
    return folder_number(place->disk, at(place, "ro"), &value) == 0 && value == 1;
}

static void place_done(struct place *place)
{
    str_done(&place->name);
}

int part_read(const struct folder *disk_folder, const char *name, const struct device *disk,
              struct device *ret_device)
{
    AUTO(device_done) struct device device = {.kind = DEVICE_PARTITION};
    AUTO(place_done) struct place place = {.disk = disk_folder};
    struct str path = {0};
    str_add(&place.name, name);
    str_add_bytes(&place.name, "/", 1);
    place.stem = place.name.size;
    int rc = read_uevent(&place, &device);
    if (rc < 0)
        return rc;
    str_add(&path, disk->sysfs_path);
    str_add_bytes(&path, "/", 1);
    str_add(&path, name);
    device.sysfs_path = str_take(&path);
    device.id = mem_copy_text(name);
    device.size_bytes = part_sectors(disk_folder, at(&place, "size"));
    device.has_medium = device.size_bytes > 0;
    device.start_bytes = part_sectors(disk_folder, at(&place, "start"));
    device.parent = mem_copy_text(disk->id);
    device.is_read_only = disk->is_read_only || is_read_only(&place);
    device.is_write_protected = disk->is_write_protected;
    device.logical_block = disk->logical_block;
    device.physical_block = disk->physical_block;
    device.stat_path = disk->stat_path ? mem_copy_text(disk->stat_path) : NULL;
    *ret_device = device;
    device = (struct device){0};
    return 0;
}
