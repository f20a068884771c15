/* streams: the cells of one direction, and their sums. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/cleanup.h"
#include "carried.h"
#include "report/streams.h"

static struct interval at(unsigned metric, unsigned lane, uint64_t second, double value)
{
    return (struct interval){.metric = (uint16_t)metric,
                             .lane = (uint16_t)lane,
                             .t0_ns = ZERO + second * S,
                             .t1_ns = ZERO + (second + 1) * S,
                             .value = value};
}

static void cells_have_what_their_stream_did_then(void **state)
{
    struct carried carried = carried_start("network.tcp", "out", "2");
    struct traffic traffic;
    struct streams streams;
    (void)state;
    assert_true(traffic_of(carried.model, &traffic));
    const struct interval intervals[] = {
        at(SENT, 1, 0, 20),       at(SENT, 0, 0, 10),       at(RETRANSMITS, 1, 0, 3),
        at(SENT, 0, 1, 11),       at(SENT, 1, 1, 21),       at(CWND, 0, 1, 2896),
        at(RETRANSMITS, 5, 0, 9), at(RECEIVED, 0, 0, 1000),
    };
    streams_gather(&streams, carried.model, &traffic, TRAFFIC_OUT, intervals,
                   ARRAY_SIZE(intervals));
    assert_int_equal(streams.count, 4);
    assert_int_equal(streams.lane_count, 2);
    assert_int_equal(streams.cells[1].lane, 1);
    assert_true(fabs(streams.cells[1].retransmits - 3) < 1e-9);
    assert_true(fabs(streams.cells[2].cwnd - 2896) < 1e-9);
    assert_true(fabs(streams_sum(&streams, -1).bytes - 62) < 1e-9);
    struct streams_cell second = streams_sum(&streams, 1);
    assert_true(fabs(second.bytes - 41) < 1e-9 && fabs(second.retransmits - 3) < 1e-9);
    assert_int_equal(second.t1_ns - second.t0_ns, 2 * S);
    streams_done(&streams);
    carried_done(&carried);
}

static void what_does_not_count_is_left_out_of_sums(void **state)
{
    struct carried carried = carried_start("network.tcp", "out", "1");
    struct traffic traffic;
    struct streams streams;
    (void)state;
    carried_phase(&carried, "omit", 0);
    carried_phase(&carried, "out", 1);
    assert_true(traffic_of(carried.model, &traffic));
    const struct interval intervals[] = {at(SENT, 0, 0, 100), at(SENT, 0, 1, 10)};
    streams_gather(&streams, carried.model, &traffic, TRAFFIC_OUT, intervals, 2);
    assert_true(streams.cells[0].is_omitted && !streams.cells[1].is_omitted);
    assert_true(fabs(streams_sum(&streams, -1).bytes - 10) < 1e-9);
    assert_int_equal(streams.omitted_ns, ZERO);
    assert_int_equal(streams.base_ns, ZERO + S);
    streams_done(&streams);
    carried_done(&carried);
}

static void a_direction_without_samples_has_no_cells(void **state)
{
    struct carried carried = carried_start("network.tcp", "in", "1");
    struct traffic traffic;
    struct streams streams;
    (void)state;
    assert_true(traffic_of(carried.model, &traffic));
    streams_gather(&streams, carried.model, &traffic, TRAFFIC_IN, NULL, 0);
    assert_int_equal(streams.count, 0);
    assert_true(fabs(streams_sum(&streams, -1).bytes) < 1e-9);
    streams_done(&streams);
    carried_done(&carried);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cells_have_what_their_stream_did_then),
        cmocka_unit_test(what_does_not_count_is_left_out_of_sums),
        cmocka_unit_test(a_direction_without_samples_has_no_cells),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
