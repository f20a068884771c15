/* iperf3: the lines of iperf3 3.12, byte for byte. */
#include <errno.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "base/cleanup.h"
#include "carried.h"
#include "report/document.h"

#define MIB 1048576.0

static void expect(struct carried *carried, const char *text)
{
    AUTO(str_done) struct str got = {0};
    assert_int_equal(document_write(carried->document, carried->model, DOCUMENT_IPERF3, &got), 0);
    assert_string_equal(str_text(&got), text);
    carried_done(carried);
}

static void one_stream_out(void **state)
{
    struct carried carried = carried_start("network.tcp", "out", "1");
    (void)state;
    for (unsigned i = 0; i < 2; i++) {
        carried_sample(&carried, SENT, 0, i, (8 + i) * MIB);
        carried_sample(&carried, RETRANSMITS, 0, i, 350 + i);
        carried_sample(&carried, CWND, 0, i, 2896);
    }
    carried_result(&carried, RECEIVED, DYNO_LANE_ALL, 16.5 * MIB);
    carried_end(&carried, 2);
    expect(&carried,
           "Connecting to host 192.168.0.2, port 5201\n"
           "[ ID] Interval           Transfer     Bitrate         Retr  Cwnd\n"
           "[  5]   0.00-1.00   sec  8.00 MBytes  67.1 Mbits/sec  350   2.83 KBytes       \n"
           "[  5]   1.00-2.00   sec  9.00 MBytes  75.5 Mbits/sec  351   2.83 KBytes       \n"
           "- - - - - - - - - - - - - - - - - - - - - - - - -\n"
           "[ ID] Interval           Transfer     Bitrate         Retr\n"
           "[  5]   0.00-2.00   sec  17.0 MBytes  71.3 Mbits/sec  701             sender\n"
           "[  5]   0.00-2.00   sec  16.5 MBytes  69.2 Mbits/sec                  receiver\n"
           "\niperf Done.\n");
}

static void several_streams_have_a_sum(void **state)
{
    struct carried carried = carried_start("network.tcp", "out", "2");
    (void)state;
    for (unsigned i = 0; i < 2; i++)
        for (unsigned lane = 0; lane < 2; lane++) {
            carried_sample(&carried, SENT, lane, i, 560 * MIB);
            carried_sample(&carried, RETRANSMITS, lane, i, lane);
            carried_sample(&carried, CWND, lane, i, 3 * MIB);
        }
    for (unsigned lane = 0; lane < 2; lane++)
        carried_result(&carried, RECEIVED, lane, 1119 * MIB);
    carried_result(&carried, RECEIVED, DYNO_LANE_ALL, 2238 * MIB);
    carried_end(&carried, 2);
    expect(&carried,
           "Connecting to host 192.168.0.2, port 5201\n"
           "[ ID] Interval           Transfer     Bitrate         Retr  Cwnd\n"
           "[  5]   0.00-1.00   sec   560 MBytes  4.70 Gbits/sec    0   3.00 MBytes       \n"
           "[  7]   0.00-1.00   sec   560 MBytes  4.70 Gbits/sec    1   3.00 MBytes       \n"
           "[SUM]   0.00-1.00   sec  1.09 GBytes  9.40 Gbits/sec    1             \n"
           "- - - - - - - - - - - - - - - - - - - - - - - - -\n"
           "[  5]   1.00-2.00   sec   560 MBytes  4.70 Gbits/sec    0   3.00 MBytes       \n"
           "[  7]   1.00-2.00   sec   560 MBytes  4.70 Gbits/sec    1   3.00 MBytes       \n"
           "[SUM]   1.00-2.00   sec  1.09 GBytes  9.40 Gbits/sec    1             \n"
           "- - - - - - - - - - - - - - - - - - - - - - - - -\n"
           "[ ID] Interval           Transfer     Bitrate         Retr\n"
           "[  5]   0.00-2.00   sec  1.09 GBytes  4.70 Gbits/sec    0             sender\n"
           "[  5]   0.00-2.00   sec  1.09 GBytes  4.69 Gbits/sec                  receiver\n"
           "[  7]   0.00-2.00   sec  1.09 GBytes  4.70 Gbits/sec    2             sender\n"
           "[  7]   0.00-2.00   sec  1.09 GBytes  4.69 Gbits/sec                  receiver\n"
           "[SUM]   0.00-2.00   sec  2.19 GBytes  9.40 Gbits/sec    2             sender\n"
           "[SUM]   0.00-2.00   sec  2.19 GBytes  9.39 Gbits/sec                  receiver\n"
           "\niperf Done.\n");
}

static void reverse_has_no_retransmits_by_interval(void **state)
{
    struct carried carried = carried_start("network.tcp", "in", "1");
    (void)state;
    carried_sample(&carried, RECEIVED, 0, 0, 112 * MIB);
    carried_result(&carried, SENT, DYNO_LANE_ALL, 113 * MIB);
    carried_result(&carried, RETRANSMITS, DYNO_LANE_ALL, 12);
    carried_end(&carried, 1);
    expect(&carried,
           "Connecting to host 192.168.0.2, port 5201\n"
           "Reverse mode, remote host 192.168.0.2 is sending\n"
           "[ ID] Interval           Transfer     Bitrate\n"
           "[  5]   0.00-1.00   sec   112 MBytes   940 Mbits/sec                  \n"
           "- - - - - - - - - - - - - - - - - - - - - - - - -\n"
           "[ ID] Interval           Transfer     Bitrate         Retr\n"
           "[  5]   0.00-1.00   sec   113 MBytes   948 Mbits/sec   12             sender\n"
           "[  5]   0.00-1.00   sec   112 MBytes   940 Mbits/sec                  receiver\n"
           "\niperf Done.\n");
}

