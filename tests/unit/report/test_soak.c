/* soak: the line that is looked for after a night. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/cleanup.h"
#include "carried.h"
#include "report/soak.h"

static void the_worst_interval_the_empty_ones_and_the_cable(void **state)
{
    struct carried carried = carried_start("network.tcp", "out", "1");
    AUTO(str_done) struct str text = {0};
    (void)state;
    assert_false(soak_add(carried.model, &text));
    for (unsigned i = 0; i < 20000; i++)
        carried_sample(&carried, SENT, 0, i, i == 11560 || i == 11561 ? 0 : 117e6);
    carried_event(&carried, "link-down", 11560);
    carried_event(&carried, "link-up", 11562);
    carried_end(&carried, 20000);
    assert_true(soak_add(carried.model, &text));
    assert_string_equal(str_text(&text), "worst 03:12:40 0 Mbit/s, 2 zero intervals, 1 link down");
    carried_done(&carried);
}

static void a_quiet_night(void **state)
{
    struct carried carried = carried_start("network.tcp", "out", "1");
    AUTO(str_done) struct str text = {0};
    (void)state;
    for (unsigned i = 0; i < 10; i++)
        carried_sample(&carried, SENT, 0, i, i == 3 ? 8.9e6 : 9e6);
    carried_end(&carried, 10);
    assert_true(soak_add(carried.model, &text));
    assert_string_equal(str_text(&text),
                        "worst 00:00:03 71.2 Mbit/s, no zero interval, no link down");
    carried_done(&carried);
}

/* What rests in turns is no interval without data. */
static void the_direction_that_rests_does_not_count(void **state)
{
    struct carried carried = carried_start("network.tcp", "turns", "1");
    struct soak soak;
    (void)state;
    carried_phase(&carried, "out", 0);
    for (unsigned i = 0; i < 20; i++) {
        if (i == 10)
            carried_phase(&carried, "in", 10);
        carried_sample(&carried, SENT, 0, i, i < 10 ? 1e6 : 0);
        carried_sample(&carried, RECEIVED, 0, i, i < 10 ? 0 : 2e6);
    }
    carried_end(&carried, 20);
    assert_true(soak_of(carried.model, &soak));
    assert_int_equal(soak.intervals, 20);
    assert_int_equal(soak.zeros, 0);
    assert_true(fabs(soak.worst_bps - 8e6) < 1);
    carried_done(&carried);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_worst_interval_the_empty_ones_and_the_cable),
        cmocka_unit_test(a_quiet_night),
        cmocka_unit_test(the_direction_that_rests_does_not_count),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
