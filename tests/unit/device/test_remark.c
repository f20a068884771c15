#include "device/remark.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "base/cleanup.h"
#include "base/str.h"

static void expect(const struct device *device, const struct device *disk, const char *text)
{
    AUTO(str_done) struct str into = {0};
    remark_add(device, disk, &into);
    assert_string_equal(str_text(&into), text);
}

static void nothing_is_said_when_all_is_well(void **state)
{
    (void)state;
    struct device disk = {.kind = DEVICE_SD, .card.erase_bytes = 4 << 20};
    struct device part = {.kind = DEVICE_PARTITION, .start_bytes = 8 << 20};
    expect(&disk, NULL, "");
    expect(&part, &disk, "");
    part.start_bytes = 0; /* unknown */
    expect(&part, &disk, "");
    disk.card.erase_bytes = 0;
    part.start_bytes = 512;
    expect(&part, &disk, "");
    expect(&part, NULL, "");
}

static void a_start_within_a_unit_is_told(void **state)
{
    (void)state;
    const struct device disk = {.kind = DEVICE_SD, .card.erase_bytes = 4 << 20};
    struct device part = {.kind = DEVICE_PARTITION, .start_bytes = 1 << 20};
    expect(&part, &disk,
           "starts within an allocation unit of its card (4.0 MiB), which may slow writing");
    assert_int_equal(remark_is_aligned(&part, &disk), 0);
    part.start_bytes = 4 << 20;
    assert_int_equal(remark_is_aligned(&part, &disk), 1);
    assert_int_equal(remark_is_aligned(&disk, &disk), -1);
}

static void wear_and_doubt_are_told(void **state)
{
    (void)state;
    char doubt[] = "its maker's number is 0", error[] = "error -84", advice[] = "flip the plug";
    char off[] = "?";
    struct device disk = {.kind = DEVICE_EMMC, .card.health = {.used = {10, 90}, .reserved = 2}};
    expect(&disk, NULL, "up to 90 % of its life used  spare blocks: warning");
    disk.card.health.is_past = true;
    disk.card.health.reserved = 1;
    disk.bus_error = error;
    expect(&disk, NULL, "past its life  the kernel said: error -84");
    disk.kind = DEVICE_SLOT; /* stands in its `why` */
    disk.card.health = (struct device_health){.reserved = 0};
    expect(&disk, NULL, "");
    struct device usb = {.kind = DEVICE_USB, .usb = {.advice = advice, .uas_off = off}};
    usb.card.doubt = doubt;
    expect(&usb, NULL, "UAS capable, but off  flip the plug  its maker's number is 0");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_is_said_when_all_is_well),
        cmocka_unit_test(a_start_within_a_unit_is_told),
        cmocka_unit_test(wear_and_doubt_are_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
