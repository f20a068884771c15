/* pace: due times on an absolute clock; a stall is not caught up with. */
#include "prelude.h"

#include "network/pace.h"

#define MS UINT64_C(1000000)

static uint64_t now_ns;

static uint64_t clock_ns(void)
{
    return now_ns;
}

static void due_times_do_not_drift(void **state)
{
    (void)state;
    struct pace pace;
    pace_start(&pace, 8000000, 10 * MS, 1000); /* a byte each microsecond */
    assert_int_equal(pace_due_ns(&pace), 1000);
    for (unsigned i = 1; i <= 100; i++) {
        pace_give(&pace, 1000);
        assert_int_equal(pace_due_ns(&pace), 1000 + i * MS);
    }
}

static void a_stall_is_not_caught_up_with(void **state)
{
    (void)state;
    struct pace pace;
    pace_start(&pace, 8000000, 10 * MS, 0);
    now_ns = 100 * MS;
    assert_true(pace_wait(&pace, clock_ns));
    assert_int_equal(pace_due_ns(&pace), 90 * MS); /* only what came late within its limit */
    pace_give(&pace, 10000);
    assert_int_equal(pace_due_ns(&pace), now_ns);
}

static void no_rate_waits_for_nothing(void **state)
{
    (void)state;
    struct pace pace;
    pace_start(&pace, 0, 10 * MS, 0);
    pace_give(&pace, 1u << 30);
    now_ns = 1;
    assert_true(pace_wait(&pace, clock_ns));
    assert_int_equal(pace_due_ns(&pace), 0);
}

static void a_burst_is_a_millisecond(void **state)
{
    (void)state;
    struct pace pace;
    pace_start(&pace, 1000000000, 10 * MS, 0);
    assert_int_equal(pace_blocks(&pace, 1400, 1000), 89);
    assert_int_equal(pace_blocks(&pace, 1400, 64), 64);
    pace_start(&pace, 1000, 10 * MS, 0);
    assert_int_equal(pace_blocks(&pace, 1400, 64), 1);
    pace_start(&pace, 0, 10 * MS, 0);
    assert_int_equal(pace_blocks(&pace, 1400, 64), 64);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(due_times_do_not_drift),
        cmocka_unit_test(a_stall_is_not_caught_up_with),
        cmocka_unit_test(no_rate_waits_for_nothing),
        cmocka_unit_test(a_burst_is_a_millisecond),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
