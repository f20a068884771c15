#include "device/block.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/str.h"
#include "base/units.h"
#include "device/card.h"
#include "device/flash.h"
#include "device/leaf.h"
#include "device/mmc.h"
#include "device/mode.h"
#include "device/scsi.h"
#include "device/sysfs.h"
#include "device/usb.h"

#define SECTOR_BYTES 512 /* of `size` and `stat`, whatever the disk's own sector is */

/* Kinds that only the kernel's name tells, once the path has not. */
static const struct {
    const char *prefix;
    enum device_kind kind;
} names[] = {
    {"zram", DEVICE_ZRAM}, {"loop", DEVICE_LOOP},    {"dm-", DEVICE_DM},
    {"md", DEVICE_MD},     {"mtdblock", DEVICE_MTD},
};

/* Prefixes of names that are never listed. */
static const struct {
    const char *prefix, *why;
} never[] = {
    {"ram", "it is a RAM disk"},
    {"sr", "it is an optical drive"},
    {"fd", "it is a floppy drive"},
};

/* Is the text `word` followed by a digit, as in "nvme0n1"? */
static bool is_numbered(const char *text, const char *word)
{
    return str_starts(text, word) && isdigit((unsigned char)text[strlen(word)]);
}

/* Has the path a component that is `word` followed by digits, as in "usb1" or "host0"? */
static bool has_numbered(const char *path, const char *word)
{
    size_t size = strlen(word);
    for (const char *at = strchr(path, '/'); at; at = strchr(at + 1, '/')) {
        if (strncmp(at + 1, word, size) != 0)
            continue;
        size_t digits = strspn(at + 1 + size, "0123456789");
        char end = at[1 + size + digits];
        if (digits > 0 && (end == '/' || end == '\0'))
            return true;
    }
    return false;
}

static enum device_kind mmc_kind(const char *folder)
{
    AUTO(str_done) struct str type = {0};
    if (sysfs_text(folder, "device/type", &type) < 0)
        return DEVICE_DISK;
    if (strcmp(str_text(&type), "MMC") == 0)
        return DEVICE_EMMC;
    return strcmp(str_text(&type), "SD") == 0 || strcmp(str_text(&type), "SDcombo") == 0
               ? DEVICE_SD
               : DEVICE_DISK;
}

enum device_kind block_kind(const char *folder)
{
    const char *path = strstr(folder, "/sys/devices/");
    path = path ? path + strlen("/sys/devices") : folder;
    const char *name = sysfs_base(folder);
    if (sysfs_has(folder, "partition"))
        return DEVICE_PARTITION;
    if (strstr(path, "/mmc_host/"))
        return mmc_kind(folder);
    bool is_scsi = has_numbered(path, "host");
    if (has_numbered(path, "usb") && is_scsi)
        return DEVICE_USB;
    if (is_numbered(name, "nvme"))
        return DEVICE_NVME;
    if (has_numbered(path, "ata"))
        return DEVICE_SATA;
    if (is_scsi && (strstr(path, "ufshc") || strstr(path, ".ufs/")))
        return DEVICE_UFS;
    if (has_numbered(path, "virtio"))
        return DEVICE_VIRTIO;
    for (size_t i = 0; i < ARRAY_SIZE(names); i++)
        if (is_numbered(name, names[i].prefix))
            return names[i].kind;
    return DEVICE_DISK;
}

static unsigned small_number(const char *folder, const char *name)
{
    uint64_t value = 0;
    return sysfs_number(folder, name, &value) == 0 && value <= UINT32_MAX ? (unsigned)value : 0;
}

static int parse_numbers(const char *major, const char *minor, struct device *device)
{
    uint64_t left, right;
    if (units_parse_u64(major, &left) < 0 || units_parse_u64(minor, &right) < 0 ||
        left > UINT32_MAX || right > UINT32_MAX)
        return -ENODEV;
    device->major = (unsigned)left;
    device->minor = (unsigned)right;
    return 0;
}

/* "179:1" */
static int parse_dev(const struct str *text, struct device *device)
{
    AUTO_FREE char *major = mem_copy_text(str_text(text));
    char *colon = strchr(major, ':');
    if (!colon)
        return -ENODEV;
    *colon = '\0';
    return parse_numbers(major, colon + 1, device);
}

static int read_number(const char *folder, struct device *device)
{
    AUTO(str_done) struct str text = {0};
    return sysfs_text(folder, "dev", &text) < 0 ? -ENODEV : parse_dev(&text, device);
}

/* The value of a "KEY=value" line of a uevent text; NULL when there is none. The caller frees. */
static char *line_value(const char *text, const char *key)
{
    size_t size = strlen(key);
    for (const char *line = text; line; line = strchr(line, '\n')) {
        line += *line == '\n';
        if (strncmp(line, key, size) != 0 || line[size] != '=')
            continue;
        struct str value = {0};
        str_add_clean(&value, line + size + 1, strcspn(line + size + 1, "\n"));
        return value.size > 0 ? str_take(&value) : NULL;
    }
    return NULL;
}

