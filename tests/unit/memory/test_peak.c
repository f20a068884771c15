/* peak: what a person may type, and what rules over what. */
#include "memory/peak.h"

#include <errno.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static void takes_megabytes_and_the_names_of_memory(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        double bytes_per_s;
    } good[] = {
        {"3200", 3200e6},
        {"2666.5", 2666.5e6},
        {"ddr4-1600x16", 3200e6},
        {"DDR3L-1333x16", 2666e6},
        {"ddr3l-1333x16", 2666e6},
        {"lpddr4x-4224x64", 33792e6},
        {"ddr4-1600\xc3\x97"
         "16",
         3200e6},
        {"ddr5-5600X32", 22400e6},
    };
    for (size_t i = 0; i < sizeof good / sizeof good[0]; i++) {
        struct peak peak;
        assert_int_equal(peak_option(good[i].text, &peak), 0);
        assert_true(peak.bytes_per_s > good[i].bytes_per_s - 1 &&
                    peak.bytes_per_s < good[i].bytes_per_s + 1);
    }
    struct peak peak;
    assert_int_equal(peak_option("ddr4-1600x16", &peak), 0);
    assert_string_equal(peak.source, "option ddr4-1600x16");
}

static void refuses_anything_else(void **state)
{
    (void)state;
    static const char *const bad[] = {
        "0",
        "-3200",
        "fast",
        "ddr4",
        "ddr4-",
        "ddr4-1600",
        "ddr4-1600x",
        "ddr4-0x16",
        "ddr4-1600x0",
        "ddr4-1600x12",
        "3200MB/s",
        "ddr4-1600x16y",
        "sdram-1x16",
        "99999999999999999999",
        "1.",
        "ddr4-99999999x16",
        "ddr4-1600x99999",
        "3200.1234567",
        " 3200",
        "nan",
    };
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        struct peak peak = {.bytes_per_s = 42};
        assert_int_equal(peak_option(bad[i], &peak), -EINVAL);
        assert_true(peak.bytes_per_s < 0.5);
        assert_string_equal(peak.source, "unknown");
    }
}

static void the_option_rules_over_the_target(void **state)
{
    (void)state;
    const struct dyno_target target = {.size = sizeof target,
                                       .ceiling_bps = 3200e6,
                                       .ceiling_source = "board file, DDR4-1600 x16"};
    struct peak peak;
    assert_int_equal(peak_of(&target, NULL, &peak), 0);
    assert_true(peak.bytes_per_s > 3199e6);
    assert_string_equal(peak.source, "board file, DDR4-1600 x16");
    assert_int_equal(peak_of(&target, "1000", &peak), 0);
    assert_true(peak.bytes_per_s < 1001e6);
    assert_string_equal(peak.source, "option 1000");
    assert_int_equal(peak_of(&target, "rubbish", &peak), -EINVAL);
    assert_string_equal(peak.source, "unknown");
}

/* A target of an older host is shorter: what lies behind its end is not read. */
static void a_shorter_target_says_nothing(void **state)
{
    (void)state;
    const struct dyno_target target = {.size = offsetof(struct dyno_target, ceiling_bps),
                                       .ceiling_bps = 3200e6,
                                       .ceiling_source = "none"};
    struct peak peak;
    assert_int_equal(peak_of(&target, "", &peak), 0);
    assert_true(peak.bytes_per_s < 0.5);
    assert_string_equal(peak.source, "unknown");
    assert_int_equal(peak_of(NULL, "", &peak), 0);
    assert_string_equal(peak.source, "unknown");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(takes_megabytes_and_the_names_of_memory),
        cmocka_unit_test(refuses_anything_else),
        cmocka_unit_test(the_option_rules_over_the_target),
        cmocka_unit_test(a_shorter_target_says_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
