/* verify: goes on for its time, or until stopped; a wrong word fails it at the end, with both
 * readings. */
#include "prelude.h"

#include "fake_host.h"

#include <memory/verify.h>

#define MS UINT64_C(1000000)

static struct dyno_run run;

static void good_memory_is_good(void **state)
{
    (void)state;
    const struct fake_option options[] = {
        {"size", "4M", 4 << 20}, {"time", "500ms", 500 * MS}, {NULL, NULL, 0}};
    double value = -1;
    fake_open(&run, NULL, options);
    assert_int_equal(memory_verify(&fake_host, &run), 0);
    assert_true(fake_result(&run, VERIFY_ERRORS, &value) && value == 0);
    assert_true(fake_result(&run, VERIFY_RATE, &value) && value > 0);
    /* what was asked for, not some MiB more for buffers that this test has not */
    assert_true(fake_result(&run, VERIFY_SIZE, &value) && value <= 4 << 20 && value > 3 << 20);
    assert_true(fake_result(&run, VERIFY_PASSES, &value));
    assert_int_equal(run.events, 0);
    assert_true(run.sums[VERIFY_MOVED] > 0);
    /* a night can be watched */
    assert_int_equal(run.samples[VERIFY_ERRORS], run.samples[VERIFY_MOVED]);
    assert_int_equal(run.samples[VERIFY_PASSES], run.samples[VERIFY_MOVED]);
    assert_true(run.sums[VERIFY_ERRORS] == 0 && run.largest[VERIFY_PASSES] == value);
    fake_close(&run);
}

static void a_wrong_word_fails_it(void **state)
{
    (void)state;
    const struct fake_option options[] = {
        {"size", "1M", 1 << 20}, {"flip", "yes", 1}, {"time", "900ms", 900 * MS}, {NULL, NULL, 0}};
    double value = -1;
    fake_open(&run, NULL, options);
    assert_int_equal(memory_verify(&fake_host, &run), -EIO);
    assert_true(fake_result(&run, VERIFY_ERRORS, &value) && value == 1);
    assert_true(run.largest[VERIFY_ERRORS] == 1);
    assert_false(fake_result(&run, VERIFY_RATE, &value));
    assert_string_equal(run.event_code, "memory-error");
    assert_non_null(strstr(run.event_text, "read again"));
    fake_close(&run);
}

static void without_a_time_it_goes_on_until_stopped(void **state)
{
    (void)state;
    const struct fake_option options[] = {
        {"size", "1M", 1 << 20}, {"time", "0", 0}, {NULL, NULL, 0}};
    double value = -1;
    fake_open(&run, NULL, options);
    run.cancel_at[VERIFY_MOVED] = 4 << 20;
    assert_int_equal(memory_verify(&fake_host, &run), -ECANCELED);
    assert_true(fake_result(&run, VERIFY_ERRORS, &value) && value == 0);
    assert_true(run.sums[VERIFY_MOVED] >= 4 << 20);
    fake_close(&run);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(good_memory_is_good),
        cmocka_unit_test(a_wrong_word_fails_it),
        cmocka_unit_test(without_a_time_it_goes_on_until_stopped),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
