/* The first bytes of a device may be anything: each rule reads fields of its own behind its magic.
 */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/str.h"
#include "device/superblock.h"
#include "fuzz.h"

#define IMAGE                                                                                      \
    (1u << 18) /* the input fills its beginning, and stands at the rules' places as well */

static const struct {
    size_t at;
    const char *magic;
} SEEDS[] = {{1080, "\x53\xef"},   {82, "FAT32   "},  {54, "FAT16   "},
             {3, "EXFAT   "},      {0, "XFSB"},       {0, "hsqs"},
             {4086, "SWAPSPACE2"}, {512, "EFI PART"}, {0, "LUKS\xba\xbe"}};

size_t fuzz_seed(unsigned index, uint8_t *into)
{
    if (index >= ARRAY_SIZE(SEEDS))
        return 0;
    size_t size = SEEDS[index].at + 600;
    memset(into, 0, size);
    memcpy(into + SEEDS[index].at, SEEDS[index].magic, strlen(SEEDS[index].magic));
    into[510] = 0x55;
    into[511] = 0xaa;
    return size;
}

static void judge(const struct superblock *block)
{
    AUTO(str_done) struct str text = {0}, warning = {0};
    superblock_describe(block, &text);
    superblock_warn(block, &warning);
    if (text.size == 0 || warning.size == 0 || strlen(block->label) >= SUPERBLOCK_LABEL_MAX)
        abort();
    for (const char *at = text.text; *at; at++)
        if ((unsigned char)*at < 0x20 || *at == 0x7f)
            abort();
    if ((block->content == SUPERBLOCK_FILESYSTEM || block->content == SUPERBLOCK_OTHER) !=
        (block->type != NULL))
        abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static int image = -1;
    static uint8_t zeros[IMAGE];
    struct superblock block;
    if (image < 0)
        image = memfd_create("image", MFD_CLOEXEC);
    size_t most = size < IMAGE / 4 ? size : IMAGE / 4;
    size_t length = size % 3 ? IMAGE : most; /* a short device ends within a field */
    if (pwrite(image, zeros, IMAGE, 0) != IMAGE || pwrite(image, data, most, 0) != (ssize_t)most ||
        pwrite(image, data, most, 65536) != (ssize_t)most)
        abort();
    if (superblock_read(image, length, &block) < 0)
        abort();
    judge(&block);
    return 0;
}
