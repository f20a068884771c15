#include "device/uevent.h"

#include <errno.h>
#include <linux/netlink.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/cleanup.h"

static const char change[] = "change@/devices/virtual/block/loop3\0ACTION=change\0"
                             "DEVPATH=/devices/virtual/block/loop3\0SUBSYSTEM=block\0MAJOR=7\0"
                             "DEVNAME=loop3\0DEVTYPE=disk\0SEQNUM=4711";

static void kernel_messages_are_understood(void **state)
{
    (void)state;
    struct uevent event;
    assert_int_equal(uevent_parse(change, sizeof change, &event), 0);
    assert_string_equal(event.action, "change");
    assert_string_equal(event.subsystem, "block");
    assert_string_equal(event.name, "loop3");
    assert_true(event.sequence == 4711);
}

static void other_messages_are_not(void **state)
{
    (void)state;
    struct uevent event = {.sequence = 5};
    static const char udev[] = "libudev\0\xfe\xed\xca\xfe";
    static const char bare[] = "add@/devices/x";
    static const char no_action[] = "add@/devices/x\0SUBSYSTEM=block";
    assert_int_equal(uevent_parse(udev, sizeof udev, &event), -EINVAL);
    assert_int_equal(uevent_parse(bare, strlen(bare), &event), -EINVAL);
    assert_int_equal(uevent_parse(no_action, sizeof no_action, &event), -EINVAL);
    assert_int_equal(uevent_parse("", 0, &event), -EINVAL);
    assert_true(event.sequence == 5);
}

static void long_values_are_dropped(void **state)
{
    (void)state;
    char message[300] = "add@/x";
    struct uevent event;
    size_t size = 7;
    memcpy(message + size, "ACTION=add", 11);
    size += 11;
    memcpy(message + size, "DEVNAME=", 8);
    memset(message + size + 8, 'a', UEVENT_TEXT_MAX);
    size += 8 + UEVENT_TEXT_MAX;
    assert_int_equal(uevent_parse(message, size, &event), 0); /* and not ended by a NUL */
    assert_string_equal(event.name, "");
}

/* A process may send to another's netlink port (root: to the group), never as the kernel's port 0.
 */
static void only_the_kernel_is_believed(void **state)
{
    (void)state;
    AUTO_CLOSE int fd = -1, sender = -1;
    if (uevent_open(&fd) < 0)
        skip();
    struct sockaddr_nl own;
    socklen_t size = sizeof own;
    assert_int_equal(getsockname(fd, (struct sockaddr *)&own, &size), 0);
    sender = socket(AF_NETLINK, SOCK_DGRAM | SOCK_CLOEXEC, NETLINK_KOBJECT_UEVENT);
    assert_true(sender >= 0);
    struct sockaddr_nl to = {.nl_family = AF_NETLINK, .nl_pid = own.nl_pid};
    enum uevent_news news = UEVENT_NONE;
    uint64_t sequence = 4700; /* a believed message would be a gap as well */
    if (sendto(sender, change, sizeof change, 0, (struct sockaddr *)&to, sizeof to) < 0)
        skip();
    assert_int_equal(uevent_take(fd, 1, &sequence, &news), 0);
    if (sequence != 4700) /* the machine's own event came first */
        skip();
    assert_int_equal(news, UEVENT_NONE);
}

static void nothing_waiting_is_no_news(void **state)
{
    (void)state;
    AUTO_CLOSE int fd = -1;
    enum uevent_news news = UEVENT_STORAGE;
    uint64_t sequence = 0;
    if (uevent_open(&fd) < 0)
        skip();
    assert_int_equal(uevent_take(fd, 0, &sequence, &news), 0);
    assert_int_equal(news, UEVENT_NONE);
    assert_true(uevent_take(-1, 1, &sequence, &news) < 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(kernel_messages_are_understood),
        cmocka_unit_test(other_messages_are_not),
        cmocka_unit_test(long_values_are_dropped),
        cmocka_unit_test(only_the_kernel_is_believed),
        cmocka_unit_test(nothing_waiting_is_no_news),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