/* Speed ("8.0 GT/s PCIe") and lanes, as the PCI parent of an NVMe disk tells them. */
static void read_pcie(const char *folder, struct device *device)
{
    static const struct {
        double giga_transfers, lane_bps; /* bytes per second after line coding */
    } speeds[] = {
        {2.5, 2.5e9 / 10},          {5, 5e9 / 10},
        {8, 8e9 / 8 * 128 / 130},   {16, 16e9 / 8 * 128 / 130},
        {32, 32e9 / 8 * 128 / 130},
    };
    AUTO_FREE char *pci = sysfs_above(folder, "current_link_speed");
    AUTO_FREE char *speed = pci ? sysfs_label(pci, "current_link_speed") : NULL;
    unsigned lanes = pci ? small_number(pci, "current_link_width") : 0;
    if (!speed || lanes == 0)
        return;
    speed[strcspn(speed, " ")] = '\0';
    double value = 0;
    if (units_parse_double(speed, &value) < 0)
        return;
    for (size_t i = 0; i < ARRAY_SIZE(speeds); i++) {
        if (value < speeds[i].giga_transfers - 0.01 || value > speeds[i].giga_transfers + 0.01)
            continue;
        struct str mode = {0};
        str_addf(&mode, "PCIe %s GT/s", speed);
        device->bus_mode = str_take(&mode);
        device->bus_width = lanes;
        device->ceiling_bps = speeds[i].lane_bps * lanes;
        device->bus_source = mem_copy_text("sysfs");
    }
}

static void read_nvme(const char *folder, const char *below, struct device *device)
{
    device->name = sysfs_label(below, "model");
    device->serial = sysfs_label(below, "serial");
    read_pcie(folder, device);
}

/* Name, serial and bus of a whole disk; `below` is the folder its `device` link leads to, "" when
 * it has none. */
static void read_identity(const char *root, const char *folder, const char *below,
                          struct device *device)
{
    switch (device->kind) {
    case DEVICE_EMMC:
    case DEVICE_SD:
        card_read(below, device);
        mode_read_tree(root, folder, device);
        break;
    case DEVICE_USB:
        device->name = scsi_read_name(below);
        usb_read(root, folder, device);
        break;
    case DEVICE_SATA:
    case DEVICE_UFS:
        device->name = scsi_read_name(below);
        device->serial = scsi_read_serial(below);
        break;
    case DEVICE_NVME:
        read_nvme(folder, below, device);
        break;
    case DEVICE_LOOP:
        device->name = sysfs_label(folder, "loop/backing_file");
        break;
    case DEVICE_DM:
        device->name = sysfs_label(folder, "dm/name");
        break;
    case DEVICE_MTD:
        device->name = sysfs_label(below, "name");
        break;
    default: /* a virtio disk has a `vendor` that is a number, but no `model` */
        if (sysfs_has(below, "model"))
            device->name = scsi_read_name(below);
    }
}

static void read_stat_path(const char *root, const char *folder, struct device *device)
{
    char **leaves = NULL;
    if (leaf_of_folder(root, folder, &leaves) == 0 && leaves[0]) {
        struct str path = {0};
        str_addf(&path, "%s/stat", leaves[0]);
        device->stat_path = str_take(&path);
    }
    leaf_free(leaves);
}

static uint64_t sectors_bytes(uint64_t sectors)
{
    return sectors <= UINT64_MAX / SECTOR_BYTES ? sectors * SECTOR_BYTES : 0;
}

static void set_size(struct device *device, uint64_t sectors)
{
    device->size_bytes = sectors_bytes(sectors);
    device->has_medium = device->size_bytes > 0;
}

/* ---- partitions */

struct part { /* where it is read from */
    int disk_fd;
    const char *name, *disk_folder;
};

/* Thousands of times: no printing. */
static void join(struct str *into, const char *folder, const char *name)
{
    str_add(into, folder);
    str_add_bytes(into, "/", 1);
    str_add(into, name);
}

static int part_text(const struct part *part, const char *attribute, struct str *into)
{
    AUTO(str_done) struct str path = {0};
    join(&path, part->name, attribute);
    return sysfs_text_at(part->disk_fd, part->disk_folder, path.text, into);
}

static uint64_t part_number(const struct part *part, const char *attribute)
{
    AUTO(str_done) struct str path = {0};
    uint64_t value = 0;
    join(&path, part->name, attribute);
    (void)sysfs_number_at(part->disk_fd, part->disk_folder, path.text, &value);
    return value;
}

/* Nature, number and label (a GPT's or the command line's), all from its uevent text; trees without
 * one have `partition` and `dev`. */
