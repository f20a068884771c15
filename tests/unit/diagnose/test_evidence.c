/* evidence: the ceiling, from what an order or a record tells. */
#include "figures.h"

static void test_ceiling_from_the_mode_alone(void **state)
{
    (void)state;
    struct verdict verdict = judge((struct figures){
        .method = "dd-direct", .written = 100 * MIB, .rate = 80e6, .pairs = {{NULL, NULL}}});
    assert_true(verdict.ceiling_bps == 104e6); /* SDR104, 4 bit */
    assert_string_equal(verdict.main.code, "device-limited");
    verdict = judge((struct figures){.method = "dd-direct",
                                     .written = 100 * MIB,
                                     .rate = 80e6,
                                     .pairs = {{"target.clock_hz", "100000000"}}});
    assert_true(verdict.ceiling_bps == 50e6);
    assert_string_equal(verdict.main.code, "over-ceiling");
    assert_non_null(strstr(verdict.main.text, "an error of method"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_ceiling_from_the_mode_alone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