static void datagrams_out(void **state)
{
    struct carried carried = carried_start("network.udp", "out", "1");
    (void)state;
    carried_sample(&carried, SENT, 0, 0, 91 * 1448.0);
    carried_sample(&carried, PACKETS, 0, 0, 91);
    carried_result(&carried, RECEIVED, DYNO_LANE_ALL, 90 * 1448.0);
    carried_result(&carried, LOST, DYNO_LANE_ALL, 1);
    carried_result(&carried, JITTER, DYNO_LANE_ALL, 12e-6);
    carried_end(&carried, 1);
    expect(&carried,
           "Connecting to host 192.168.0.2, port 5201\n"
           "[ ID] Interval           Transfer     Bitrate         Total Datagrams\n"
           "[  5]   0.00-1.00   sec   129 KBytes  1.05 Mbits/sec  91  \n"
           "- - - - - - - - - - - - - - - - - - - - - - - - -\n"
           "[ ID] Interval           Transfer     Bitrate         Jitter    Lost/Total Datagrams\n"
           "[  5]   0.00-1.00   sec   129 KBytes  1.05 Mbits/sec  0.000 ms  0/91 (0%)  sender\n"
           "[  5]   0.00-1.00   sec   127 KBytes  1.04 Mbits/sec  0.012 ms  1/91 (1.1%)  receiver\n"
           "\niperf Done.\n");
}

static void turns_are_two_runs(void **state)
{
    struct carried carried = carried_start("network.tcp", "turns", "1");
    AUTO(str_done) struct str got = {0};
    (void)state;
    carried_phase(&carried, "out", 0);
    carried_sample(&carried, SENT, 0, 0, 8 * MIB);
    carried_phase(&carried, "in", 1);
    carried_sample(&carried, RECEIVED, 0, 1, 8 * MIB);
    carried_end(&carried, 2);
    assert_int_equal(document_write(carried.document, carried.model, DOCUMENT_IPERF3, &got), 0);
    const char *second = strstr(str_text(&got), "iperf Done.\n\nConnecting to host");
    assert_non_null(second);
    assert_non_null(strstr(second, "Reverse mode"));
    assert_non_null(strstr(second, "[  5]   0.00-1.00   sec  8.00 MBytes  67.1 Mbits/sec  "));
    carried_done(&carried);
}

static void both_ways_have_roles(void **state)
{
    struct carried carried = carried_start("network.tcp", "both", "1");
    AUTO(str_done) struct str got = {0};
    (void)state;
    carried_sample(&carried, SENT, 0, 0, 8 * MIB);
    carried_sample(&carried, RECEIVED, 1, 0, 4 * MIB);
    carried_end(&carried, 1);
    assert_int_equal(document_write(carried.document, carried.model, DOCUMENT_IPERF3, &got), 0);
    const char *text = str_text(&got);
    assert_non_null(
        strstr(text, "[ ID][Role] Interval           Transfer     Bitrate         Retr  Cwnd\n"
                     "[  5][TX-C]   0.00-1.00   sec  8.00 MBytes  67.1 Mbits/sec    0   "));
    assert_non_null(strstr(
        text, "[  7][RX-C]   0.00-1.00   sec  4.00 MBytes  33.6 Mbits/sec                  \n"));
    carried_done(&carried);
}

static void what_is_omitted_is_not_in_the_sum(void **state)
{
    struct carried carried = carried_start("network.tcp", "out", "1");
    AUTO(str_done) struct str got = {0};
    (void)state;
    carried_phase(&carried, "omit", 0);
    carried_sample(&carried, SENT, 0, 0, 8 * MIB);
    carried_phase(&carried, "out", 1);
    carried_sample(&carried, SENT, 0, 1, 4 * MIB);
    carried_end(&carried, 2);
    assert_int_equal(document_write(carried.document, carried.model, DOCUMENT_IPERF3, &got), 0);
    assert_non_null(strstr(
        str_text(&got),
        "[  5]   0.00-1.00   sec  8.00 MBytes  67.1 Mbits/sec    0   0.00 Bytes       (omitted)\n"
        "[  5]   0.00-1.00   sec  4.00 MBytes  33.6 Mbits/sec    0   0.00 Bytes       \n"));
    assert_non_null(strstr(str_text(&got),
                           "0.00-1.00   sec  4.00 MBytes  33.6 Mbits/sec    0             sender"));
    carried_done(&carried);
}

static void other_runs_have_no_such_lines(void **state)
{
    struct carried none = carried_start("network.tcp", "out", "1");
    struct carried server = carried_start("network.serve", "", "");
    struct carried other = carried_start("storage.write", "out", "1");
    AUTO(str_done) struct str got = {0};
    (void)state;
    carried_sample(&server, SENT, 0, 0, 1);
    carried_sample(&other, SENT, 0, 0, 1);
    assert_int_equal(document_write(none.document, none.model, DOCUMENT_IPERF3, &got), -ENODATA);
    assert_int_equal(document_write(server.document, server.model, DOCUMENT_IPERF3, &got),
                     -ENODATA);
    assert_int_equal(document_write(other.document, other.model, DOCUMENT_IPERF3, &got), -ENODATA);
    assert_int_equal(got.size, 0);
    carried_done(&none);
    carried_done(&server);
    carried_done(&other);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_stream_out),
        cmocka_unit_test(several_streams_have_a_sum),
        cmocka_unit_test(reverse_has_no_retransmits_by_interval),
        cmocka_unit_test(datagrams_out),
        cmocka_unit_test(turns_are_two_runs),
        cmocka_unit_test(both_ways_have_roles),
        cmocka_unit_test(what_is_omitted_is_not_in_the_sum),
        cmocka_unit_test(other_runs_have_no_such_lines),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
