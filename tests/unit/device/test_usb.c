#include "device/usb.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/cleanup.h"
#include "device/device.h"
#include "device/sysfs.h"

static const char root[] = IODYNO_SYSROOTS "/usb-reader";

static struct device read_disk(const char *path)
{
    AUTO_FREE char *folder = NULL;
    struct device device = {0};
    assert_int_equal(sysfs_resolve(root, path, &folder), 0);
    usb_read(root, folder, &device);
    return device;
}

static void bot_bridge_that_could_do_uas(void **state)
{
    (void)state;
    AUTO(device_done) struct device device = read_disk("/sys/class/block/sdc");
    assert_int_equal(device.usb.speed_mbps, 480);
    assert_string_equal(device.bus_mode, "High Speed");
    assert_true(device.ceiling_bps == 60e6);
    assert_string_equal(device.usb.driver, "usb-storage");
    assert_true(device.usb.is_uas_capable);
    assert_string_equal(device.serial, "DB9876543214E");
}

static void reader_is_bot_only(void **state)
{
    (void)state;
    AUTO(device_done) struct device device = read_disk("/sys/class/block/sda");
    assert_string_equal(device.usb.driver, "usb-storage");
    assert_false(device.usb.is_uas_capable);
}

static void uas_at_super_speed(void **state)
{
    (void)state;
    AUTO(device_done) struct device device = read_disk("/sys/class/block/sdd");
    assert_string_equal(device.usb.driver, "uas");
    assert_string_equal(device.bus_mode, "SuperSpeed");
    assert_true(device.ceiling_bps == 500e6);
    assert_true(device.usb.is_uas_capable);
}

static void descriptors_are_not_trusted(void **state)
{
    (void)state;
    static const uint8_t uas[] = {9, 4, 0, 1, 4, 8, 6, 0x62, 0};
    static const uint8_t zero[] = {0, 4, 9, 4, 0, 1, 4, 8, 6, 0x62, 0};
    static const uint8_t other_class[] = {9, 4, 0, 1, 4, 3, 6, 0x62, 0};
    assert_true(usb_offers_uas(uas, sizeof uas));
    assert_false(usb_offers_uas(uas, sizeof uas - 1)); /* cut */
    assert_false(usb_offers_uas(uas, 1));
    assert_false(usb_offers_uas(uas, 0));
    assert_false(usb_offers_uas(zero, sizeof zero));
    assert_false(usb_offers_uas(other_class, sizeof other_class));
}

static void unknown_speeds_stay_unknown(void **state)
{
    (void)state;
    assert_null(usb_speed_of("unknown"));
    assert_null(usb_speed_of(""));
    assert_string_equal(usb_speed_of("10000")->mode, "SuperSpeed+");
    assert_int_equal(usb_speed_of("1.5")->mbps, 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bot_bridge_that_could_do_uas),
        cmocka_unit_test(reader_is_bot_only),
        cmocka_unit_test(uas_at_super_speed),
        cmocka_unit_test(descriptors_are_not_trusted),
        cmocka_unit_test(unknown_speeds_stay_unknown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
