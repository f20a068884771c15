/* sweep: a path with a knee is found from below and from above; one without ends at the sender. */
#include "prelude.h"

#include "network/sweep.h"

/* A path that carries `knee` and loses what is more; a sender that sends no faster than `most`. */
static uint64_t find(uint64_t start, double knee, double most, unsigned *ret_steps)
{
    struct sweep sweep = {.start_bps = start};
    uint64_t rate;
    while (sweep_next(&sweep, &rate)) {
        double sent = (double)rate < most ? (double)rate : most;
        sweep_take(&sweep, rate, sent, sent > knee ? 1 - knee / sent : 0);
        assert_in_range(sweep.steps, 1, 24);
    }
    *ret_steps = sweep.steps;
    return sweep.good_bps;
}

static void a_knee_is_found_within_its_share(void **state)
{
    (void)state;
    static const double knees[] = {3e6, 95e6, 400e6, 941e6, 9.4e9};
    static const uint64_t starts[] = {1000000, 10000000, 5000000000};
    for (size_t i = 0; i < sizeof knees / sizeof knees[0]; i++)
        for (size_t k = 0; k < sizeof starts / sizeof starts[0]; k++) {
            unsigned steps;
            uint64_t good = find(starts[k], knees[i], 1e12, &steps);
            assert_true((double)good <= knees[i] * 1.001 && (double)good >= knees[i] * 0.94);
        }
}

static void a_sender_that_is_slower_than_the_path_ends_it(void **state)
{
    (void)state;
    unsigned steps;
    uint64_t good = find(10000000, 1e12, 300e6, &steps);
    assert_in_range(good, 290000000, 300000000);
}

static void a_path_that_loses_everything_ends_it(void **state)
{
    (void)state;
    unsigned steps;
    assert_int_equal(find(10000000, 1, 1e12, &steps), 0);
}

static void nothing_sent_or_no_figure_is_no_rate(void **state)
{
    (void)state;
    struct sweep sweep = {.start_bps = 10000000};
    sweep_take(&sweep, 10000000, 0, 0.0 / 1.0);
    assert_int_equal(sweep.good_bps, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_knee_is_found_within_its_share),
        cmocka_unit_test(a_sender_that_is_slower_than_the_path_ends_it),
        cmocka_unit_test(a_path_that_loses_everything_ends_it),
        cmocka_unit_test(nothing_sent_or_no_figure_is_no_rate),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
