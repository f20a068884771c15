/* machine: what happened around a run. */
#include "figures.h"

static void test_stalls(void **state)
{
    (void)state;
    struct verdict verdict = judge(
        (struct figures){.method = "dd-direct", .written = 100 * MIB, .rate = 10e6, .stalls = 3});
    assert_true(warns(&verdict, "stalled"));
    assert_non_null(strstr(verdict.warnings[0].text, "3 times"));
    assert_string_equal(verdict.main.code, "device-limited");
}

static void test_a_stall_that_lasts_is_the_verdict(void **state)
{
    (void)state;
    struct figures figures = {.written = 100 * MIB};
    struct model *model = model_new();
    start(model, &figures);
    struct verdict verdict;
    verdict_of(model, &verdict);
    assert_string_equal(verdict.main.code, "unknown");
    assert_string_equal(verdict.main.text, "nothing has been measured yet");
    measure(model, &figures);
    struct frame event;
    assert_int_equal(model_tick(model, 16 * S, &event), 1);
    assert_int_equal(model_apply(model, &event), 0);
    verdict_of(model, &verdict);
    assert_string_equal(verdict.main.code, "stalled");
    assert_non_null(strstr(verdict.main.text, "5.0 s"));
    model_free(model);
}

static void test_thermal(void **state)
{
    struct figures figures = {.method = "dd-direct",
                              .written = 100 * MIB,
                              .rate = 10e6,
                              .heat = {60, 86},
                              .limit = {1.8e9, 1.2e9}};
    (void)state;
    struct verdict verdict = judge(figures);
    const char *text = warning(&verdict, "thermal");
    assert_string_equal(text,
                        "the board slowed down at up to 86.0 degC: its clock fell from 1.8 GHz "
                        "to 1.2 GHz; cool it and run again");
    figures.limit[1] = 1.72e9; /* 95.6 % */
    verdict = judge(figures);
    assert_false(warns(&verdict, "thermal"));
    figures.clock[0] = 1.8e9; /* for want of work */
    figures.clock[1] = 0.6e9;
    verdict = judge(figures);
    assert_false(warns(&verdict, "thermal"));
    figures.pairs[0] = (struct pair){"machine.governor", "performance"};
    verdict = judge(figures);
    assert_true(warns(&verdict, "thermal"));
    figures.heat[0] = 0; /* no sensor: nothing says that heat did it */
    verdict = judge(figures);
    assert_false(warns(&verdict, "thermal"));
}

static void test_slower_than_before(void **state)
{
    struct figures figures = {.method = "dd-direct",
                              .written = 100 * MIB,
                              .rate = 69.9e6,
                              .facts = {{"before", "100000000 B/s, the median of 5 runs"}}};
    static const char *const useless[] = {
        "100000000 B/s, the median of 1 run",
        "fast, the median of 5 runs",
        "100000000 B/s, the median of runs",
        "100000000 B/s",
        "-3 B/s, the median of 5 runs",
        "100000000 B/s, the median of 99999999999999999999999999999999999999 runs",
        "1111111111111111111111111111111111111111 B/s, the median of 5 runs",
        "no earlier run like this one on this device",
        "unknown: the store did not answer",
        "",
    };
    (void)state;
    struct verdict verdict = judge(figures);
    assert_string_equal(
        warning(&verdict, "slower-than-before"),
        "69.9 MB/s is 69.9 % of the 100 MB/s that this device gave before (the median of 5 "
        "runs); compare with `iodyno history`");
    figures.rate = 70e6;
    verdict = judge(figures);
    assert_false(warns(&verdict, "slower-than-before"));
    figures.rate = 1e6;
    for (size_t i = 0; i < ARRAY_SIZE(useless); i++) {
        figures.facts[0].value = useless[i];
        verdict = judge(figures);
        assert_false(warns(&verdict, "slower-than-before"));
    }
}

static void test_kernel_errors(void **state)
{
    struct figures figures = {.method = "dd-direct",
                              .written = 100 * MIB,
                              .rate = 10e6,
                              .events = {{"kernel", "mmc1: first"},
                                         {"other", "mmc1: not one"},
                                         {"kernel", "mmc1: error -110"}}};
    (void)state;
    struct verdict verdict = judge(figures);
    assert_string_equal(warning(&verdict, "kernel-errors"),
                        "the kernel wrote 2 lines about this disk during the run: \"mmc1: error "
                        "-110\"");
    figures.events[0] = (struct pair){NULL, NULL};
    verdict = judge(figures);
    assert_false(warns(&verdict, "kernel-errors"));
    figures.facts[0] = (struct pair){"mmc-errors", "2 x Data CRC"};
    verdict = judge(figures);
    assert_string_equal(warning(&verdict, "kernel-errors"), "the host counted 2 x Data CRC");
}

static void test_slower_and_full(void **state)
{
    (void)state;
    struct figures figures = {.method = "dd-direct",
                              .written = 100 * MIB,
                              .rate = 20e6,
                              .facts = {{"before", "100000000 B/s, the median of 5 runs"},
                                        {"fill", "91 % of the file system's 29.1 GB in use before"},
                                        {"discard", "mmcblk0 takes no discard"}}};
    struct verdict verdict = judge(figures);
    assert_non_null(strstr(warning(&verdict, "slower-than-before"),
                           "; the file system was 91 % full and the disk takes no discard; "));
    figures.written = 0; /* a read does not care */
    figures.read = 100 * MIB;
    verdict = judge(figures);
    assert_null(strstr(warning(&verdict, "slower-than-before"), "full"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_stalls),
        cmocka_unit_test(test_a_stall_that_lasts_is_the_verdict),
        cmocka_unit_test(test_thermal),
        cmocka_unit_test(test_slower_than_before),
        cmocka_unit_test(test_kernel_errors),
        cmocka_unit_test(test_slower_and_full),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
