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
#include "device/folder.h"
#include "device/leaf.h"
#include "device/mmc.h"
#include "device/mode.h"
#include "device/part.h"
#include "device/scsi.h"
#include "device/sysfs.h"
#include "device/usb.h"

#define PCIE_LANES_MAX 32

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

static enum device_kind mmc_kind(const struct folder *below)
{
    AUTO(str_done) struct str type = {0};
    if (folder_text(below, "type", &type) < 0)
        return DEVICE_DISK;
    if (strcmp(str_text(&type), "MMC") == 0)
        return DEVICE_EMMC;
    return strcmp(str_text(&type), "SD") == 0 || strcmp(str_text(&type), "SDcombo") == 0
               ? DEVICE_SD
               : DEVICE_DISK;
}

/* Of a whole disk, by the evidence in its resolved path and in `below`, the folder its `device`
 * link leads to; the first rule that fits. */
static enum device_kind find_kind(const char *folder, const struct folder *below)
{
    const char *path = strstr(folder, "/sys/devices/");
    path = path ? path + strlen("/sys/devices") : folder;
    const char *name = sysfs_base(folder);
    if (strstr(path, "/mmc_host/"))
        return mmc_kind(below);
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

static unsigned small_number(const struct folder *folder, const char *name)
{
    uint64_t value = 0;
    return folder_number(folder, name, &value) == 0 && value <= UINT32_MAX ? (unsigned)value : 0;
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
    uint64_t width = 0;
    if (!speed || sysfs_number(pci, "current_link_width", &width) < 0 || width == 0 ||
        width > PCIE_LANES_MAX)
        return;
    unsigned lanes = (unsigned)width;
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

static void read_nvme(const char *folder, const struct folder *below, struct device *device)
{
    device->name = folder_label(below, "model");
    device->serial = folder_label(below, "serial");
    read_pcie(folder, device);
}

/* Name, serial and bus of a whole disk; `below` is the folder its `device` link leads to, closed
 * when it has none. */
static void read_identity(const char *root, const struct folder *folder, const struct folder *below,
                          struct device *device)
{
    switch (device->kind) {
    case DEVICE_EMMC:
    case DEVICE_SD:
        card_read(below, device);
        mode_read_tree(root, folder->path, device);
        break;
    case DEVICE_USB:
        device->name = scsi_read_name(below);
        usb_read(root, folder->path, device);
        break;
    case DEVICE_SATA:
    case DEVICE_UFS:
        device->name = scsi_read_name(below);
        device->serial = scsi_read_serial(below);
        break;
    case DEVICE_NVME:
        read_nvme(folder->path, below, device);
        break;
    case DEVICE_LOOP:
        device->name = folder_label(folder, "loop/backing_file");
        break;
    case DEVICE_DM:
        device->name = folder_label(folder, "dm/name");
        break;
    case DEVICE_MTD:
        device->name = folder_label(below, "name");
        break;
    default: /* a virtio disk has a `vendor` that is a number, but no `model` */
        if (folder_has(below, "model"))
            device->name = scsi_read_name(below);
    }
}

/* Disks of these kinds stand on no other ones. */
static bool is_leaf(enum device_kind kind)
{
    return kind <= DEVICE_LOOP;
}

static void read_stat_path(const char *root, const char *folder, struct device *device)
{
    char **leaves = NULL;
    struct str path = {0};
    if (is_leaf(device->kind))
        str_addf(&path, "%s/stat", folder);
    else if (leaf_of_folder(root, folder, &leaves) == 0 && leaves[0])
        str_addf(&path, "%s/stat", leaves[0]);
    device->stat_path = path.size > 0 ? str_take(&path) : NULL;
    leaf_free(leaves);
}

int block_read_disk(const char *root, const char *base, const struct folder *folder,
                    struct device *ret_device)
{
    AUTO(device_done) struct device device = {0};
    AUTO(folder_close) struct folder below = {.fd = -1};
    AUTO_FREE char *below_path = NULL;
    if (part_read_number(folder, "dev", &device) < 0)
        return -ENODEV;
    (void)folder_enter(folder, base, "device", &below, &below_path);
    device.kind = find_kind(folder->path, &below);
    device.size_bytes = part_sectors(folder, "size");
    device.has_medium = device.size_bytes > 0;
    device.id = mem_copy_text(sysfs_base(folder->path));
    device.sysfs_path = mem_copy_text(folder->path);
    device.is_read_only = small_number(folder, "ro") == 1;
    read_identity(root, folder, &below, &device);
    if (!device.identity && device.serial)
        device.identity = mem_copy_text(device.serial);
    /* Only these have a switch; `ro` of other disks is somebody's wish. */
    device.is_write_protected =
        device.is_read_only && (device.kind == DEVICE_SD || device.kind == DEVICE_USB);
    device.is_path = small_number(folder, "hidden") == 1;
    device.logical_block = small_number(folder, "queue/logical_block_size");
    device.physical_block = small_number(folder, "queue/physical_block_size");
    (void)folder_number(folder, "diskseq", &device.disk_sequence);
    read_stat_path(root, folder->path, &device);
    *ret_device = device;
    device = (struct device){0};
    return 0;
}

int block_read(const char *root, const char *path, struct device *ret_device)
{
    AUTO_FREE char *base = NULL, *above = mem_copy_text(path);
    AUTO(folder_close) struct folder folder = {.fd = -1};
    char *slash = strrchr(above, '/');
    bool is_part = slash && sysfs_has(path, "partition");
    if (is_part)
        *slash = '\0';
    int rc = root[0] ? sysfs_resolve(root, "/", &base) : 0;
    if (rc == 0)
        rc = folder_open(above, &folder);
    if (rc == 0 && !is_part)
        return block_read_disk(root, base ? base : "", &folder, ret_device);
    AUTO(device_done) struct device disk = {0};
    if (rc == 0)
        rc = block_read_disk(root, base ? base : "", &folder, &disk);
    return rc < 0 ? rc : part_read(&folder, sysfs_base(path), &disk, ret_device);
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
    if (device->is_path)
        return "it is one path of a disk with several";
    /* loop, zram, nbd, dm and md nodes exist before they stand for anything. */
    if (strstr(device->sysfs_path, "/devices/virtual/") && !device->has_medium)
        return "it is not set up";
    if (device->kind == DEVICE_LOOP && !sysfs_has(device->sysfs_path, "loop/backing_file"))
        return "it is not set up";
    return NULL;
}
