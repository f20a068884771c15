/* card: what an eMMC or SD card says about itself in sysfs: maker, claims, wear. Never asks the
 * card: an ioctl can hang the controller and take the root file system with it. Decoding is pure.
 */
#ifndef DEVICE_CARD_H
#define DEVICE_CARD_H

#include <stdbool.h>
#include <stdint.h>

#include "device/device.h"

/* The maker that a manufacturer number stands for; NULL unknown. Static. */
const char *card_maker(bool is_emmc, uint64_t manfid);

/* Decodes the SD status register as sysfs prints it (128 hex digits). -EINVAL when it is none,
 * -ENODATA when the card left it empty; result untouched. */
int card_claims(const char *ssr, struct device_claims *ret_claims);
/* Data lines by the SCR register as sysfs prints it (16 hex digits): 1 or 4; 0: it is none. */
unsigned card_bus_lines(const char *scr);
/* "C10 U3 V30 A2"; adds nothing when it claims nothing. */
struct str;
void card_claims_text(const struct device_claims *claims, struct str *into);

/* Decodes life_time ("0x01 0x02") and pre_eol_info ("01", "0x01"), either may be NULL. */
void card_health(const char *life_time, const char *pre_eol, struct device_health *ret_health);
bool card_health_is_known(const struct device_health *health);
const char *card_reserved_name(unsigned reserved); /* "normal" …; NULL unknown. Static */

/* Is `cid` 32 hex digits? */
bool card_is_cid(const char *cid);

/* Fills name, serial, CID and card of `device` (its kind is known) from the card's folder
 * (…/mmc0/mmc0:0001); nothing from a closed one. */
struct folder;
void card_read(const struct folder *folder, struct device *device);

#endif
