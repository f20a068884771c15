/* port: what the USB port of a device could do, and why the device runs slower. Reads cached sysfs
 * text and descriptors only. */
#ifndef DEVICE_PORT_H
#define DEVICE_PORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct device_usb;

/* The most a device can do by its binary object store: Mbit/s, 480 when it has no SuperSpeed
 * capability, 0 when the bytes are none. Pure. */
unsigned port_bos_mbps(const uint8_t *bytes, size_t size);

enum port_orientation { PORT_NO_TYPEC, PORT_NORMAL, PORT_REVERSE, PORT_UNKNOWN };

struct port_facts {
    unsigned speed_mbps, capable_mbps, port_mbps; /* 0 unknown */
    bool is_proven;                               /* capable_mbps */
    unsigned tree_mbps;                           /* the device tree's maximum-speed; 0: none */
    enum port_orientation orientation;
};
/* What a person can do about it, one sentence; NULL when nothing is wrong. Pure; the caller frees.
 */
char *port_advice(const struct port_facts *facts);

/* Fills port, capability and advice of a USB device's folder (…/usb1/1-1); its speed is known. */
void port_read(const char *root, const char *usb_folder, struct device_usb *usb);

#endif
