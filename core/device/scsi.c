#include "device/scsi.h"

#include <string.h>

#include "base/cleanup.h"
#include "base/str.h"
#include "device/folder.h"

#define VENDOR_WIDTH 8
#define SERIAL_HEAD 4 /* bytes before the serial in page 0x80 */

static void trim(const char **text, size_t *size)
{
    while (*size > 0 &&
           ((*text)[*size - 1] == ' ' || (*text)[*size - 1] == '\0' || (*text)[*size - 1] == '\n'))
        (*size)--;
    while (*size > 0 && **text == ' ') {
        (*text)++;
        (*size)--;
    }
}

char *scsi_name(const char *vendor, size_t vendor_size, const char *model, size_t model_size)
{
    trim(&vendor, &vendor_size);
    trim(&model, &model_size);
    /* SATA disks say "ATA" where others name their maker. */
    if (vendor_size == 3 && memcmp(vendor, "ATA", 3) == 0 && model_size > 0)
        vendor_size = 0;
    AUTO(str_done) struct str name = {0};
    str_add_clean(&name, vendor, vendor_size);
    if (vendor_size > 0 && vendor_size < VENDOR_WIDTH && model_size > 0)
        str_add(&name, " ");
    str_add_clean(&name, model, model_size);
    return name.size > 0 ? str_take(&name) : NULL;
}

char *scsi_read_name(const struct folder *folder)
{
    AUTO(str_done) struct str vendor = {0}, model = {0};
    (void)folder_text(folder, "vendor", &vendor);
    (void)folder_text(folder, "model", &model);
    return scsi_name(str_text(&vendor), vendor.size, str_text(&model), model.size);
}

char *scsi_read_serial(const struct folder *folder)
{
    AUTO(str_done) struct str page = {0};
    if (folder_text(folder, "vpd_pg80", &page) < 0 || page.size <= SERIAL_HEAD)
        return NULL;
    const char *text = page.text + SERIAL_HEAD;
    size_t size = page.size - SERIAL_HEAD;
    trim(&text, &size);
    if (size == 0)
        return NULL;
    struct str serial = {0};
    str_add_clean(&serial, text, size);
    return str_take(&serial);
}
