/* scsi: the names of disks that speak SCSI: USB, SATA and UFS. Cached inquiry text of sysfs only.
 */
#ifndef DEVICE_SCSI_H
#define DEVICE_SCSI_H

#include <stddef.h>

/* Makes one name of the two fixed-width fields (8 and 16 bytes). Bridges cut the name of an ATA
 * disk across both, so a vendor that fills its field is joined without a blank. NULL when both are
 * blank. Pure; the caller frees. */
char *scsi_name(const char *vendor, size_t vendor_size, const char *model, size_t model_size);
/* The name of the disk whose sysfs device folder is given; NULL unknown. */
struct folder;
char *scsi_read_name(const struct folder *folder);
/* Unit serial number (page 0x80), cleaned; NULL unknown. */
char *scsi_read_serial(const struct folder *folder);

#endif
