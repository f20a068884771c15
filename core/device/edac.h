/* edac: errors that the memory controllers corrected, or could not, since the machine started.
 * Reads sysfs text. */
#ifndef DEVICE_EDAC_H
#define DEVICE_EDAC_H

#include <stdint.h>

struct edac {
    unsigned controllers; /* 0: nobody counts */
    uint64_t corrected, uncorrected;
};

void edac_read(const char *root, struct edac *ret_edac);

#endif
