#include "device/mmc.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/cleanup.h"
#include "base/str.h"

/* Dumps as people posted them; the first is a RK3308 board, the second a Pi compute module. */
static const char rk3308[] =
    "clock:\t\t52000000 Hz\nactual clock:\t49152000 Hz\nvdd:\t\t21 (3.3 ~ 3.4 V)\n"
    "bus mode:\t2 (push-pull)\nchip select:\t0 (don't care)\npower mode:\t2 (on)\n"
    "bus width:\t3 (8 bits)\ntiming spec:\t8 (mmc DDR52)\nsignal voltage:\t1 (1.80 V)\n";
static const char pi_module[] = "clock:          52000000 Hz\nactual clock:   50000000 Hz\n"
                                "bus width:      2 (4 bits)\ntiming spec:    8 (mmc DDR52)\n";
static const char no_actual[] = "clock:\t\t50000000 Hz\nbus width:\t2 (4 bits)\n"
                                "timing spec:\t2 (sd high-speed)\n";
static const char empty_slot[] = "clock:\t\t0 Hz\nvdd:\t\t0 (invalid)\nbus width:\t0 (1 bits)\n"
                                 "power mode:\t0 (off)\ntiming spec:\t0 (legacy)\n";

static struct mmc_ios parse(const char *text)
{
    struct mmc_ios ios;
    assert_int_equal(mmc_ios_parse(text, strlen(text), &ios), 0);
    return ios;
}

static void posted_dumps_are_understood(void **state)
{
    (void)state;
    struct mmc_ios ios = parse(rk3308);
    assert_int_equal(ios.clock_hz, 52000000);
    assert_int_equal(ios.actual_hz, 49152000);
    assert_int_equal(ios.width, 8);
    assert_int_equal(ios.timing, 8);
    assert_string_equal(mmc_ios_mode(&ios), "DDR52");
    assert_true(mmc_ios_ceiling(&ios) == 98304000.0);

    ios = parse(pi_module); /* blanks instead of tabs */
    assert_int_equal(ios.width, 4);
    assert_true(mmc_ios_ceiling(&ios) == 50e6);

    ios = parse(no_actual);
    assert_int_equal(ios.actual_hz, 50000000);
    assert_string_equal(mmc_ios_mode(&ios), "high speed");
    assert_true(mmc_ios_ceiling(&ios) == 25e6);
}

static void an_empty_slot_has_no_mode(void **state)
{
    (void)state;
    struct mmc_ios ios = parse(empty_slot);
    assert_int_equal(ios.clock_hz, 0);
    assert_null(mmc_ios_mode(&ios));
    assert_true(mmc_ios_ceiling(&ios) == 0.0);
}

static void ceilings_follow_the_table(void **state)
{
    (void)state;
    static const struct {
        const char *spec, *mode;
        uint64_t hz;
        unsigned width;
        double ceiling;
    } rows[] = {
        {"0 (legacy)", "legacy", 26000000, 3, 26e6},
        {"1 (mmc high-speed)", "high speed", 52000000, 3, 52e6},
        {"3 (sd uhs SDR12)", "SDR12", 25000000, 2, 12.5e6},
        {"5 (invalid)", "SDR50", 100000000, 2, 50e6}, /* old kernels know no words for these */
        {"6 (sd uhs SDR104)", "SDR104", 208000000, 2, 104e6},
        {"7 (sd uhs DDR50)", "DDR50", 50000000, 2, 50e6},
        {"9 (mmc HS200)", "HS200", 200000000, 3, 200e6},
        {"10 (mmc HS400)", "HS400", 200000000, 3, 400e6},
        {"10 (mmc HS400 enhanced strobe)", "HS400ES", 200000000, 3, 400e6},
    };
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        AUTO(str_done) struct str text = {0};
        str_addf(&text, "clock:\t%llu Hz\nbus width:\t%u\ntiming spec:\t%s\n",
                 (unsigned long long)rows[i].hz, rows[i].width, rows[i].spec);
        struct mmc_ios ios = parse(text.text);
        assert_string_equal(mmc_ios_mode(&ios), rows[i].mode);
        assert_true(mmc_ios_ceiling(&ios) == rows[i].ceiling);
    }
}

static void odd_text_stays_unknown(void **state)
{
    (void)state;
    struct mmc_ios ios = {.width = 99};
    assert_int_equal(mmc_ios_parse("", 0, &ios), -EINVAL);
    assert_int_equal(mmc_ios_parse("clock: fast\n", 12, &ios), -EINVAL);
    assert_int_equal(mmc_ios_parse("actual clock: 5 Hz\n", 19, &ios), -EINVAL);
    assert_int_equal(ios.width, 99);
    ios = parse("clock: 100 Hz\nbus width: 7\ntiming spec: 77 (x)");
    assert_int_equal(ios.width, 0);
    assert_null(mmc_ios_mode(&ios));
    assert_true(mmc_ios_ceiling(&ios) == 0.0);
    ios = parse("clock: 100 Hz\ntiming spec: 99999999999999999999\n");
    assert_int_equal(ios.timing, MMC_TIMING_UNKNOWN);
}

static void areas_are_told_by_name(void **state)
{
    (void)state;
    assert_true(mmc_is_area("mmcblk0boot0"));
    assert_true(mmc_is_area("mmcblk12boot1"));
    assert_true(mmc_is_area("mmcblk2gp3"));
    assert_true(mmc_is_area("mmcblk0rpmb"));
    assert_false(mmc_is_area("mmcblk0"));
    assert_false(mmc_is_area("mmcblk0p1"));
    assert_false(mmc_is_area("mmcblkboot0"));
    assert_false(mmc_is_area("sdaboot0"));
}

static void the_host_is_part_of_the_path(void **state)
{
    (void)state;
    AUTO(str_done) struct str host = {0};
    assert_int_equal(mmc_host_of("/sys/devices/x/mmc_host/mmc2/mmc2:0001/block/mmcblk0", &host), 0);
    assert_string_equal(host.text, "mmc2");
    assert_int_equal(mmc_host_of("/sys/devices/pci0/block/sda", &host), -ENODEV);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(posted_dumps_are_understood),
        cmocka_unit_test(an_empty_slot_has_no_mode),
        cmocka_unit_test(ceilings_follow_the_table),
        cmocka_unit_test(odd_text_stays_unknown),
        cmocka_unit_test(areas_are_told_by_name),
        cmocka_unit_test(the_host_is_part_of_the_path),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
