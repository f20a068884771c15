/* link: the way from probe to owner and back, what holds of all sources, what a person is told. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/str.h"
#include "device/link.h"
#include "wire/frame.h"

static void expect_mode(const struct link *link, const char *text)
{
    struct str mode = {0};
    link_mode(link, &mode);
    assert_string_equal(str_text(&mode), text);
    str_done(&mode);
}

static void expect_remark(const struct link *link, const char *part)
{
    struct str remark = {0};
    link_remark(link, &remark);
    if (part)
        assert_non_null(strstr(str_text(&remark), part));
    else
        assert_string_equal(str_text(&remark), "");
    str_done(&remark);
}

static void test_a_row_there_and_back(void **state)
{
    struct link link = {.index = 3,
                        .mtu = 1500,
                        .speed_mbps = 1000,
                        .carrier = LINK_YES,
                        .up = LINK_YES,
                        .counted = LINK_YES};
    struct link back = {0};
    struct str row = {0};
    (void)state;
    link_set(&link.duplex, "full");
    link_set(&link.addresses, "");
    link_set(&link.phy, "a\x1b[31mb"); /* drivers are foreign too */
    link.counters[LINK_TX_BYTES] = UINT64_MAX;
    link_add_pairs(&link, &row);
    const struct frame frame = {.type = FRAME_ROW, .pairs = row.text, .pairs_size = row.size};
    assert_int_equal(link_take_row(&back, &frame), 0);
    assert_int_equal(back.index, 3);
    assert_int_equal(back.speed_mbps, 1000);
    assert_string_equal(back.duplex, "full");
    assert_string_equal(back.addresses, "");
    assert_string_equal(back.phy, "a?[31mb");
    assert_int_equal(back.autoneg, LINK_UNKNOWN);
    assert_true(back.counters[LINK_TX_BYTES] == UINT64_MAX);
    link_done(&back);
    link_done(&link);
    str_done(&row);
    str_add_pair(&row, "speed_mbps", "1000");
    const struct frame none = {.type = FRAME_ROW, .pairs = row.text, .pairs_size = row.size};
    assert_true(link_take_row(&back, &none) < 0);
    str_done(&row);
}

static void test_no_speed_without_a_carrier(void **state)
{
    struct link link = {.speed_mbps = 1000, .carrier = LINK_NO, .up = LINK_YES};
    (void)state;
    link_set(&link.duplex, "full");
    link_settle(&link);
    assert_int_equal(link.speed_mbps, 0);
    assert_null(link.duplex);
    expect_mode(&link, "no carrier");
    expect_remark(&link, "no carrier: no cable");
    link.carrier = LINK_YES;
    expect_mode(&link, "up, speed ?");
    expect_remark(&link, NULL);
    link.speed_mbps = 65535;
    link_settle(&link);
    assert_int_equal(link.speed_mbps, 0);
    link.speed_mbps = UINT32_MAX;
    link_settle(&link);
    assert_int_equal(link.speed_mbps, 0);
    link.up = LINK_NO;
    expect_mode(&link, "down");
    assert_true(link_is_idle(&link));
    link_done(&link);
}

static void test_slower_than_it_could_be(void **state)
{
    struct link link = {.speed_mbps = 100,
                        .carrier = LINK_YES,
                        .capable_mbps = 1000,
                        .offered_mbps = 1000,
                        .partner_mbps = 1000,
                        .common_mbps = 1000};
    (void)state;
    link_set(&link.duplex, "half");
    expect_mode(&link, "100 half");
    expect_remark(&link, "half duplex");
    expect_remark(&link, "runs at 100 of 1000 Mbit/s: both ends could do more: look at the cable");
    link.common_mbps = link.partner_mbps = 100;
    expect_remark(&link, "the other end offers no more");
    link.partner_mbps = link.common_mbps = 0;
    expect_remark(&link, "look at the cable and at the other end");
    link.offered_mbps = 100;
    expect_remark(&link, "a setting of this port offers no more");
    link.tree_mbps = 100;
    expect_remark(&link, "the device tree allows no more");
    link_done(&link);
}

static void test_lines_of_the_kernel(void **state)
{
    struct link link = {0};
    (void)state;
    link_take_line(&link, "eth1", "30be0000.ethernet", "eth10: no PHY found");
    link_take_line(&link, "eth1", "30be0000.ethernet", "eth1: attached PHY driver, no error");
    link_take_line(&link, "eth1", "30be0000.ethernet", "eth1: link is not ready, error");
    link_take_line(&link, "eth1", "", "something of another: no phy found");
    assert_null(link.kernel_error);
    link_take_line(&link, "eth1", "30be0000.ethernet", "fec 30be0000.ethernet: no PHY found");
    assert_string_equal(link.kernel_error, "fec 30be0000.ethernet: no PHY found");
    link_take_line(&link, "eth1", "", "eth1: could not attach to PHY");
    expect_remark(&link, "the kernel said: eth1: could not attach to PHY");
    link.carrier = LINK_YES; /* it was found in the end */
    expect_remark(&link, NULL);
    link_done(&link);
}

static void test_subnets(void **state)
{
    (void)state;
    assert_true(link_shares_subnet("10.0.0.1/24", "10.0.0.2/24"));
    assert_true(link_shares_subnet("fe80::1/64 10.0.0.1/24", "10.0.1.1/24 10.0.0.9/16"));
    assert_false(link_shares_subnet("10.0.0.1/24", "10.0.1.2/24"));
    assert_false(link_shares_subnet("fe80::1/64", "fe80::2/64")); /* each port has one of these */
    assert_false(link_shares_subnet("169.254.1.1/16", "169.254.1.2/16"));
    assert_true(link_shares_subnet("2001:db8::1/64", "2001:db8::2/64"));
    assert_false(link_shares_subnet("2001:db8::1/64", "2001:db8:0:1::2/64"));
    assert_false(link_shares_subnet("10.0.0.1/32", "10.0.0.2/32"));
    assert_false(link_shares_subnet("", "10.0.0.2/24"));
    assert_false(link_shares_subnet("10.0.0.1", "10.0.0.2/24"));
    assert_false(link_shares_subnet("10.0.0.1/x 1.2.3/8", "10.0.0.2/24 1.2.3.4/8"));
    assert_false(link_shares_subnet(NULL, "10.0.0.2/24"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_a_row_there_and_back),
                                       cmocka_unit_test(test_no_speed_without_a_carrier),
                                       cmocka_unit_test(test_slower_than_it_could_be),
                                       cmocka_unit_test(test_lines_of_the_kernel),
                                       cmocka_unit_test(test_subnets)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
