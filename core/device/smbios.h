/* smbios: what the firmware's table says of the memory devices (structure type 17 of DSP0134).
 * Pure; the bytes are not trusted. */
#ifndef DEVICE_SMBIOS_H
#define DEVICE_SMBIOS_H

#include <stdbool.h>
#include <stddef.h>

#define SMBIOS_TABLE_MAX (256u << 10) /* bytes that are looked at */
#define SMBIOS_DEVICES_MAX 64         /* populated places; further ones are left out */

struct smbios_memory {
    const char *kind;  /* "DDR4"; NULL unknown. Static */
    unsigned mtps;     /* million transfers a second of the slowest; 0 unknown */
    unsigned bits;     /* data lines of all channels; 0 unknown */
    unsigned devices;  /* populated places */
    bool has_channels; /* they say which channel they are on: else each counts as one */
};

/* False when the table names no populated place. */
bool smbios_memory(const void *bytes, size_t size, struct smbios_memory *ret_memory);

#endif
