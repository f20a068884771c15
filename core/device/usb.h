/* usb: how a disk hangs on USB: negotiated speed, driver, what its bridge could do. Reads cached
 * sysfs text and descriptors only. */
#ifndef DEVICE_USB_H
#define DEVICE_USB_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct device;

struct usb_speed {
    const char *text; /* as sysfs prints it, Mbit/s */
    const char *mode; /* "High Speed" */
    unsigned mbps;
    double ceiling_bps; /* bytes per second after line coding */
};
/* Pure; NULL for a speed the table does not know. */
const struct usb_speed *usb_speed_of(const char *text);

/* Does a configuration offer USB Attached SCSI (class 8, subclass 6, protocol 0x62) in any of its
 * alternate settings? `bytes`: the device's descriptors as sysfs gives them. Pure. */
bool usb_offers_uas(const uint8_t *bytes, size_t size);

/* Fills the bus and usb members of a disk from its resolved folder; what is absent stays unknown.
 */
void usb_read(const char *root, const char *folder, struct device *device);

#endif
