/* net: what follows from the facts of all ports. What is read of them stands in the golden lists.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/cleanup.h"
#include "base/str.h"
#include "device/link.h"
#include "device/net.h"

static struct device port(uint64_t index, const char *id, const char *addresses)
{
    struct device device = {.kind = DEVICE_ETHERNET, .id = mem_copy_text(id)};
    device.link = mem_new(1, sizeof *device.link);
    *device.link = (struct link){.index = index, .carrier = LINK_YES};
    link_set(&device.link->addresses, addresses);
    return device;
}

static void test_two_ports_in_one_subnet(void **state)
{
    struct device devices[] = {port(2, "eth0", "10.0.0.1/24"), port(3, "eth1", "10.0.0.2/24"),
                               port(4, "docker0", "10.0.0.3/24"), port(5, "eth2", NULL)};
    (void)state;
    devices[2].is_hidden = true;
    net_settle(devices, ARRAY_SIZE(devices));
    assert_string_equal(devices[0].link->twin, "eth1");
    assert_string_equal(devices[1].link->twin, "eth0");
    assert_null(devices[2].link->twin);
    assert_null(devices[3].link->twin);
    assert_true(devices[0].is_testable && devices[2].is_testable && devices[3].is_testable);
    link_set(&devices[1].link->addresses, "10.0.1.2/24");
    net_settle(devices, ARRAY_SIZE(devices));
    assert_null(devices[0].link->twin);
    for (size_t i = 0; i < ARRAY_SIZE(devices); i++)
        device_done(&devices[i]);
}

static void test_what_cannot_be_tested(void **state)
{
    struct device device = port(2, "eth0", "");
    (void)state;
    device.link->carrier = LINK_NO;
    net_settle(&device, 1);
    assert_true(device.is_testable); /* a cable may come */
    link_set(&device.link->kernel_error, "eth0: no PHY found");
    net_settle(&device, 1);
    assert_false(device.is_testable);
    assert_string_equal(device.why, "the kernel said: eth0: no PHY found");
    device.link->carrier = LINK_YES;
    net_settle(&device, 1);
    assert_true(device.is_testable);
    assert_null(device.why);
    device_done(&device);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_two_ports_in_one_subnet),
                                       cmocka_unit_test(test_what_cannot_be_tested)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