static int read_uevent(const struct part *part, struct device *device)
{
    AUTO(str_done) struct str text = {0}, number = {0}, mark = {0};
    (void)part_text(part, "uevent", &text);
    AUTO_FREE char *type = line_value(str_text(&text), "DEVTYPE");
    join(&mark, part->name, "partition");
    if (!(type && strcmp(type, "partition") == 0) && !sysfs_has_at(part->disk_fd, mark.text))
        return -ENODEV;
    AUTO_FREE char *major = line_value(str_text(&text), "MAJOR");
    AUTO_FREE char *minor = line_value(str_text(&text), "MINOR");
    device->name = line_value(str_text(&text), "PARTNAME");
    if (major && minor && parse_numbers(major, minor, device) == 0)
        return 0;
    return part_text(part, "dev", &number) < 0 ? -ENODEV : parse_dev(&number, device);
}

int block_read_part(int disk_fd, const char *name, const struct device *disk,
                    struct device *ret_device)
{
    AUTO(device_done) struct device device = {.kind = DEVICE_PARTITION};
    const struct part part = {disk_fd, name, disk->sysfs_path};
    int rc = read_uevent(&part, &device);
    if (rc < 0)
        return rc;
    struct str folder = {0};
    join(&folder, disk->sysfs_path, name);
    device.sysfs_path = str_take(&folder);
    device.id = mem_copy_text(name);
    set_size(&device, part_number(&part, "size"));
    device.start_bytes = sectors_bytes(part_number(&part, "start"));
    device.parent = mem_copy_text(disk->id);
    device.is_read_only = disk->is_read_only || part_number(&part, "ro") == 1;
    device.is_write_protected = disk->is_write_protected;
    device.logical_block = disk->logical_block;
    device.physical_block = disk->physical_block;
    device.stat_path = disk->stat_path ? mem_copy_text(disk->stat_path) : NULL;
    *ret_device = device;
    device = (struct device){0};
    return 0;
}

/* ---- whole disks */

static int read_disk(const char *root, const char *folder, struct device *ret_device)
{
    AUTO(device_done) struct device device = {.kind = block_kind(folder)};
    int rc = read_number(folder, &device);
    if (rc < 0)
        return rc;
    uint64_t sectors = 0;
    (void)sysfs_number(folder, "size", &sectors);
    set_size(&device, sectors);
    device.id = mem_copy_text(sysfs_base(folder));
    device.sysfs_path = mem_copy_text(folder);
    device.is_read_only = small_number(folder, "ro") == 1;
    AUTO_FREE char *below = NULL;
    (void)sysfs_follow(root, folder, "device", &below);
    read_identity(root, folder, below ? below : "", &device);
    if (!device.identity && device.serial)
        device.identity = mem_copy_text(device.serial);
    /* Only these have a switch; `ro` of other disks is somebody's wish. */
    device.is_write_protected =
        device.is_read_only && (device.kind == DEVICE_SD || device.kind == DEVICE_USB);
    device.logical_block = small_number(folder, "queue/logical_block_size");
    device.physical_block = small_number(folder, "queue/physical_block_size");
    (void)sysfs_number(folder, "diskseq", &device.disk_sequence);
    read_stat_path(root, folder, &device);
    *ret_device = device;
    device = (struct device){0};
    return 0;
}

int block_read(const char *root, const char *folder, struct device *ret_device)
{
    if (!sysfs_has(folder, "partition"))
        return read_disk(root, folder, ret_device);
    AUTO(device_done) struct device disk = {0};
    AUTO_FREE char *above = mem_copy_text(folder);
    *strrchr(above, '/') = '\0';
    AUTO_CLOSE int fd = -1;
    int rc = read_disk(root, above, &disk);
    if (rc == 0)
        rc = sysfs_open(above, &fd);
    return rc < 0 ? rc : block_read_part(fd, sysfs_base(folder), &disk, ret_device);
}

const char *block_hidden_why(const struct device *device)
{
    for (size_t i = 0; i < ARRAY_SIZE(never); i++)
        if (is_numbered(device->id, never[i].prefix))
            return never[i].why;
    if (mmc_is_area(device->id))
        return "it is a hardware area of an eMMC";
    if (device->kind == DEVICE_MTD && device->major == 0) /* the chip, not its block node */
        return flash_is_nand(device) ? NULL : "raw flash, not tested";
    if (device->kind == DEVICE_MTD && !device->mounts)
        return "it is raw flash without a file system";
    if (device->kind == DEVICE_PARTITION)
        return NULL;
    if (small_number(device->sysfs_path, "hidden") == 1)
        return "it is one path of a disk with several";
    /* loop, zram, nbd, dm and md nodes exist before they stand for anything. */
    if (strstr(device->sysfs_path, "/devices/virtual/") && !device->has_medium)
        return "it is not set up";
    if (device->kind == DEVICE_LOOP && !sysfs_has(device->sysfs_path, "loop/backing_file"))
        return "it is not set up";
    return NULL;
}
