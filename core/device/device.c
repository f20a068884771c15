#include "device/device.h"

#include <stdlib.h>

#include "device/link.h"

static const struct {
    const char *name, *label;
} kinds[DEVICE_KINDS] = {
    [DEVICE_EMMC] = {"emmc", "eMMC"},       [DEVICE_SD] = {"sd", "SD/TF"},
    [DEVICE_USB] = {"usb", "USB disk"},     [DEVICE_NVME] = {"nvme", "NVMe"},
    [DEVICE_SATA] = {"sata", "SATA"},       [DEVICE_UFS] = {"ufs", "UFS"},
    [DEVICE_VIRTIO] = {"virtio", "virtio"}, [DEVICE_LOOP] = {"loop", "loop"},
    [DEVICE_ZRAM] = {"zram", "zram"},       [DEVICE_DM] = {"dm", "mapped"},
    [DEVICE_MD] = {"md", "RAID"},           [DEVICE_MTD] = {"mtd", "MTD flash"},
    [DEVICE_DISK] = {"disk", "disk"},       [DEVICE_PARTITION] = {"partition", "partition"},
    [DEVICE_DRAM] = {"dram", "DRAM"},       [DEVICE_ETHERNET] = {"ethernet", "Ethernet"},
    [DEVICE_WIFI] = {"wifi", "Wi-Fi"},      [DEVICE_SLOT] = {"slot", "slot"},
};

const char *device_kind_name(enum device_kind kind)
{
    return (unsigned)kind < DEVICE_KINDS ? kinds[kind].name : "unknown";
}

const char *device_kind_label(enum device_kind kind)
{
    return (unsigned)kind < DEVICE_KINDS ? kinds[kind].label : "unknown";
}

void device_done(struct device *device)
{
    for (char **mount = device->mounts; mount && *mount; mount++)
        free(*mount);
    free(device->mounts);
    free(device->id);
    free(device->name);
    free(device->parent);
    free(device->serial);
    free(device->cid);
    free(device->identity);
    free(device->label);
    free(device->bus_error);
    free(device->usb.driver);
    free(device->usb.ids);
    free(device->usb.uas_off);
    free(device->usb.advice);
    free(device->card.maker);
    free(device->card.firmware);
    free(device->card.date);
    free(device->card.doubt);
    free(device->filesystem);
    free(device->stat_path);
    free(device->sysfs_path);
    free(device->bus_mode);
    free(device->bus_source);
    free(device->bus_allowed);
    free(device->why);
    if (device->link)
        link_done(device->link);
    free(device->link);
    *device = (struct device){0};
}
