/* capability: what proves that a link could carry more, and what does not. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/cleanup.h"
#include "device/capability.h"
#include "device/mmc.h"

/* Links are told as the probe tells them: mode, width, clock, ceiling. */
static struct device card(enum device_kind kind, const char *mode, unsigned width)
{
    static char modes[8][16], path[] = "/sys/devices/x/mmc_host/mmc1/mmc1:0001/block/mmcblk1";
    static unsigned next;
    char *name = modes[next++ % ARRAY_SIZE(modes)];
    assert_true(strlen(mode) < sizeof modes[0]);
    strcpy(name, mode);
    const struct mmc_mode *about = mmc_mode_find(mode);
    return (struct device){.kind = kind,
                           .bus_mode = name,
                           .bus_width = width,
                           .bus_clock_hz = about->clock_hz,
                           .ceiling_bps = mmc_mode_ceiling(about, width, about->clock_hz),
                           .sysfs_path = path};
}

static void allow(struct device *device, const char *mode, unsigned width, uint64_t clock_hz)
{
    static char name[16];
    strcpy(name, mode);
    device->bus_allowed = name;
    device->bus_allowed_width = width;
    device->bus_allowed_hz = clock_hz;
}

static void an_emmc_takes_board_and_version(void **state)
{
    (void)state;
    struct capability found;
    struct device emmc = card(DEVICE_EMMC, "high speed", 8);
    emmc.card.revision = 8;
    assert_false(capability_find(&emmc, &found)); /* nobody says what the board does */
    allow(&emmc, "HS400ES", 8, 0);
    assert_true(capability_find(&emmc, &found));
    assert_true(found.bps == 400e6);
    assert_string_equal(found.source, "HS400, 8 bit, by the device tree and eMMC 5.1,");
    assert_non_null(strstr(found.advice, "errors of mmc1"));
    emmc.card.revision = 6; /* knows HS200 */
    assert_true(capability_find(&emmc, &found));
    assert_true(found.bps == 200e6);
    assert_string_equal(found.source, "HS200, 8 bit, by the device tree and eMMC 4.5,");
    emmc.card.revision = 0; /* an old kernel does not tell: the board alone is no proof */
    assert_false(capability_find(&emmc, &found));
    emmc.card.revision = 8;
    allow(&emmc, "high speed", 8, 0);
    assert_false(capability_find(&emmc, &found));
    allow(&emmc, "HS200", 8, 100000000); /* its clock is limited */
    assert_true(capability_find(&emmc, &found));
    assert_true(found.bps == 100e6);
}

static void an_emmc_that_runs_as_it_should_is_left_alone(void **state)
{
    (void)state;
    struct capability found;
    struct device emmc = card(DEVICE_EMMC, "HS400ES", 8);
    emmc.card.revision = 8;
    allow(&emmc, "HS400ES", 8, 0);
    assert_false(capability_find(&emmc, &found));
    emmc = card(DEVICE_EMMC, "DDR52", 8); /* a host that makes 49.152 of 52 MHz */
    emmc.bus_clock_hz = 49152000;
    emmc.ceiling_bps = 98304000;
    emmc.card.revision = 5;
    allow(&emmc, "DDR52", 8, 0);
    assert_false(capability_find(&emmc, &found));
}

static void a_narrow_bus_is_named(void **state)
{
    (void)state;
    struct capability found;
    struct device emmc = card(DEVICE_EMMC, "HS200", 4);
    allow(&emmc, "HS200", 8, 0);
    assert_true(capability_find(&emmc, &found));
    assert_true(found.bps == 200e6);
    assert_string_equal(found.source, "HS200, 8 bit, by the device tree,");
    assert_non_null(strstr(found.advice, "only 4 of 8 data lines work"));
    struct device sd = card(DEVICE_SD, "high speed", 1);
    assert_false(capability_find(&sd, &found));
    sd.card.bus_lines = 4;
    assert_true(capability_find(&sd, &found));
    assert_true(found.bps == 26e6); /* the clock that it has, by four */
    assert_string_equal(found.source, "high speed, 4 bit, by its SCR register,");
}

