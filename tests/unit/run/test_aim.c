/* aim: network ports as targets: hidden ones can be named, and are offered to nobody. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/cleanup.h"
#include "device/link.h"
#include "iodyno/plugin.h"
#include "run/aim.h"
#include "wire/frame.h"

static struct catalog_test tcp = {
    .id = (char[]){"network.tcp"}, .plugin = (char[]){"/p/network.so"}, .targets = DYNO_NET};
static struct link wire = {.index = 2,
                           .carrier = LINK_YES,
                           .up = LINK_YES,
                           .speed_mbps = 100,
                           .capable_mbps = 1000,
                           .partner_mbps = 1000,
                           .common_mbps = 1000,
                           .duplex = (char[]){"full"},
                           .addresses = (char[]){"10.0.0.1/24"}};
static struct link loopback = {.index = 1, .carrier = LINK_YES, .nature = (char[]){"the loopback"}};
static struct link broken = {.index = 3, .carrier = LINK_NO};
static struct device devices[] = {
    {.kind = DEVICE_ETHERNET, .id = (char[]){"eth0"}, .is_testable = true, .link = &wire},
    {.kind = DEVICE_ETHERNET,
     .id = (char[]){"eth1"},
     .link = &broken,
     .why = (char[]){"the kernel said: no PHY found"}},
    {.kind = DEVICE_ETHERNET,
     .id = (char[]){"lo"},
     .is_testable = true,
     .is_hidden = true,
     .link = &loopback},
};
static struct inventory inventory = {devices, ARRAY_SIZE(devices)};
static struct catalog catalog = {.tests = &tcp, .test_count = 1};
static struct board board;

static int make(const char *target, struct str *pairs, struct str *why)
{
    const struct order_context context = {&catalog, &inventory, &board, NULL};
    const struct order_wish wish = {.test = "network.tcp",
                                    .target = target,
                                    .report_ns = 1000000000,
                                    .tick_most_ns = 1000000000};
    struct frame order;
    return (int)order_make(&context, &wish, pairs, &order, why);
}

static void test_ports_by_name(void **state)
{
    AUTO(str_done) struct str pairs = {0}, why = {0};
    (void)state;
    assert_int_equal(make("eth0", &pairs, &why), ORDER_OK);
    const struct frame frame = {.pairs = pairs.text, .pairs_size = pairs.size};
    static const char *const told[][2] = {
        {"target.kind", "net"},
        {"target.id", "eth0"},
        {"target.device", "ethernet"},
        {"target.mode", "100 full"},
        {"target.speed_mbps", "100"},
        {"target.capable_mbps", "1000"},
        {"target.duplex", "full"},
        {"target.carrier", "true"},
        {"target.addresses", "10.0.0.1/24"},
    };
    for (size_t i = 0; i < ARRAY_SIZE(told); i++) {
        const char *value = frame_pair(&frame, told[i][0]);
        if (!value || strcmp(value, told[i][1]) != 0)
            fail_msg("%s is %s, not %s", told[i][0], value ? value : "absent", told[i][1]);
    }
    assert_non_null(strstr(frame_pair(&frame, "target.remark"), "look at the cable"));
}

static void test_the_loopback_though_hidden(void **state)
{
    AUTO(str_done) struct str pairs = {0}, why = {0};
    (void)state;
    assert_int_equal(make("lo", &pairs, &why), ORDER_OK);
    assert_int_equal(make("eth9", &pairs, &why), ORDER_UNFIT);
    assert_string_equal(str_text(&why), "there is no device \"eth9\"; expected eth0, eth1");
}

static void test_a_port_without_its_phy(void **state)
{
    AUTO(str_done) struct str pairs = {0}, why = {0};
    (void)state;
    assert_int_equal(make("eth1", &pairs, &why), ORDER_UNFIT);
    assert_string_equal(str_text(&why), "eth1 cannot be used: the kernel said: no PHY found");
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_ports_by_name),
                                       cmocka_unit_test(test_the_loopback_though_hidden),
                                       cmocka_unit_test(test_a_port_without_its_phy)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
