/* mountinfo comes from the kernel or from a recorded tree: any text may stand there. */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/str.h"
#include "device/mount.h"
#include "fuzz.h"

static const char *const SEEDS[] = {
    "22 1 254:0 / / rw,relatime shared:1 - ext4 /dev/root rw\n",
    "31 22 0:41 /@home /home rw - btrfs /dev/sda2 rw,subvol=/@home\n",
    ("40 22 179:1 / /media/a\\040b#c\\134d ro,nosuid master:2 propagate_from:1 - vfat "
     "/dev/mmcblk0p1 ro\n"),
    "50 22 0:50 / /merged rw - overlay overlay rw,lowerdir=/l,upperdir=u/../up,workdir=/w\n",
};

size_t fuzz_seed(unsigned index, uint8_t *into)
{
    if (index >= ARRAY_SIZE(SEEDS))
        return 0;
    size_t size = strlen(SEEDS[index]);
    memcpy(into, SEEDS[index], size);
    return size;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    AUTO(mount_table_done) struct mount_table table = {0};
    /* An exact copy, so that reading one byte beyond it is seen. */
    AUTO_FREE char *text = mem_new(size, 1);
    if (size > 0)
        memcpy(text, data, size);
    if (mount_parse(text, size, &table) < 0 || table.count > MOUNT_ENTRIES_MAX)
        abort();
    for (size_t i = 0; i < table.count && i < 64; i++) {
        const struct mount_entry *entry = &table.entries[i];
        AUTO(str_done) struct str value = {0};
        if (entry->point[0] != '/' || !mount_by_point(&table, entry->point) ||
            !mount_by_path(&table, entry->point) || !mount_by_id(&table, entry->id))
            abort();
        (void)mount_option(entry, "upperdir", &value);
        (void)mount_backing(&table, entry);
    }
    return 0;
}
