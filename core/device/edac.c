#include "device/edac.h"

#include <ctype.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/str.h"
#include "device/sysfs.h"

static uint64_t count_of(const char *folder, const char *name)
{
    uint64_t count = 0;
    return sysfs_number(folder, name, &count) == 0 ? count : 0;
}

void edac_read(const char *root, struct edac *ret_edac)
{
    struct edac edac = {0};
    AUTO_FREE char *folder = NULL;
    char **names = NULL;
    *ret_edac = edac;
    if (sysfs_resolve(root, "/sys/devices/system/edac/mc", &folder) < 0 ||
        sysfs_list(folder, &names) < 0)
        return;
    for (size_t i = 0; names[i]; i++) {
        AUTO_FREE char *controller = NULL;
        if (!str_starts(names[i], "mc") || !isdigit((unsigned char)names[i][2]) ||
            sysfs_follow(root, folder, names[i], &controller) < 0 ||
            !sysfs_has(controller, "ce_count"))
            continue;
        edac.controllers++;
        edac.corrected += count_of(controller, "ce_count");
        edac.uncorrected += count_of(controller, "ue_count");
    }
    sysfs_list_free(names);
    *ret_edac = edac;
}
