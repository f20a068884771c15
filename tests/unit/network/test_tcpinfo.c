/* tcpinfo: fields are there by the length that the kernel returned. */
#include "prelude.h"

#include "network/tcpinfo.h"

#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#define OF_4_9 168  /* ends with delivery_rate */
#define OF_4_19 224 /* up to dsack_dups and reord_seen */

static void fields_are_there_by_length(void **state)
{
    (void)state;
    unsigned char bytes[512];
    struct tcpinfo info;
    memset(bytes, 0x11, sizeof bytes);
    tcpinfo_take(bytes, OF_4_9, &info);
    assert_true(TCPINFO_HAS(&info, delivery_rate));
    assert_false(TCPINFO_HAS(&info, busy_time));
    assert_int_equal(info.raw.busy_time, 0);
    assert_int_equal(info.raw.total_retrans, 0x11111111);
    tcpinfo_take(bytes, OF_4_19, &info);
    assert_true(TCPINFO_HAS(&info, reord_seen));
    assert_false(TCPINFO_HAS(&info, rcv_ooopack));
    tcpinfo_take(bytes, sizeof bytes, &info); /* a kernel of tomorrow */
    assert_true(info.known >= TCPINFO_END(total_rto_time));
    assert_int_equal(info.raw.total_rto_time, 0x11111111);
    tcpinfo_take(bytes, 0, &info);
    assert_false(TCPINFO_HAS(&info, state));
}

static void this_kernel_tells(void **state)
{
    (void)state;
    struct tcpinfo info;
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (fd < 0)
        skip();
    assert_int_equal(tcpinfo_read(fd, &info), 0);
    assert_true(TCPINFO_HAS(&info, total_retrans));
    assert_true(info.raw.snd_mss > 0);
    (void)close(fd);
    assert_int_equal(tcpinfo_read(-1, &info), -EBADF);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fields_are_there_by_length),
        cmocka_unit_test(this_kernel_tells),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
