/* ethtool: answers of the kernel's family as a link shows them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "attributes.h"
#include "device/ethtool.h"

static void add_bitset(struct made *into, unsigned type, uint32_t value, uint32_t mask)
{
    struct made set = {0};
    made_u32(&set, 2, 67);
    made_attr(&set, 4, &value, sizeof value);
    made_attr(&set, 5, &mask, sizeof mask);
    made_attr(into, type | MADE_NESTED, set.bytes, set.size);
}

static void test_modes(void **state)
{
    struct made made = {0};
    struct link link = {.carrier = LINK_YES};
    (void)state;
    made_u8(&made, 2, 1);
    add_bitset(&made, 3, 0x2f, 0x2f); /* ours: up to 1000baseT/Full */
    add_bitset(&made, 4, 0x0f, 0x0f); /* the partner: up to 100 */
    made_u32(&made, 5, 100);
    made_u8(&made, 6, 1);
    ethtool_take(ETHTOOL_LINKMODES, made.bytes, made.size, &link);
    assert_int_equal(link.speed_mbps, 100);
    assert_string_equal(link.duplex, "full");
    assert_int_equal(link.autoneg, LINK_YES);
    assert_int_equal(link.capable_mbps, 1000);
    assert_int_equal(link.partner_mbps, 100);
    assert_int_equal(link.common_mbps, 100);
    assert_string_equal(link.partner, "10baseT/Half 10baseT/Full 100baseT/Half 100baseT/Full");
    assert_string_equal(link.source, "netlink");
    link_done(&link);
}

static void test_unknown_speed_and_duplex(void **state)
{
    struct made made = {0};
    struct link link = {.carrier = LINK_YES};
    (void)state;
    made_u32(&made, 5, UINT32_MAX);
    made_u8(&made, 6, 255);
    ethtool_take(ETHTOOL_LINKMODES, made.bytes, made.size, &link);
    assert_int_equal(link.speed_mbps, 0);
    assert_null(link.duplex);
    link_done(&link);
}

static void test_state_pause_and_eee(void **state)
{
    struct made status = {0}, pause = {0}, eee = {0}, info = {0};
    struct link link = {.carrier = LINK_YES, .speed_mbps = 1000};
    (void)state;
    made_u8(&status, 2, 0);
    made_u32(&status, 3, 0);
    made_u8(&status, 5, 4);
    ethtool_take(ETHTOOL_LINKSTATE, status.bytes, status.size, &link);
    assert_int_equal(link.carrier, LINK_NO);
    assert_int_equal(link.speed_mbps, 0); /* a link that is gone has no speed */
    assert_int_equal(link.quality, 1);
    assert_string_equal(link.reason, "no cable");
    made_u8(&pause, 2, 1);
    made_u8(&pause, 3, 0);
    ethtool_take(ETHTOOL_PAUSE, pause.bytes, pause.size, &link);
    assert_int_equal(link.pause_autoneg, LINK_YES);
    assert_int_equal(link.pause_rx, LINK_NO);
    assert_int_equal(link.pause_tx, LINK_UNKNOWN);
    made_u8(&eee, 4, 0);
    made_u8(&eee, 5, 1);
    ethtool_take(ETHTOOL_EEE, eee.bytes, eee.size, &link);
    assert_int_equal(link.eee_active, LINK_NO);
    assert_int_equal(link.eee_enabled, LINK_YES);
    made_u8(&info, 2, 0);
    made_u8(&info, 3, 7);
    ethtool_take(ETHTOOL_LINKINFO, info.bytes, info.size, &link);
    assert_string_equal(link.connector, "twisted pair");
    assert_int_equal(link.phy_address, 8);
    link_done(&link);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_modes),
                                       cmocka_unit_test(test_unknown_speed_and_duplex),
                                       cmocka_unit_test(test_state_pause_and_eee)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
