/* The firmware's table is any bytes: nothing beyond it is read, and no figure leaves its bounds. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/str.h"
#include "device/smbios.h"
#include "fuzz.h"

#define MTPS_MOST 100000u
#define BITS_MOST (1024u * SMBIOS_DEVICES_MAX)

static const uint8_t HEAD[] = {17, 0x28, 1, 0, 2,    0,    0xfe, 0xff, 64,   0, 64, 0, 0, 0x20,
                               9,  0,    1, 2, 0x1a, 0,    0,    0x80, 0x0c, 0, 0,  0, 0, 0,
                               0,  0,    0, 0, 0x80, 0x0c, 0,    0,    0,    0, 0,  0};

size_t fuzz_seed(unsigned index, uint8_t *into)
{
    static const char *const strings[] = {"ChannelA-DIMM0\0BANK 0\0", "DIMM 1\0P0 CHANNEL B\0"};
    static const size_t sizes[] = {sizeof "ChannelA-DIMM0\0BANK 0\0",
                                   sizeof "DIMM 1\0P0 CHANNEL B\0"};
    size_t size = 0;
    if (index >= 3)
        return 0;
    for (unsigned i = 0; i <= index; i++) {
        memcpy(into + size, HEAD, sizeof HEAD);
        size += sizeof HEAD;
        memcpy(into + size, strings[i % 2], sizes[i % 2]);
        size += sizes[i % 2];
    }
    return size;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct smbios_memory memory;
    AUTO_FREE uint8_t *exact = mem_new(size, 1);
    if (size > 0)
        memcpy(exact, data, size);
    if (!smbios_memory(exact, size, &memory))
        return 0;
    if (memory.devices == 0 || memory.devices > SMBIOS_DEVICES_MAX || memory.mtps > MTPS_MOST ||
        memory.bits > BITS_MOST || (memory.kind && !memory.kind[0]))
        abort();
    return 0;
}
