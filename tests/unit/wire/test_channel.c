/* channel: packets over a SEQPACKET pair. */
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/clock.h"
#include "iodyno/plugin.h"
#include "wire/channel.h"

struct line {
    int fds[2];
    struct packet out, in;
};
static struct line line;

static int setup(void **state)
{
    const struct frame frame = {.type = FRAME_PROGRESS, .progress = {1, 2}};

    line.out.size = 0;
    *state = &line;
    return channel_pair(line.fds) || packet_add(&line.out, &frame);
}

static int teardown(void **state)
{
    (void)state;
    for (int i = 0; i < 2; i++) {
        if (line.fds[i] >= 0)
            (void)close(line.fds[i]);
    }
    return 0;
}

static void close_end(int end)
{
    (void)close(line.fds[end]);
    line.fds[end] = -1;
}

static void a_packet_arrives_whole(void **state)
{
    (void)state;
    assert_int_equal(channel_receive(line.fds[1], &line.in), -EAGAIN);
    assert_int_equal(channel_send(line.fds[0], &line.out), 0);
    assert_int_equal(channel_send(line.fds[0], &line.out), 0);
    assert_int_equal(channel_receive(line.fds[1], &line.in), 1);
    assert_int_equal(line.in.size, line.out.size);
    assert_memory_equal(line.in.bytes, line.out.bytes, line.out.size);
}

static void both_ends_close_on_exec(void **state)
{
    (void)state;
    assert_true(fcntl(line.fds[0], F_GETFD) & FD_CLOEXEC);
    assert_true(fcntl(line.fds[1], F_GETFD) & FD_CLOEXEC);
}

static void the_largest_packet_passes(void **state)
{
    (void)state;
    line.out.size = FRAME_PACKET_MAX;
    assert_int_equal(channel_send(line.fds[0], &line.out), 0);
    assert_int_equal(channel_receive(line.fds[1], &line.in), 1);
    assert_int_equal(line.in.size, FRAME_PACKET_MAX);
    line.out.size = FRAME_PACKET_MAX + 8;
    assert_int_equal(channel_send(line.fds[0], &line.out), -EINVAL);
}

static void foreign_packets_are_refused(void **state)
{
    static char bytes[FRAME_PACKET_MAX + 8];

    (void)state;
    assert_int_equal(send(line.fds[0], bytes, 12, 0), 12);
    assert_int_equal(channel_receive(line.fds[1], &line.in), -EPROTO);
    assert_int_equal(send(line.fds[0], bytes, sizeof(bytes), 0), sizeof(bytes));
    assert_int_equal(channel_receive(line.fds[1], &line.in), -EPROTO);
    line.out.size = 0;
    assert_int_equal(channel_send(line.fds[0], &line.out), -EINVAL);
}

static void a_full_line_never_waits(void **state)
{
    int code = 0, sent = 0;

    (void)state;
    while ((code = channel_send(line.fds[0], &line.out)) == 0)
        sent++;
    assert_int_equal(code, -EAGAIN);
    assert_in_range(sent, 100, 100000);
    const uint64_t before_ns = clock_mono_ns();
    assert_int_equal(channel_send_wait(line.fds[0], &line.out, 30), -ETIMEDOUT);
    assert_in_range(clock_mono_ns() - before_ns, 30 * NS_PER_MS, NS_PER_S);
    while (channel_receive(line.fds[1], &line.in) == 1)
        ;
    assert_int_equal(channel_send_wait(line.fds[0], &line.out, 30), 0);
}

static void a_gone_reader_is_a_broken_pipe(void **state)
{
    (void)state;
    close_end(1);
    assert_int_equal(channel_send(line.fds[0], &line.out), -EPIPE);
    assert_int_equal(channel_send_wait(line.fds[0], &line.out, 1000), -EPIPE);
}

static void a_reset_is_end_of_file_behind_what_was_sent(void **state)
{
    (void)state;
    assert_int_equal(channel_send(line.fds[0], &line.out), 0); /* unread when its end closes */
    assert_int_equal(channel_send(line.fds[1], &line.out), 0);
    close_end(1);
    assert_int_equal(channel_receive(line.fds[0], &line.in), 1);
    assert_int_equal(channel_receive(line.fds[0], &line.in), 0);
    assert_int_equal(channel_receive(line.fds[0], &line.in), 0);
}

static void half_closing_cancels_one_direction(void **state)
{
    (void)state;
    assert_int_equal(channel_half_close(line.fds[0]), 0);
    assert_int_equal(channel_receive(line.fds[1], &line.in), 0);
    assert_int_equal(channel_send(line.fds[1], &line.out), 0);
    assert_int_equal(channel_receive(line.fds[0], &line.in), 1);
    assert_int_equal(channel_send(line.fds[0], &line.out), -EPIPE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_packet_arrives_whole, setup, teardown),
        cmocka_unit_test_setup_teardown(both_ends_close_on_exec, setup, teardown),
        cmocka_unit_test_setup_teardown(the_largest_packet_passes, setup, teardown),
        cmocka_unit_test_setup_teardown(foreign_packets_are_refused, setup, teardown),
        cmocka_unit_test_setup_teardown(a_full_line_never_waits, setup, teardown),
        cmocka_unit_test_setup_teardown(a_gone_reader_is_a_broken_pipe, setup, teardown),
        cmocka_unit_test_setup_teardown(a_reset_is_end_of_file_behind_what_was_sent, setup,
                                        teardown),
        cmocka_unit_test_setup_teardown(half_closing_cancels_one_direction, setup, teardown),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
