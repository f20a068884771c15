/* stairs: every size gets its rate and its latency; the headline is the largest's. */
#include "prelude.h"

#include "fake_host.h"

#include <memory/stairs.h>

#define MS UINT64_C(1000000)

static struct dyno_run run;

static void each_point_is_told(void **state)
{
    (void)state;
    const struct fake_option options[] = {
        {"size", "1M", 1 << 20}, {"time", "600ms", 600 * MS}, {NULL, NULL, 0}};
    uint64_t sizes[STAIRS_POINTS];
    unsigned count = stairs_sizes(1 << 20, sizes);
    double value = 0, rate = 0, latency = 0, headline = 0;
    fake_open(&run, NULL, options);
    assert_int_equal(memory_stairs(&fake_host, &run), 0);
    for (unsigned i = 0; i < count; i++) {
        assert_true(fake_lane_result(&run, STAIRS_SIZE, i, &value));
        assert_true(value == (double)sizes[i]);
        assert_true(fake_lane_result(&run, STAIRS_POINT_RATE, i, &rate) && rate > 0);
        assert_true(fake_lane_result(&run, STAIRS_POINT_LATENCY, i, &latency) && latency > 0);
    }
    assert_true(fake_result(&run, STAIRS_RATE, &headline) && headline == rate);
    assert_true(fake_result(&run, STAIRS_LATENCY, &headline) && headline == latency);
    assert_true(run.lane_sums[STAIRS_MOVED][0] > 0 && run.lane_sums[STAIRS_MOVED][1] > 0);
    assert_int_equal(run.phase_count, count + 1); /* and the taking of memory */
    assert_string_not_equal(fake_fact(&run, "edges-measured"), "");
    /* stairs that end in a cache once had the headline of the DRAM */
    assert_string_equal(run.event_code, "not-dram");
    assert_string_not_equal(fake_fact(&run, "set-level"), "DRAM");
    fake_close(&run);
}

static void look_at_4_kib(struct dyno_run *of, const char *name)
{
    if (strcmp(name, "4 KiB") == 0)
        assert_true(of->total == 600 * MS && of->done > 0);
}

/* Progress once began behind the taking of memory: of 5 s it left 47. */
static void the_taking_of_memory_is_progress(void **state)
{
    (void)state;
    const struct fake_option options[] = {
        {"size", "1M", 1 << 20}, {"time", "600ms", 600 * MS}, {NULL, NULL, 0}};
    fake_open(&run, NULL, options);
    run.on_phase = look_at_4_kib;
    assert_int_equal(memory_stairs(&fake_host, &run), 0);
    fake_close(&run);
}

static void cancel_on_8_kib(struct dyno_run *of, const char *name)
{
    if (strcmp(name, "8 KiB") == 0)
        fake_cancel(of);
}

static void a_cancelled_one_has_no_headline(void **state)
{
    (void)state;
    const struct fake_option options[] = {
        {"size", "1M", 1 << 20}, {"time", "600ms", 600 * MS}, {NULL, NULL, 0}};
    double value;
    fake_open(&run, NULL, options);
    run.on_phase = cancel_on_8_kib;
    assert_int_equal(memory_stairs(&fake_host, &run), -ECANCELED);
    assert_true(fake_lane_result(&run, STAIRS_SIZE, 1, &value));
    assert_false(fake_result(&run, STAIRS_RATE, &value));
    fake_close(&run);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_point_is_told),
        cmocka_unit_test(the_taking_of_memory_is_progress),
        cmocka_unit_test(a_cancelled_one_has_no_headline),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
