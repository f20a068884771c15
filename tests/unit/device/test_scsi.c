#include "device/scsi.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/cleanup.h"
#include "device/folder.h"
#include "device/sysfs.h"

static char *name_of(const char *vendor, const char *model)
{
    return scsi_name(vendor, strlen(vendor), model, strlen(model));
}

static void a_full_vendor_field_is_joined(void **state)
{
    (void)state;
    AUTO_FREE char *cut = name_of("CT240BX5", "00SSD1          ");
    assert_string_equal(cut, "CT240BX500SSD1");
    AUTO_FREE char *two = name_of("SanDisk ", "Cruzer Blade    ");
    assert_string_equal(two, "SanDisk Cruzer Blade");
}

static void ata_is_no_maker(void **state)
{
    (void)state;
    AUTO_FREE char *disk = name_of("ATA     ", "WDC WD10EZEX-08W");
    assert_string_equal(disk, "WDC WD10EZEX-08W");
    AUTO_FREE char *alone = name_of("ATA     ", "");
    assert_string_equal(alone, "ATA");
}

static void blank_fields_are_unknown(void **state)
{
    (void)state;
    assert_null(name_of("        ", "                "));
    assert_null(name_of("", ""));
    AUTO_FREE char *odd = name_of("A\x1b[2JB", "x\x07");
    assert_string_equal(odd, "A?[2JB x?");
}

static void serial_page_is_read(void **state)
{
    (void)state;
    AUTO_FREE char *folder = NULL;
    assert_int_equal(sysfs_resolve(IODYNO_SYSROOTS "/nvme", "/sys/class/block/sda/device", &folder),
                     0);
    AUTO(folder_close) struct folder open = {.fd = -1};
    assert_null(scsi_read_serial(&open));
    assert_null(scsi_read_name(&open));
    assert_int_equal(folder_open(folder, &open), 0);
    AUTO_FREE char *serial = scsi_read_serial(&open);
    assert_string_equal(serial, "WD-WCC000000000");
    AUTO_FREE char *name = scsi_read_name(&open);
    assert_string_equal(name, "WDC WD10EZEX-08W");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_full_vendor_field_is_joined),
        cmocka_unit_test(ata_is_no_maker),
        cmocka_unit_test(blank_fields_are_unknown),
        cmocka_unit_test(serial_page_is_read),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
