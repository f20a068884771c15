/* device: what the disk did, and what its link could. */
#include "figures.h"

static void test_cliff(void **state)
{
    struct figures figures = {.method = "dd-direct", .rate = 25e6};
    (void)state;
    for (unsigned i = 0; i < 30; i++)
        figures.seconds[i] = i < 15 ? 40 : 10;
    struct verdict verdict = judge(figures);
    assert_string_equal(warning(&verdict, "cliff"),
                        "after 600 MB the disk fell from 40.0 MB/s to 10.0 MB/s and stayed there: "
                        "its fast cache was full; reckon with 10.0 MB/s for longer writes");
    figures.test = "selftest.sine";
    verdict = judge(figures);
    assert_false(warns(&verdict, "cliff"));
    figures.test = NULL;
    for (unsigned i = 0; i < 30; i++)
        figures.seconds[i] = i < 15 ? 40 : 25;
    verdict = judge(figures);
    assert_false(warns(&verdict, "cliff"));
}

static void test_long_calls(void **state)
{
    struct figures figures = {.method = "dd-direct", .written = 100 * MIB, .rate = 10e6};
    (void)state;
    figures.call_stalls = 3;
    figures.worst_stall = 2.1;
    struct verdict verdict = judge(figures);
    assert_string_equal(
        warning(&verdict, "stalled"),
        "3 calls took longer than 0.5 s, the worst 2.1 s: a recorder at this rate needs "
        "a buffer of 21.0 MB");
    figures.call_stalls = 1;
    figures.worst_stall = 0;
    verdict = judge(figures);
    assert_string_equal(warning(&verdict, "stalled"), "1 call took longer than 0.5 s");
    figures.call_stalls = 0;
    verdict = judge(figures);
    assert_int_equal(verdict.warning_count, 0);
}

static void test_below_capability(void **state)
{
    struct figures figures = {
        .method = "dd-direct",
        .written = 100 * MIB,
        .rate = 30e6,
        .ceiling = "60000000",
        .pairs = {{"target.capable", "500000000"},
                  {"target.capable_source", "SuperSpeed, by its descriptors,"},
                  {"target.advice", "try another port"}}};
    (void)state;
    struct verdict verdict = judge(figures);
    assert_string_equal(
        warning(&verdict, "below-capability"),
        "the link runs at SDR104, 4 bit (60.0 MB/s), SuperSpeed, by its descriptors, "
        "would carry 500 MB/s: try another port");
    figures.pairs[3] = (struct pair){"target.ceiling_source", "debugfs"};
    verdict = judge(figures);
    assert_non_null(strstr(warning(&verdict, "below-capability"), "(60.0 MB/s, by debugfs), "));
    figures.pairs[1] = (struct pair){"target.other", ""};
    verdict = judge(figures);
    assert_non_null(strstr(warning(&verdict, "below-capability"), "but it would carry 500 MB/s"));
    figures.pairs[0].value = "64000000"; /* 60 is 94 % of it */
    verdict = judge(figures);
    assert_true(warns(&verdict, "below-capability"));
    figures.pairs[0].value = "63000000";
    verdict = judge(figures);
    assert_false(warns(&verdict, "below-capability"));
    figures.pairs[0].value = "-1";
    verdict = judge(figures);
    assert_false(warns(&verdict, "below-capability"));
}

static void test_fake_capacity(void **state)
{
    struct figures figures = {.method = "dd-direct",
                              .written = 100 * MIB,
                              .rate = 10e6,
                              .pairs = {{"target.doubt", "its maker number is 0"}}};
    (void)state;
    struct verdict verdict = judge(figures);
    assert_string_equal(
        warning(&verdict, "fake-capacity"),
        "this may be a counterfeit: its maker number is 0; storage.verify proves its "
        "capacity");
    assert_string_equal(verdict.main.code, "device-limited");
    figures.facts[0] = (struct pair){"fake-capacity", "8.0 of 128 GB hold data"};
    verdict = judge(figures);
    assert_string_equal(verdict.main.code, "fake-capacity");
    assert_true(verdict.is_warning);
    assert_string_equal(verdict.main.text, "the capacity is false: 8.0 of 128 GB hold data; what "
                                           "lies beyond is lost, do not use it");
}

static void test_a_proof_stands_however_the_run_ended(void **state)
{
    (void)state;
    struct figures figures = {.test = "storage.verify",
                              .has_no_method = true,
                              .read = 100 * MIB,
                              .state = RUN_FAILED,
                              .sentence = "7 of 9 sectors came back wrong",
                              .events = {{"fake-capacity", "7 of 9 sectors came back wrong"}}};
    struct verdict verdict = judge(figures);
    assert_string_equal(verdict.main.code, "fake-capacity");
    assert_true(verdict.is_warning);
    figures.events[0] = (struct pair){NULL, NULL}; /* a doubt alone proves nothing */
    figures.pairs[0] = (struct pair){"target.doubt", "odd"};
    verdict = judge(figures);
    assert_string_equal(verdict.main.code, "unknown");
    assert_true(warns(&verdict, "fake-capacity"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_cliff),
        cmocka_unit_test(test_long_calls),
        cmocka_unit_test(test_below_capability),
        cmocka_unit_test(test_fake_capacity),
        cmocka_unit_test(test_a_proof_stands_however_the_run_ended),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
