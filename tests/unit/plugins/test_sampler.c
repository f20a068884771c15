/* sampler: grid, sums, cancel. */
#include "common/sampler.h"

#include "fake_host.h"

#include <poll.h>
#include <time.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#define MS UINT64_C(1000000)

static void next_is_on_the_grid(void **state)
{
    (void)state;
    assert_int_equal(sampler_next(1000, 100, 1000), 1100);
    assert_int_equal(sampler_next(1000, 100, 1099), 1100);
    assert_int_equal(sampler_next(1000, 100, 1100), 1200);
    assert_int_equal(sampler_next(1000, 100, 1555), 1600); /* missed points are skipped */
    assert_int_equal(sampler_next(1000, 100, 5), 1100);    /* a clock before the start */
}

struct seen {
    uint64_t t0[64], t1[64];
    size_t count;
};

static void note(void *context, uint64_t t0_ns, uint64_t t1_ns)
{
    struct seen *seen = context;
    if (seen->count < 64) {
        seen->t0[seen->count] = t0_ns;
        seen->t1[seen->count++] = t1_ns;
    }
}

static void ticks_are_gapless_and_on_time(void **state)
{
    (void)state;
    static struct dyno_run run;
    struct seen seen = {.count = 0};
    struct sampler sampler = {.glance = NULL};
    fake_open(&run, NULL, NULL);
    run.interval_ns = 20 * MS;
    assert_int_equal(sampler_start(&sampler, &fake_host, &run, note, &seen), 0);
    struct timespec pause = {.tv_nsec = (long)(110 * MS)};
    nanosleep(&pause, NULL);
    sampler_stop(&sampler);
    assert_in_range(seen.count, 2, 7); /* five whole ticks and the last; fewer on a busy machine */
    assert_int_equal(seen.t0[0], sampler.start_ns);
    for (size_t i = 0; i < seen.count; i++) {
        assert_true(seen.t1[i] > seen.t0[i]);
        if (i > 0)
            assert_int_equal(seen.t0[i], seen.t1[i - 1]);
        uint64_t into_step = (seen.t1[i] - sampler.start_ns) / (20 * MS);
        if (i + 1 < seen.count) /* never before its point of the grid */
            assert_true(into_step >= i + 1);
    }
    assert_true(seen.t1[seen.count - 1] - sampler.start_ns >= 110 * MS);
    fake_close(&run);
}

static void cancel_is_seen_between_ticks(void **state)
{
    (void)state;
    static struct dyno_run run;
    struct seen seen = {.count = 0};
    struct sampler sampler = {.glance = NULL};
    fake_open(&run, NULL, NULL);
    run.interval_ns = 60000 * MS;
    assert_int_equal(sampler_start(&sampler, &fake_host, &run, note, &seen), 0);
    assert_false(sampler_cancelled(&sampler));
    fake_cancel(&run);
    for (int i = 0; i < 5000 && !sampler_cancelled(&sampler); i++)
        poll(NULL, 0, 1);
    assert_true(sampler_cancelled(&sampler));
    sampler_stop(&sampler);
    assert_int_equal(seen.count, 1); /* the cancel itself is no tick */
    fake_close(&run);
}

static void cancelled_before_the_start(void **state)
{
    (void)state;
    static struct dyno_run run;
    struct seen seen = {.count = 0};
    struct sampler sampler = {.glance = NULL};
    fake_open(&run, NULL, NULL);
    fake_cancel(&run);
    assert_int_equal(sampler_start(&sampler, &fake_host, &run, note, &seen), 0);
    assert_true(sampler_cancelled(&sampler));
    sampler_stop(&sampler);
    sampler_stop(&sampler); /* harmless */
    fake_close(&run);
}

static unsigned glances;

static void look(void *context, uint64_t now_ns)
{
    (void)context;
    (void)now_ns;
    glances++;
}

static void glances_come_between_ticks(void **state)
{
    (void)state;
    static struct dyno_run run;
    struct seen seen = {.count = 0};
    struct sampler sampler = {.glance = look};
    fake_open(&run, NULL, NULL);
    run.interval_ns = 60000 * MS;
    assert_int_equal(sampler_start(&sampler, &fake_host, &run, note, &seen), 0);
    struct timespec pause = {.tv_nsec = (long)(350 * MS)};
    nanosleep(&pause, NULL);
    sampler_stop(&sampler);
    assert_in_range(glances, 2, 5);
    assert_int_equal(seen.count, 1); /* and are no ticks */
    fake_close(&run);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(next_is_on_the_grid),
        cmocka_unit_test(ticks_are_gapless_and_on_time),
        cmocka_unit_test(cancel_is_seen_between_ticks),
        cmocka_unit_test(cancelled_before_the_start),
        cmocka_unit_test(glances_come_between_ticks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
