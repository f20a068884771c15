/* mountinfo comes from the kernel or from a recorded tree: any text may stand there. */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/str.h"
#include "device/mount.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

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
