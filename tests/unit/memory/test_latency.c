/* latency: chains, load steps, and what one CPU cannot show. */
#include "prelude.h"

#include "fake_host.h"

#include <memory/cpus.h>
#include <memory/latency.h>

#define MS UINT64_C(1000000)

static struct dyno_run run;

static void chains_and_load_steps(void **state)
{
    (void)state;
    const struct fake_option options[] = {{"size", "512K", 512 << 10},
                                          {"loaded", "yes", 1},
                                          {"time", "600ms", 600 * MS},
                                          {NULL, NULL, 0}};
    struct cpus cpus;
    double value = 0, one = 0;
    assert_int_equal(cpus_find("", &cpus), 0);
    fake_open(&run, NULL, options);
    assert_int_equal(memory_latency(&fake_host, &run), 0);
    assert_true(fake_result(&run, LATENCY_HEADLINE, &one) && one > 1e-10 && one < 1e-4);
    for (unsigned chains = 1; chains <= 8; chains *= 2)
        assert_true(fake_lane_result(&run, LATENCY_CHAINS, chains, &value) && value > 0);
    if (cpus.count > 1) {
        assert_true(fake_lane_result(&run, LATENCY_LOADED_RATE, 0, &value) && value == 0);
        assert_true(fake_lane_result(&run, LATENCY_LOADED_RATE, 5, &value) && value > 0);
        assert_true(fake_lane_result(&run, LATENCY_LOADED, 5, &value) && value > 0);
        assert_true(run.lane_sums[LATENCY_MOVED][1] > 0);
    }
    assert_true(run.samples[LATENCY_NOW] > 0);
    fake_close(&run);
}

static void one_thread_has_no_load(void **state)
{
    (void)state;
    const struct fake_option options[] = {{"size", "64K", 64 << 10},
                                          {"threads", "1", 1},
                                          {"loaded", "yes", 1},
                                          {"time", "200ms", 200 * MS},
                                          {NULL, NULL, 0}};
    double value;
    fake_open(&run, NULL, options);
    assert_int_equal(memory_latency(&fake_host, &run), 0);
    assert_true(fake_result(&run, LATENCY_HEADLINE, &value));
    assert_false(fake_lane_result(&run, LATENCY_LOADED, 0, &value));
    assert_non_null(strstr(fake_fact(&run, "loaded"), "needs a second CPU"));
    assert_string_equal(run.event_code, "not-dram");
    fake_close(&run);
}

/* Four pages are less than a block of the load: the curve once stood at 0 MB/s, step for step. */
static void a_small_set_is_loaded_too(void **state)
{
    (void)state;
    const struct fake_option options[] = {{"size", "8K", 8 << 10},
                                          {"threads", "2", 2},
                                          {"loaded", "yes", 1},
                                          {"time", "500ms", 500 * MS},
                                          {NULL, NULL, 0}};
    struct cpus cpus;
    double value;
    assert_int_equal(cpus_find("", &cpus), 0);
    if (cpus.count < 2)
        skip();
    fake_open(&run, NULL, options);
    assert_int_equal(memory_latency(&fake_host, &run), 0);
    assert_true(fake_lane_result(&run, LATENCY_LOADED_RATE, 5, &value) && value > 0);
    fake_close(&run);
}

static void a_bent_pointer_fails(void **state)
{
    (void)state;
    const struct fake_option options[] = {{"size", "64K", 64 << 10},
                                          {"threads", "1", 1},
                                          {"flip", "yes", 1},
                                          {"time", "100ms", 100 * MS},
                                          {NULL, NULL, 0}};
    double value;
    fake_open(&run, NULL, options);
    assert_int_equal(memory_latency(&fake_host, &run), -EIO);
    assert_non_null(strstr(run.sentence, "memory error"));
    assert_false(fake_result(&run, LATENCY_HEADLINE, &value));
    fake_close(&run);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(chains_and_load_steps),
        cmocka_unit_test(one_thread_has_no_load),
        cmocka_unit_test(a_small_set_is_loaded_too),
        cmocka_unit_test(a_bent_pointer_fails),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
