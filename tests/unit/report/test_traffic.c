/* traffic: directions, shares, ends and ceilings of network runs. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/cleanup.h"
#include "carried.h"
#include "report/traffic.h"

#define NEAR(a, b) (fabs((double)(a) - (double)(b)) <= 1e-6 * fabs((double)(b)) + 1e-9)

static struct traffic of(const struct carried *carried)
{
    struct traffic traffic;
    assert_true(traffic_of(carried->model, &traffic));
    return traffic;
}

static void only_what_moves_over_a_network_is_traffic(void **state)
{
    static const struct frame_metric others[] = {
        {DYNO_BYTE, DYNO_DELTA, DYNO_HIGHER, 0, "written", "Written"}};
    static const char pairs[] = "test\0storage.write";
    struct model *model = model_new();
    struct traffic traffic;
    struct frame start = {.type = FRAME_START,
                          .start = {.tick_ns = S, .mono_ns = ZERO, .metric_count = 1},
                          .metrics = others,
                          .pairs = pairs,
                          .pairs_size = sizeof pairs};
    (void)state;
    assert_false(traffic_of(model, &traffic)); /* not begun */
    assert_int_equal(model_apply(model, &start), 0);
    assert_false(traffic_of(model, &traffic));
    model_free(model);
}

static void directions_come_from_the_option(void **state)
{
    static const struct {
        const char *direction, *ends;
        bool out, in, turns;
    } ways[] = {{"out", "TCP to 192.168.0.2:5201", true, false, false},
                {"in", "TCP from 192.168.0.2:5201", false, true, false},
                {"turns", "TCP with 192.168.0.2:5201", true, true, true},
                {"both", "TCP with 192.168.0.2:5201", true, true, false}};
    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(ways); i++) {
        struct carried carried = carried_start("network.tcp", ways[i].direction, "1");
        struct traffic traffic = of(&carried);
        AUTO(str_done) struct str ends = {0};
        assert_true(traffic.has[TRAFFIC_OUT] == ways[i].out);
        assert_true(traffic.has[TRAFFIC_IN] == ways[i].in);
        assert_true(traffic.is_in_turns == ways[i].turns);
        traffic_add_ends(carried.model, &traffic, &ends);
        assert_string_equal(str_text(&ends), ways[i].ends);
        carried_done(&carried);
    }
}

static void without_the_option_what_moved_tells(void **state)
{
    struct carried carried = carried_start("network.tcp", "", "");
    (void)state;
    assert_true(of(&carried).has[TRAFFIC_OUT] && !of(&carried).has[TRAFFIC_IN]);
    carried_sample(&carried, RECEIVED, 0, 0, 1e6);
    assert_true(!of(&carried).has[TRAFFIC_OUT] && of(&carried).has[TRAFFIC_IN]);
    assert_int_equal(of(&carried).streams, 1);
    carried_done(&carried);
}

static void lanes_of_both_ways_are_told_apart(void **state)
{
    struct carried carried = carried_start("network.tcp", "both", "3");
    struct traffic traffic = of(&carried);
    unsigned number;
    (void)state;
    assert_int_equal(traffic_lane(&traffic, 2, &number), TRAFFIC_OUT);
    assert_int_equal(number, 3);
    assert_int_equal(traffic_lane(&traffic, 3, &number), TRAFFIC_IN);
    assert_int_equal(number, 1);
    carried_done(&carried);
}

static void the_ceiling_is_what_full_frames_carry(void **state)
{
    struct carried tcp = carried_start("network.tcp", "out", "1");
    struct carried udp = carried_start("network.udp", "out", "1");
    struct traffic traffic = of(&tcp);
    (void)state;
    assert_true(NEAR(traffic_ceiling(tcp.model, &traffic), 1e9 * 1448 / 1538));
    carried_pair(&tcp, (struct frame){.type = FRAME_FACT}, "tcp-ceiling", "94.1 Mbit/s");
    assert_true(NEAR(traffic_ceiling(tcp.model, &traffic), 94.1e6));
    traffic = of(&udp);
    assert_true(NEAR(traffic_ceiling(udp.model, &traffic), 1e9 * 1472 / 1538));
    carried_done(&tcp);
    carried_done(&udp);
}

