/* gauge: an edge of a cache where there is one, and no memory where there is no room. */
#include "prelude.h"

#include "fake_host.h"

#include <memory/gauge.h>

static struct dyno_run run;

static void the_caches_of_this_machine_show(void **state)
{
    (void)state;
    struct cpus cpus;
    const struct room room = {.allocatable = UINT64_C(256) << 20};
    struct llc told, measured = {.source = "none"};
    assert_int_equal(cpus_find("", &cpus), 0);
    assert_int_equal(llc_find("", &told), 0);
    fake_open(&run, NULL, NULL);
    int code = gauge_caches(&fake_host, &run, &cpus, &room, &measured);
    assert_int_equal(run.phase_count + run.result_count + run.events, 0);
    fake_close(&run);
    if (code == -ENODATA && told.levels == 0) /* perhaps there is none */
        skip();
    assert_int_equal(code, 0);
    assert_string_equal(measured.source, "measured");
    assert_in_range(measured.levels, 1, LLC_LEVELS);
    assert_true(measured.bytes == measured.level[measured.levels - 1].bytes);
    assert_in_range(measured.bytes, 8 << 10, 64 << 20);
}

static void without_room_nothing_is_touched(void **state)
{
    (void)state;
    struct cpus cpus;
    const struct room room = {.allocatable = 15 << 20};
    struct llc llc = {.bytes = 7, .source = "none"};
    assert_int_equal(cpus_find("", &cpus), 0);
    fake_open(&run, NULL, NULL);
    assert_int_equal(gauge_caches(&fake_host, &run, &cpus, &room, &llc), -ENODATA);
    assert_int_equal(llc.bytes, 7);
    fake_close(&run);
}

static void a_cancel_ends_it(void **state)
{
    (void)state;
    struct cpus cpus;
    const struct room room = {.allocatable = UINT64_C(256) << 20};
    struct llc llc = {.bytes = 7, .source = "none"};
    assert_int_equal(cpus_find("", &cpus), 0);
    fake_open(&run, NULL, NULL);
    fake_cancel(&run);
    assert_int_equal(gauge_caches(&fake_host, &run, &cpus, &room, &llc), -ECANCELED);
    assert_int_equal(llc.bytes, 7);
    fake_close(&run);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_caches_of_this_machine_show),
        cmocka_unit_test(without_room_nothing_is_touched),
        cmocka_unit_test(a_cancel_ends_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
