/* Text and bytes that cards, bridges and old kernels put into sysfs and debugfs. The first byte
 * splits the input for the readers of two fields. */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/str.h"
#include "device/mmc.h"
#include "device/scsi.h"
#include "device/sysfs.h"
#include "device/usb.h"
#include "fuzz.h"

static const char *const SEEDS[] = {
    ("\020clock:\t\t200000000 Hz\nactual clock:\t200000000 Hz\nvdd:\t\t21 (3.3 ~ 3.4 V)\n"
     "bus mode:\t2 (push-pull)\nbus width:\t3 (8 bits)\ntiming spec:\t9 (mmc HS200)\n"),
    "\010CT240BX500SSD1  ",
    "\001480",
    "\0015000",
    "\001mmcblk0boot1",
};

size_t fuzz_seed(unsigned index, uint8_t *into)
{
    if (index >= ARRAY_SIZE(SEEDS))
        return 0;
    size_t size = strlen(SEEDS[index]);
    memcpy(into, SEEDS[index], size);
    return size;
}

static void read_ios(const char *text, size_t size)
{
    struct mmc_ios ios;
    if (mmc_ios_parse(text, size, &ios) < 0)
        return;
    double ceiling = mmc_ios_ceiling(&ios);
    if (ios.width > 8 || !(ceiling >= 0) || (ceiling > 0 && ios.actual_hz == 0))
        abort();
    (void)mmc_ios_mode(&ios);
}

static void read_names(const char *text, size_t size, size_t split)
{
    AUTO_FREE char *name = scsi_name(text, split, text + split, size - split);
    if (name && name[0] == '\0')
        abort();
    for (const char *at = name; at && *at; at++)
        if ((unsigned char)*at < ' ' || *at == 0x7f)
            abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size == 0)
        return 0;
    size_t left = size - 1, split = left > 0 ? data[0] % (left + 1) : 0;
    AUTO_FREE char *text = mem_new(left + 1, 1);
    memcpy(text, data + 1, left);
    AUTO_FREE char *exact = mem_new(left, 1);
    memcpy(exact, text, left);
    read_ios(exact, left);
    read_names(exact, left, split);
    (void)usb_offers_uas((const uint8_t *)exact, left);
    (void)usb_speed_of(text);
    (void)mmc_is_area(text);
    if (sysfs_natural(text, text) != 0)
        abort();
    return 0;
}