static void retransmits_are_a_count_and_a_share(void **state)
{
    struct carried carried = carried_start("network.tcp", "out", "1");
    struct traffic traffic = of(&carried);
    struct traffic_sum sum;
    AUTO(str_done) struct str text = {0};
    (void)state;
    for (unsigned i = 0; i < 60; i++) {
        carried_sample(&carried, SENT, 0, i, 5783 * 1448.0);
        carried_sample(&carried, RETRANSMITS, 0, i, 357);
    }
    traffic_sum(carried.model, &traffic, TRAFFIC_OUT, &sum);
    traffic_add_lost(&sum, &text);
    assert_string_equal(str_text(&text), "21420 (6.2 %)");
    assert_true(NEAR(sum.bps, 5783 * 1448.0 * 8));
    carried_result(&carried, SHARE, DYNO_LANE_ALL, 0.0611); /* the test knows its segments */
    traffic_sum(carried.model, &traffic, TRAFFIC_OUT, &sum);
    assert_true(NEAR(sum.share, 0.0611));
    carried_done(&carried);
}

static void small_shares_keep_digits_that_count(void **state)
{
    static const struct {
        double share;
        const char *text;
    } shares[] = {
        {0, "0 %"},       {0.5, "50 %"},       {0.0995, "10 %"},     {0.062, "6.2 %"},
        {0.001, "0.1 %"}, {0.00021, "0.02 %"}, {0.00009, "0.009 %"}, {0.000001, "under 0.001 %"}};
    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(shares); i++) {
        AUTO(str_done) struct str text = {0};
        traffic_add_share(shares[i].share, &text);
        assert_string_equal(str_text(&text), shares[i].text);
    }
}

static void each_end_says_what_it_counted(void **state)
{
    struct carried carried = carried_start("network.tcp", "out", "1");
    struct traffic traffic = of(&carried);
    AUTO(str_done) struct str sender = {0}, receiver = {0};
    (void)state;
    assert_false(traffic_add_end(carried.model, &traffic, TRAFFIC_OUT, true, &sender));
    for (unsigned i = 0; i < 10; i++)
        carried_sample(&carried, SENT, 0, i, 12.5e6);
    assert_false(traffic_add_end(carried.model, &traffic, TRAFFIC_OUT, false, &receiver));
    carried_result(&carried, RATE, DYNO_LANE_ALL, 99e6);
    assert_true(traffic_add_end(carried.model, &traffic, TRAFFIC_OUT, true, &sender));
    assert_true(traffic_add_end(carried.model, &traffic, TRAFFIC_OUT, false, &receiver));
    assert_string_equal(str_text(&sender), "125 MB in 10 s, 100 Mbit/s");
    assert_string_equal(str_text(&receiver), "124 MB in 10 s, 99.0 Mbit/s");
    carried_done(&carried);
}

static void in_turns_each_direction_has_its_own_time(void **state)
{
    struct carried carried = carried_start("network.tcp", "turns", "1");
    struct traffic traffic = of(&carried);
    struct traffic_sum sum;
    (void)state;
    carried_phase(&carried, "out", 0);
    for (unsigned i = 0; i < 20; i++) {
        if (i == 10)
            carried_phase(&carried, "in", 10);
        carried_sample(&carried, SENT, 0, i, i < 10 ? 1e6 : 0);
        carried_sample(&carried, RECEIVED, 0, i, i < 10 ? 0 : 2e6);
    }
    traffic_sum(carried.model, &traffic, TRAFFIC_OUT, &sum);
    assert_true(NEAR(sum.bps, 8e6));
    traffic_sum(carried.model, &traffic, TRAFFIC_IN, &sum);
    assert_true(NEAR(sum.bps, 16e6));
    carried_done(&carried);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(only_what_moves_over_a_network_is_traffic),
        cmocka_unit_test(directions_come_from_the_option),
        cmocka_unit_test(without_the_option_what_moved_tells),
        cmocka_unit_test(lanes_of_both_ways_are_told_apart),
        cmocka_unit_test(the_ceiling_is_what_full_frames_carry),
        cmocka_unit_test(retransmits_are_a_count_and_a_share),
        cmocka_unit_test(small_shares_keep_digits_that_count),
        cmocka_unit_test(each_end_says_what_it_counted),
        cmocka_unit_test(in_turns_each_direction_has_its_own_time),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
