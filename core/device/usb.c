#include "device/usb.h"

#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/str.h"
#include "device/device.h"
#include "device/sysfs.h"

static const struct usb_speed speeds[] = {
    {"1.5", "Low Speed", 2, 1.5e6 / 8},
    {"12", "Full Speed", 12, 12e6 / 8},
    {"480", "High Speed", 480, 480e6 / 8},
    {"5000", "SuperSpeed", 5000, 5e9 / 10},                /* 8b/10b */
    {"10000", "SuperSpeed+", 10000, 10e9 / 8 * 128 / 132}, /* 128b/132b */
    {"20000", "SuperSpeed+ x2", 20000, 20e9 / 8 * 128 / 132},
};

const struct usb_speed *usb_speed_of(const char *text)
{
    for (size_t i = 0; i < ARRAY_SIZE(speeds); i++)
        if (strcmp(speeds[i].text, text) == 0)
            return &speeds[i];
    return NULL;
}

bool usb_offers_uas(const uint8_t *bytes, size_t size)
{
    enum { LENGTH, TYPE, CLASS = 5, SUBCLASS, PROTOCOL, INTERFACE_SIZE = 9, INTERFACE = 4 };
    for (size_t at = 0; size - at >= 2 && bytes[at + LENGTH] >= 2;) {
        const uint8_t *one = bytes + at;
        if (one[LENGTH] > size - at)
            return false;
        if (one[TYPE] == INTERFACE && one[LENGTH] >= INTERFACE_SIZE && one[CLASS] == 8 &&
            one[SUBCLASS] == 6 && one[PROTOCOL] == 0x62)
            return true;
        at += one[LENGTH];
    }
    return false;
}

static void read_speed(const char *usb, struct device *device)
{
    AUTO(str_done) struct str text = {0};
    if (sysfs_text(usb, "speed", &text) < 0)
        return;
    const struct usb_speed *speed = usb_speed_of(str_text(&text));
    if (!speed)
        return;
    device->usb_speed_mbps = speed->mbps;
    device->bus_mode = mem_copy_text(speed->mode);
    device->ceiling_bps = speed->ceiling_bps;
    device->bus_source = mem_copy_text("sysfs");
}

void usb_read(const char *root, const char *folder, struct device *device)
{
    AUTO_FREE char *interface = sysfs_above(folder, "bInterfaceNumber");
    AUTO_FREE char *usb = sysfs_above(folder, "idVendor");
    AUTO_FREE char *driver = NULL;
    if (interface && sysfs_follow(root, interface, "driver", &driver) == 0)
        device->usb_driver = mem_copy_text(sysfs_base(driver));
    if (!usb)
        return;
    read_speed(usb, device);
    device->serial = sysfs_label(usb, "serial");
    /* sysfs shows the interface in use only: a bridge run as BOT still lists UAS here. */
    AUTO(str_done) struct str descriptors = {0};
    if (sysfs_text(usb, "descriptors", &descriptors) == 0)
        device->is_uas_capable =
            usb_offers_uas((const uint8_t *)str_text(&descriptors), descriptors.size);
    if (device->usb_driver && strcmp(device->usb_driver, "uas") == 0)
        device->is_uas_capable = true;
}
