#include "wire/channel.h"

#include <errno.h>
#include <poll.h>
#include <sys/socket.h>

#include "base/clock.h"

int channel_pair(int ret_fds[2])
{
    int fds[2];

    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, fds) < 0)
        return -errno;
    ret_fds[0] = fds[0];
    ret_fds[1] = fds[1];
    return 0;
}

int channel_send(int fd, const struct packet *packet)
{
    ssize_t sent;

    if (packet->size == 0 || packet->size > FRAME_PACKET_MAX)
        return -EINVAL;
    do {
        sent = send(fd, packet->bytes, packet->size, MSG_DONTWAIT | MSG_NOSIGNAL);
    } while (sent < 0 && errno == EINTR);
    if (sent >= 0)
        return 0;
    if (errno == EAGAIN || errno == EWOULDBLOCK || errno == ENOBUFS)
        return -EAGAIN;
    return errno == ECONNRESET || errno == ENOTCONN ? -EPIPE : -errno;
}

int channel_send_wait(int fd, const struct packet *packet, int timeout_ms)
{
    const uint64_t wait_ms = timeout_ms > 0 ? (uint64_t)timeout_ms : 0;
    const uint64_t limit_ns = clock_mono_ns() + wait_ms * NS_PER_MS;

    for (;;) {
        struct pollfd wait = {.fd = fd, .events = POLLOUT};
        const int code = channel_send(fd, packet);
        const uint64_t now_ns = clock_mono_ns();

        if (code != -EAGAIN)
            return code;
        if (now_ns >= limit_ns)
            return -ETIMEDOUT;
        if (poll(&wait, 1, (int)((limit_ns - now_ns) / NS_PER_MS) + 1) < 0 && errno != EINTR)
            return -errno;
    }
}

int channel_receive(int fd, struct packet *ret_packet)
{
    ssize_t size;

    /* A peer that died with unread packets makes one call fail with ECONNRESET, although what it
     * had sent before still waits behind; the error is then used up. */
    do {
        size = recv(fd, ret_packet->bytes, sizeof(ret_packet->bytes), MSG_DONTWAIT | MSG_TRUNC);
    } while (size < 0 && (errno == EINTR || errno == ECONNRESET));
    ret_packet->size = 0;
    if (size < 0 && (errno == EAGAIN || errno == EWOULDBLOCK))
        return -EAGAIN;
    if (size < 0)
        return -errno;
    if (size > FRAME_PACKET_MAX || size % 8 != 0)
        return -EPROTO;
    ret_packet->size = (size_t)size;
    return size > 0 ? 1 : 0;
}

int channel_half_close(int fd)
{
    if (shutdown(fd, SHUT_WR) < 0 && errno != ENOTCONN)
        return -errno;
    return 0;
}
