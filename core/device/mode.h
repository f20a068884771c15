/* mode: how an MMC host and its card talk: what the board's device tree allows at most, what the
 * kernel log says was negotiated, and what the probe answered, placed on the devices. */
#ifndef DEVICE_MODE_H
#define DEVICE_MODE_H

#include "device/inventory.h"

struct str;
struct frame;

/* Fills the bus of a card from its host's device-tree node, as "at most". `folder`: resolved, of
 * the disk or host. Nothing when the tree does not say. */
void mode_read_tree(const char *root, const char *folder, struct device *device);

struct mode_log {  /* what the kernel log said of one host, the last of each */
    char mode[16]; /* "HS200"; "" unknown */
    char *error;   /* cleaned text; NULL none */
};
/* Takes one record of /dev/kmsg ("6,339,5140900,-;mmc0: new HS200 MMC card at address 0001"). Pure.
 */
void mode_take_line(struct mode_log *log, const char *host, const char *record, size_t size);
void mode_log_done(struct mode_log *log);

/* The hosts worth asking about, NULL-ended ("mmc0"), each once. The caller frees with
 * sysfs_list_free. */
char **mode_hosts(const struct inventory *inventory);
/* Adds what tells whether a host's answer is still true: its card. */
void mode_host_key(const struct inventory *inventory, const char *host, struct str *into);
/* Places a row of the probe "mmc" on the cards and slots of its host. True when one changed. */
bool mode_take_row(struct inventory *inventory, const struct frame *row);

#endif
