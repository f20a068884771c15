/* nettree: what the device tree says of a network port's PHY, and what a recorded kernel log does.
 */
#ifndef DEVICE_NETTREE_H
#define DEVICE_NETTREE_H

#include "device/link.h"

/* `folder`: the port's; `hardware`: of what drives it, NULL none. phy-mode, RGMII delays, limit. */
void nettree_read(const char *root, const char *folder, const char *hardware, struct link *link);

/* ROOT/proc/kmsg: the lines that a recorder kept of the kernel log, as text. */
void nettree_read_log(const char *root, const char *name, const char *parent, struct link *link);

#endif
