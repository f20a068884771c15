#include "device/device.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/str.h"

static void kinds_bear_the_names_of_the_list(void **state)
{
    (void)state;
    static const char *const names[DEVICE_KINDS] = {
        "emmc", "sd", "usb", "nvme", "sata",      "ufs",  "virtio",   "loop", "zram",
        "dm",   "md", "mtd", "disk", "partition", "dram", "ethernet", "wifi", "slot"};
    for (unsigned kind = 0; kind < DEVICE_KINDS; kind++) {
        assert_string_equal(device_kind_name((enum device_kind)kind), names[kind]);
        assert_true(strlen(device_kind_label((enum device_kind)kind)) > 0);
    }
    assert_string_equal(device_kind_name(DEVICE_KINDS), "unknown");
}

static void done_frees_and_empties(void **state)
{
    (void)state;
    struct device device = {.id = mem_copy_text("sda"), .why = mem_copy_text("no")};
    device.mounts = mem_new(2, sizeof *device.mounts);
    device.mounts[0] = mem_copy_text("/");
    device_done(&device);
    assert_null(device.id);
    assert_null(device.mounts);
    device_done(&device);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(kinds_bear_the_names_of_the_list),
        cmocka_unit_test(done_frees_and_empties),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
