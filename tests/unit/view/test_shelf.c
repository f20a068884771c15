/* shelf: groups, what is shown, modes, estimates. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/cleanup.h"
#include "device/link.h"
#include "iodyno/plugin.h"
#include "view/shelf.h"

static struct device devices[] = {
    {.kind = DEVICE_SD,
     .id = (char *)"mmcblk1",
     .has_medium = true,
     .size_bytes = 31914983424,
     .bus_mode = (char *)"SDR104",
     .bus_width = 4},
    {.kind = DEVICE_PARTITION,
     .id = (char *)"mmcblk1p1",
     .parent = (char *)"mmcblk1",
     .has_medium = true},
    {.kind = DEVICE_USB, .id = (char *)"sdb"},
    {.kind = DEVICE_SLOT, .id = (char *)"mmc2", .why = (char *)"no card"},
    {.kind = DEVICE_LOOP, .id = (char *)"loop0", .has_medium = true},
    {.kind = DEVICE_DRAM, .id = (char *)"dram", .size_bytes = 2147483648},
    {.kind = DEVICE_ETHERNET, .id = (char *)"eth0"},
};
enum { CARD, PART, READER, SLOT, LOOP, DRAM, PORT };
static const struct inventory inventory = {devices, ARRAY_SIZE(devices)};

static void test_groups(void **state)
{
    (void)state;
    assert_int_equal(shelf_group(&devices[CARD]), SHELF_STORAGE);
    assert_int_equal(shelf_group(&devices[SLOT]), SHELF_STORAGE);
    assert_int_equal(shelf_group(&devices[DRAM]), SHELF_MEMORY);
    assert_int_equal(shelf_group(&devices[PORT]), SHELF_NETWORK);
}

static void test_what_is_shown(void **state)
{
    static char *mounts[] = {(char *)"/mnt", NULL};
    (void)state;
    assert_true(shelf_shows(&inventory, &devices[CARD]));
    assert_false(shelf_shows(&inventory, &devices[PART]));
    assert_true(shelf_shows(&inventory, &devices[READER]));
    assert_true(shelf_shows(&inventory, &devices[SLOT]));
    assert_false(shelf_shows(&inventory, &devices[LOOP]));
    devices[LOOP].mounts = mounts;
    assert_true(shelf_shows(&inventory, &devices[LOOP]));
    devices[LOOP].mounts = NULL;
}

static void expect_mode(const struct device *device, const char *text, bool is_missing)
{
    struct str mode = {0};
    bool missing = !is_missing;
    shelf_mode(device, &mode, &missing);
    assert_string_equal(str_text(&mode), text);
    assert_int_equal(missing, is_missing);
    str_done(&mode);
}

static void test_ports(void **state)
{
    struct link link = {.index = 2,
                        .carrier = LINK_YES,
                        .up = LINK_YES,
                        .speed_mbps = 1000,
                        .duplex = (char *)"full",
                        .addresses = (char *)"192.168.0.232/24 fe80::1/64"};
    struct device port = {
        .kind = DEVICE_ETHERNET, .id = (char *)"eth0", .is_testable = true, .link = &link};
    struct str address = {0};
    (void)state;
    expect_mode(&port, "1000 full", false);
    shelf_address(&port, &address);
    assert_string_equal(str_text(&address), "192.168.0.232");
    str_done(&address);
    link.carrier = LINK_NO;
    expect_mode(&port, "no carrier", true);
    link.up = LINK_NO;
    expect_mode(&port, "down", true);
    port.is_testable = false;
    port.why = (char *)"the kernel said: no PHY";
    expect_mode(&port, "the kernel said: no PHY", true);
    assert_true(shelf_shows(&inventory, &port));
    port.is_hidden = true;
    assert_false(shelf_shows(&inventory, &port));
}

static void test_modes(void **state)
{
    (void)state;
    expect_mode(&devices[CARD], "SDR104 4 bit", false);
    expect_mode(&devices[READER], "no medium", true);
    expect_mode(&devices[SLOT], "no card", true);
    expect_mode(&devices[PORT], "", false);
    devices[CARD].is_read_only = true;
    expect_mode(&devices[CARD], "SDR104 4 bit, read-only", false);
    devices[CARD].is_read_only = false;
}

static void test_estimates(void **state)
{
    struct option sizes[] = {
        {.type = DYNO_SIZE, .key = (char *)"bs", .def = (char *)"1M"},
        {.type = DYNO_UINT, .key = (char *)"count", .def = (char *)"500"},
        {.type = DYNO_TIME, .key = (char *)"time", .def = (char *)"10"},
    };
    struct catalog_test test = {.options = sizes, .option_count = 2};
    (void)state;
    assert_true(shelf_estimate(&test, 0) < 0);
    double seconds = shelf_estimate(&test, 5242880);
    assert_true(seconds > 99.9 && seconds < 100.1);
    test.option_count = 3;
    seconds = shelf_estimate(&test, 0);
    assert_true(seconds > 9.9 && seconds < 10.1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_groups),    cmocka_unit_test(test_what_is_shown),
        cmocka_unit_test(test_modes),     cmocka_unit_test(test_ports),
        cmocka_unit_test(test_estimates),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