static void an_sd_card_is_held_to_its_marks(void **state)
{
    (void)state;
    static const struct {
        struct device_claims claims;
        const char *mode;
        double mbps; /* 0: nothing is below */
        const char *reason;
    } rows[] = {
        {{.uhs = 1}, "high speed", 50, "SDR50, 4 bit, by its mark U1,"},
        {{.uhs = 3, .video = 30}, "high speed", 50, "SDR50, 4 bit, by its mark U3,"},
        {{.video = 30}, "SDR25", 50, "SDR50, 4 bit, by its mark V30,"},
        {{.uhs = 3, .video = 90}, "SDR50", 104, "SDR104, 4 bit, by its mark V90,"},
        {{.uhs = 3, .video = 90}, "SDR104", 0, NULL},
        {{.uhs = 3, .video = 30}, "SDR50", 0, NULL},
        {{.uhs = 3}, "DDR50", 0, NULL},
        {{.video = 10}, "high speed", 0, NULL},
        {{.speed_class = 10}, "high speed", 0, NULL},
        {{.speed_class = 10}, "legacy", 25, "high speed, 4 bit, by its mark Class 10,"},
        {{.speed_class = 6}, "legacy", 0, NULL},
        {{.application = 2}, "high speed", 0, NULL},
    };
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        struct capability found = {0};
        struct device sd = card(DEVICE_SD, rows[i].mode, 4);
        sd.card.bus_lines = 4;
        sd.card.claims = rows[i].claims;
        bool is_below = capability_find(&sd, &found);
        if (is_below != (rows[i].mbps > 0) || (is_below && found.bps != rows[i].mbps * 1e6))
            fail_msg("row %zu: %s, %.0f", i, is_below ? "below" : "as fast as it can", found.bps);
        if (is_below)
            assert_string_equal(found.source, rows[i].reason);
    }
}

static void the_board_may_be_the_reason(void **state)
{
    (void)state;
    struct capability found;
    struct device sd = card(DEVICE_SD, "high speed", 4);
    sd.card.claims.uhs = 3;
    assert_true(capability_find(&sd, &found));
    assert_non_null(strstr(found.advice, "1.8 V"));
    allow(&sd, "high speed", 4, 0);
    assert_true(capability_find(&sd, &found));
    assert_non_null(strstr(found.advice, "the device tree allows no more than high speed"));
    allow(&sd, "SDR104", 4, 0);
    assert_true(capability_find(&sd, &found));
    assert_non_null(strstr(found.advice, "errors of mmc1 in `dmesg`"));
}

static void what_the_board_allows_is_nothing_agreed(void **state)
{
    (void)state;
    struct capability found;
    struct device sd = card(DEVICE_SD, "high speed", 4);
    sd.card.claims.uhs = 3;
    sd.is_bus_at_most = true;
    assert_false(capability_find(&sd, &found));
    sd.is_bus_at_most = false;
    sd.bus_width = 0; /* an unknown one */
    assert_false(capability_find(&sd, &found));
    sd.bus_mode = NULL;
    assert_false(capability_find(&sd, &found));
}

static void a_usb_device_by_its_descriptors(void **state)
{
    (void)state;
    static char advice[] = "try another port";
    struct capability found;
    struct device usb = {
        .kind = DEVICE_USB,
        .usb = {.speed_mbps = 480, .capable_mbps = 5000, .is_proven = true, .advice = advice}};
    assert_true(capability_find(&usb, &found));
    assert_true(found.bps == 500e6);
    assert_string_equal(found.source, "SuperSpeed, by its descriptors,");
    assert_string_equal(found.advice, advice);
    usb.usb.is_proven = false; /* a version number only hints */
    assert_false(capability_find(&usb, &found));
    usb.usb.is_proven = true;
    usb.usb.speed_mbps = 5000;
    assert_false(capability_find(&usb, &found));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_emmc_takes_board_and_version),
        cmocka_unit_test(an_emmc_that_runs_as_it_should_is_left_alone),
        cmocka_unit_test(a_narrow_bus_is_named),
        cmocka_unit_test(an_sd_card_is_held_to_its_marks),
        cmocka_unit_test(the_board_may_be_the_reason),
        cmocka_unit_test(what_the_board_allows_is_nothing_agreed),
        cmocka_unit_test(a_usb_device_by_its_descriptors),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
