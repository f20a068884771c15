/* net: the network ports of sysfs: what they are, what drives them, what they hang on, what the
 * device tree says of their PHY. Reads texts that take none of the kernel's locks: carrier, speed
 * and duplex only of a recorded tree, the probe tells those of this machine. */
#ifndef DEVICE_NET_H
#define DEVICE_NET_H

#include "device/device.h"

/* Takes what it is given. */
typedef void (*net_fn)(void *user, struct device device);

/* Calls `fn` for each port, also for those no person would test (lo, bridges): they are hidden, but
 * can be named. A machine without such a folder has none. */
void net_scan(const char *root, net_fn fn, void *user);

/* What follows from the facts of all: ports in one subnet, ports that cannot be tested. Again
 * whenever a link changed. */
void net_settle(struct device *devices, size_t count);

#endif
