/* mmc: what an eMMC or SD card says about itself, and the mode its bus negotiated. The mode stands
 * in debugfs only, which may block and needs root: the probe reads that text, parsing it is pure.
 */
#ifndef DEVICE_MMC_H
#define DEVICE_MMC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct mmc_ios {
    uint64_t clock_hz;  /* asked for; 0: empty slot */
    uint64_t actual_hz; /* what the host really makes; equal to clock_hz when it does not say */
    unsigned width;     /* 1, 4 or 8 bits; 0 unknown */
    unsigned timing;    /* number of the timing spec; MMC_TIMING_UNKNOWN when absent */
    bool is_enhanced_strobe;
};
#define MMC_TIMING_UNKNOWN 0xffffu

/* Parses the text of debugfs mmcN/ios. -EINVAL when it has no clock line; result untouched. */
int mmc_ios_parse(const char *text, size_t size, struct mmc_ios *ret_ios);
/* "HS200", "SDR104"; NULL for an empty slot or an unknown number. Static. */
const char *mmc_ios_mode(const struct mmc_ios *ios);
/* Bytes per second: actual clock × width / 8, twice that for double data rate; 0 unknown. */
double mmc_ios_ceiling(const struct mmc_ios *ios);

/* Boot, general purpose and replay-protected areas of an eMMC are disks of their own: never a
 * target. True for "mmcblk0boot1", "mmcblk2gp0", "mmcblk0rpmb". Pure. */
bool mmc_is_area(const char *name);
/* The mode of that name with the clock its standard names; NULL unknown. Static. */
struct mmc_mode {
    const char *name;
    uint64_t clock_hz;
    bool is_double; /* two transfers a clock */
};
const struct mmc_mode *mmc_mode_find(const char *name);
double mmc_mode_ceiling(const struct mmc_mode *mode, unsigned width, uint64_t clock_hz);
/* Adds the host's name ("mmc0") from a resolved sysfs path. -ENODEV when it has none. */
struct str;
int mmc_host_of(const char *folder, struct str *into);

#endif
