/* storage: what tells that a figure is not that of the disk. */
#include "figures.h"

static void test_cached_read(void **state)
{
    (void)state;
    struct figures figures = {
        .test = "storage.read", .method = "dd", .read = 100 * MIB, .rate = 7.29e9, .cached = 0.95};
    struct verdict verdict = judge(figures);
    assert_string_equal(verdict.main.code, "cached");
    assert_true(verdict.is_warning);
    assert_non_null(strstr(verdict.main.text,
                           "95 % of what was read came from RAM, not from the "
                           "device; method=dd-cold or dd-direct reads the device"));
    figures.cached = 0.94;
    verdict = judge(figures);
    assert_string_not_equal(verdict.main.code, "cached");
    assert_true(warns(&verdict, "cached"));
    figures.cached = 0.10;
    verdict = judge(figures);
    assert_true(warns(&verdict, "cached"));
    figures.cached = 0.09;
    figures.rate = 50e6;
    verdict = judge(figures);
    assert_int_equal(verdict.warning_count, 0);
    assert_string_equal(verdict.main.code, "device-limited");
    assert_false(verdict.is_warning);
}

static void test_direct_not_honoured(void **state)
{
    (void)state;
    struct figures figures = {
        .method = "dd-direct", .written = 100 * MIB, .rate = 10 * MIB, .o_direct = "not honoured"};
    struct verdict verdict = judge(figures);
    assert_true(warns(&verdict, "direct-not-honoured"));
    assert_string_equal(verdict.main.code, "unknown");
    figures.o_direct = "honoured";
    verdict = judge(figures);
    assert_int_equal(verdict.warning_count, 0);
    assert_string_equal(verdict.main.code, "device-limited");
}

static void test_other_traffic_needs_both_bounds(void **state)
{
    (void)state;
    struct figures figures = {.method = "dd-direct",
                              .written = 1000 * MIB,
                              .rate = 100 * MIB,
                              .device_written = 1050 * MIB};
    struct verdict verdict = judge(figures); /* exactly 5 % */
    assert_false(warns(&verdict, "other-traffic"));
    figures.device_read = 1 * MIB;
    verdict = judge(figures);
    assert_true(warns(&verdict, "other-traffic"));
    figures.written = 10 * MIB;
    figures.device_written = 18 * MIB; /* 80 %, but no more than 8 MiB */
    figures.device_read = 0;
    verdict = judge(figures);
    assert_false(warns(&verdict, "other-traffic"));
}

static void test_over_the_ceiling(void **state)
{
    (void)state;
    struct figures figures = {
        .method = "dd-direct", .written = 100 * MIB, .rate = 102e6, .ceiling = "100000000"};
    struct verdict verdict = judge(figures);
    assert_string_equal(verdict.main.code, "bus-limited"); /* clocks are no better than that */
    figures.rate = 103e6;
    verdict = judge(figures);
    assert_string_equal(verdict.main.code, "over-ceiling");
    assert_true(verdict.is_warning);
    assert_string_equal(verdict.main.text,
                        "103 MB/s is more than the 100 MB/s that SDR104, 4 bit can carry: an error "
                        "of method, not the speed of the device; "
                        "method=dd-direct-fsync writes to the device");
    figures.ceiling = "many";
    verdict = judge(figures);
    assert_string_equal(verdict.main.code, "device-limited");
    assert_true(verdict.ceiling_bps == 0 && verdict.fraction == 0);
}

static void test_the_way_past_ram_fits_the_test(void **state)
{
    (void)state;
    static const struct {
        const char *test, *way;
    } rows[] = {{"storage.read", "method=dd-cold or dd-direct reads the device"},
                {"storage.random", "take a larger size"},
                {"storage.verify", "take a larger size"}};
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        struct verdict verdict = judge(
            (struct figures){.test = rows[i].test, .read = 100 * MIB, .rate = 9e9, .cached = 1});
        assert_string_equal(verdict.main.code, "cached");
        assert_non_null(strstr(verdict.main.text, rows[i].way));
        assert_non_null(strstr(warning(&verdict, "over-ceiling"), rows[i].way));
    }
}

static void test_other_traffic_in_words(void **state)
{
    (void)state;
    struct figures figures = {.method = "queue",
                              .written = 1000e6,
                              .rate = 100e6,
                              .device_written = 1500e6,
                              .device_read = 250e6};
    struct verdict verdict = judge(figures);
    assert_string_equal(warning(&verdict, "other-traffic"),
                        "the disk moved 750 MB more than the test's own 1.0 GB (75 %): something "
                        "else used it, stop that and run again");
    figures.device_read = 0;
    figures.prepared = 500e6; /* the test's own, before its clock */
    verdict = judge(figures);
    assert_false(warns(&verdict, "other-traffic"));
}

static void test_why_direct_was_not_honoured(void **state)
{
    (void)state;
    struct verdict verdict =
        judge((struct figures){.method = "dd-direct",
                               .written = 100 * MIB,
                               .rate = 10e6,
                               .o_direct = "not honoured",
                               .facts = {{"o_direct-why", "half of it lay in RAM"}}});
    assert_string_equal(warning(&verdict, "direct-not-honoured"),
                        "O_DIRECT was not honoured: half of it lay in RAM; the rate is that of "
                        "buffered calls");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_cached_read),
        cmocka_unit_test(test_direct_not_honoured),
        cmocka_unit_test(test_other_traffic_needs_both_bounds),
        cmocka_unit_test(test_over_the_ceiling),
        cmocka_unit_test(test_the_way_past_ram_fits_the_test),
        cmocka_unit_test(test_other_traffic_in_words),
        cmocka_unit_test(test_why_direct_was_not_honoured),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
