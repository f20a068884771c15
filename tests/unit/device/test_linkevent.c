/* linkevent: what the kernel's messages say, made by hand; and that it says something at all. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>

#include <linux/if_addr.h>
#include <linux/if_link.h>
#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <net/if.h>

#include <cmocka.h>

#include "attributes.h"
#include "device/linkevent.h"

struct seen {
    struct linkevent events[8];
    unsigned count;
};

static void on_event(void *user, const struct linkevent *event)
{
    struct seen *seen = user;
    assert_true(seen->count < 8);
    seen->events[seen->count++] = *event;
}

static void add_message(struct made *into, unsigned type, const void *body, size_t body_size,
                        const struct made *attrs)
{
    size_t size = body_size + (attrs ? attrs->size : 0);
    const struct nlmsghdr head = {.nlmsg_len = (uint32_t)(sizeof head + size),
                                  .nlmsg_type = (uint16_t)type};
    memcpy(into->bytes + into->size, &head, sizeof head);
    memcpy(into->bytes + into->size + sizeof head, body, body_size);
    if (attrs)
        memcpy(into->bytes + into->size + sizeof head + body_size, attrs->bytes, attrs->size);
    into->size += (sizeof head + size + 3) / 4 * 4;
}

static void test_links_and_addresses(void **state)
{
    struct made packet = {0}, attrs = {0};
    struct seen seen = {0};
    struct ifinfomsg link = {.ifi_index = 7, .ifi_flags = IFF_UP};
    const struct ifaddrmsg address = {.ifa_index = 9};
    (void)state;
    made_attr(&attrs, IFLA_IFNAME, "eth0", 5);
    made_u8(&attrs, IFLA_CARRIER, 1);
    add_message(&packet, RTM_NEWLINK, &link, sizeof link, &attrs);
    add_message(&packet, RTM_NEWADDR, &address, sizeof address, NULL);
    link.ifi_flags = 0;
    add_message(&packet, RTM_DELLINK, &link, sizeof link, NULL);
    link.ifi_family = 7; /* a bridge tells of a port */
    add_message(&packet, RTM_DELLINK, &link, sizeof link, NULL);
    linkevent_parse(packet.bytes, packet.size, on_event, &seen);
    assert_int_equal(seen.count, 3);
    assert_int_equal(seen.events[0].kind, LINKEVENT_LINK);
    assert_int_equal(seen.events[0].index, 7);
    assert_string_equal(seen.events[0].name, "eth0");
    assert_int_equal(seen.events[0].carrier, LINK_YES);
    assert_int_equal(seen.events[0].up, LINK_YES);
    assert_int_equal(seen.events[1].kind, LINKEVENT_ADDRESS);
    assert_int_equal(seen.events[1].index, 9);
    assert_int_equal(seen.events[2].kind, LINKEVENT_GONE);
    assert_int_equal(seen.events[2].carrier, LINK_NO);
}

static void test_cut_messages(void **state)
{
    struct made packet = {0};
    struct ifinfomsg link = {.ifi_index = 7};
    (void)state;
    add_message(&packet, RTM_NEWLINK, &link, sizeof link, NULL);
    for (size_t size = 0; size < packet.size; size++) {
        struct seen seen = {0};
        linkevent_parse(packet.bytes, size, on_event, &seen);
        assert_int_equal(seen.count, 0);
    }
    const struct nlmsghdr nothing = {.nlmsg_len = 0, .nlmsg_type = RTM_NEWLINK};
    struct seen seen = {0};
    linkevent_parse(&nothing, sizeof nothing, on_event, &seen); /* and ends */
    assert_int_equal(seen.count, 0);
}

static void test_a_socket_that_is_silent(void **state)
{
    struct seen seen = {0};
    int fd = -1;
    (void)state;
    assert_int_equal(linkevent_open(&fd), 0);
    assert_int_equal(linkevent_take(fd, 4, on_event, &seen), 0);
    assert_int_equal(close(fd), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_links_and_addresses),
                                       cmocka_unit_test(test_cut_messages),
                                       cmocka_unit_test(test_a_socket_that_is_silent)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
