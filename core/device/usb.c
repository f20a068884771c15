#include "device/usb.h"

#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/str.h"
#include "device/device.h"
#include "device/folder.h"
#include "device/port.h"
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
    device->usb.speed_mbps = speed->mbps;
    device->bus_mode = mem_copy_text(speed->mode);
    device->ceiling_bps = speed->ceiling_bps;
    device->bus_source = mem_copy_text("sysfs");
}

/* Why a bridge that could do UAS runs as bulk-only. */
static const char *uas_off_reason(const char *root, const char *ids)
{
    AUTO_FREE char *parameters = NULL, *drivers = NULL;
    AUTO(str_done) struct str quirks = {0};
    if (sysfs_resolve(root, "/sys/module/usb_storage/parameters", &parameters) == 0 &&
        sysfs_has(parameters, "quirks"))
        (void)sysfs_text(parameters, "quirks", &quirks);
    const char *quirk = ids && quirks.size > 0 ? strcasestr(quirks.text, ids) : NULL;
    if (quirk && quirk[strlen(ids)] == ':') {
        const char *flags = quirk + strlen(ids) + 1;
        const char *flag = strchr(flags, 'u');
        if (flag && flag < flags + strcspn(flags, ","))
            return "a quirk of the kernel's command line turns it off";
    }
    if (sysfs_resolve(root, "/sys/bus/usb/drivers/uas", &drivers) < 0)
        return "this kernel has no uas driver, or it is not loaded";
    return "?";
}

static void read_uas(const char *root, const char *usb, const char *interface,
                     struct device *device)
{
    AUTO(str_done) struct str descriptors = {0};
    AUTO_FREE char *protocol = interface ? sysfs_label(interface, "bInterfaceProtocol") : NULL;
    struct device_usb *facts = &device->usb;
    bool is_uas = facts->driver && strcmp(facts->driver, "uas") == 0;
    if (sysfs_has(usb, "descriptors") &&
        sysfs_file(usb, "descriptors", FOLDER_TEXT_MAX, &descriptors) == 0)
        facts->is_uas_capable =
            usb_offers_uas((const uint8_t *)str_text(&descriptors), descriptors.size);
    if (is_uas || (protocol && strcmp(protocol, "62") == 0))
        facts->is_uas_capable = true;
    if (facts->is_uas_capable && facts->driver && !is_uas)
        facts->uas_off = mem_copy_text(uas_off_reason(root, facts->ids));
}

/* VID:PID, and with the serial number an identity. Units are known to share serial numbers, so it
 * tells models apart for sure, units mostly. */
static void read_identity(const char *usb, struct device *device)
{
    AUTO_FREE char *vendor = sysfs_label(usb, "idVendor"), *product = sysfs_label(usb, "idProduct");
    device->serial = sysfs_label(usb, "serial");
    if (!vendor || !product)
        return;
    struct str ids = {0}, identity = {0};
    str_addf(&ids, "%s:%s", vendor, product);
    device->usb.ids = str_take(&ids);
    if (!device->serial)
        return;
    str_addf(&identity, "%s:%s", device->usb.ids, device->serial);
    device->identity = str_take(&identity);
}

void usb_read(const char *root, const char *folder, struct device *device)
{
    AUTO_FREE char *interface = sysfs_above(folder, "bInterfaceNumber");
    AUTO_FREE char *usb = sysfs_above(folder, "idVendor");
    AUTO_FREE char *driver = NULL;
    if (interface && sysfs_follow(root, interface, "driver", &driver) == 0)
        device->usb.driver = mem_copy_text(sysfs_base(driver));
    if (!usb)
        return;
    read_speed(usb, device);
    read_identity(usb, device);
    read_uas(root, usb, interface, device);
    port_read(root, usb, &device->usb);
}
