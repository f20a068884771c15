#include "socket.h"

#include <arpa/inet.h>
#include <common/cleanup.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/sockios.h>
#include <net/if.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/time.h>

#define KEEP_ALIVE_S 5
#define KEEP_ALIVE_PROBES 3
#define USER_TIMEOUT_MS 10000
#define UDP_BUFFER (4 << 20)

int socket_open(const struct socket_place *place, int type, struct socket_bind *bind)
{
    AUTO_CLOSE int fd = socket(place->address.ss_family, type | SOCK_CLOEXEC, 0);
    if (fd < 0)
        return -errno;
    if (bind && bind->device && bind->device[0] &&
        setsockopt(fd, SOL_SOCKET, SO_BINDTODEVICE, bind->device,
                   (socklen_t)strlen(bind->device) + 1) < 0) {
        if (errno != EPERM)
            return -errno;
        bind->is_refused = true;
    }
    int taken = fd;
    fd = -1;
    return taken;
}

static int set_blocking(int fd, bool is_blocking)
{
    int flags = fcntl(fd, F_GETFL);
    if (flags < 0)
        return -errno;
    flags = is_blocking ? flags & ~O_NONBLOCK : flags | O_NONBLOCK;
    return fcntl(fd, F_SETFL, flags) < 0 ? -errno : 0;
}

int socket_unblock(int fd)
{
    return set_blocking(fd, false);
}

/* Of IPv4 in its form within IPv6. */
static bool take_host(const struct sockaddr_storage *address, struct in6_addr *ret_host)
{
    struct sockaddr_in6 six;
    struct sockaddr_in four;
    memset(ret_host, 0, sizeof *ret_host);
    if (address->ss_family == AF_INET6) {
        memcpy(&six, address, sizeof six);
        *ret_host = six.sin6_addr;
        return true;
    }
    memcpy(&four, address, sizeof four);
    ret_host->s6_addr[10] = ret_host->s6_addr[11] = 0xff;
    memcpy(&ret_host->s6_addr[12], &four.sin_addr, sizeof four.sin_addr);
    return address->ss_family == AF_INET;
}

bool socket_is_same_host(const struct sockaddr_storage *a, const struct sockaddr_storage *b)
{
    struct in6_addr one, other;
    return take_host(a, &one) && take_host(b, &other) && IN6_ARE_ADDR_EQUAL(&one, &other);
}

int socket_connect(int fd, const struct socket_place *place, int cancel_fd, uint64_t deadline_ns)
{
    struct control wait = {.fd = fd, .cancel_fd = cancel_fd};
    int error = set_blocking(fd, false), code = 0;
    socklen_t size = sizeof code;
    if (error < 0)
        return error;
    if (connect(fd, (const struct sockaddr *)&place->address, place->size) == 0)
        return 0;
    if (errno != EINPROGRESS)
        return -errno;
    error = control_wait(&wait, POLLOUT, deadline_ns);
    if (error < 0)
        return error;
    if (getsockopt(fd, SOL_SOCKET, SO_ERROR, &code, &size) < 0)
        return -errno;
    return -code;
}

static void set_number(int fd, int level, int option, int value)
{
    (void)setsockopt(fd, level, option, &value, sizeof value);
}

void socket_keep(int fd)
{
    set_number(fd, SOL_SOCKET, SO_KEEPALIVE, 1);
    set_number(fd, IPPROTO_TCP, TCP_KEEPIDLE, KEEP_ALIVE_S);
    set_number(fd, IPPROTO_TCP, TCP_KEEPINTVL, KEEP_ALIVE_S);
    set_number(fd, IPPROTO_TCP, TCP_KEEPCNT, KEEP_ALIVE_PROBES);
    set_number(fd, IPPROTO_TCP, TCP_USER_TIMEOUT, USER_TIMEOUT_MS);
}

void socket_guard(int fd)
{
    set_number(fd, IPPROTO_TCP, TCP_NODELAY, 1);
    socket_keep(fd);
}

int socket_set_patience(int fd, uint64_t ns)
{
    struct timeval patience = {.tv_sec = (time_t)(ns / CONTROL_NS_PER_S),
                               .tv_usec = (suseconds_t)(ns % CONTROL_NS_PER_S / 1000)};
    if (setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience) < 0 ||
        setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof patience) < 0)
        return -errno;
    return set_blocking(fd, true);
}

/* As far as the system's limit goes, and beyond it for root. */
static int set_buffer(int fd, int option, int forced, int bytes)
{
    if (setsockopt(fd, SOL_SOCKET, forced, &bytes, sizeof bytes) == 0)
        return 0;
    return setsockopt(fd, SOL_SOCKET, option, &bytes, sizeof bytes) < 0 ? -errno : 0;
}

int socket_set_buffers(int fd, uint32_t bytes)
{
    int size = bytes ? (int)bytes : UDP_BUFFER;
    int error = set_buffer(fd, SO_SNDBUF, SO_SNDBUFFORCE, size);
    return error < 0 ? error : set_buffer(fd, SO_RCVBUF, SO_RCVBUFFORCE, size);
}

int socket_apply(int fd, int family, const struct socket_wish *wish)
{
    int error = 0;
    if (wish->window || wish->is_udp)
        error = socket_set_buffers(fd, wish->window);
    if (error == 0 && wish->mss && !wish->is_udp) {
        int mss = (int)wish->mss;
        error = setsockopt(fd, IPPROTO_TCP, TCP_MAXSEG, &mss, sizeof mss) < 0 ? -errno : 0;
    }
    if (wish->is_nodelay && !wish->is_udp)
        set_number(fd, IPPROTO_TCP, TCP_NODELAY, 1);
    if (error == 0 && wish->tos)
        set_number(fd, family == AF_INET6 ? IPPROTO_IPV6 : IPPROTO_IP,
                   family == AF_INET6 ? IPV6_TCLASS : IP_TOS, (int)wish->tos);
    if (error == 0 && !wish->is_udp && wish->congestion && wish->congestion[0])
        error = setsockopt(fd, IPPROTO_TCP, TCP_CONGESTION, wish->congestion,
                           (socklen_t)strlen(wish->congestion)) < 0
                    ? -errno
                    : 0;
    return error;
}

void socket_congestion(int fd, char into[16])
{
    socklen_t size = 16;
    into[0] = '\0';
    if (getsockopt(fd, IPPROTO_TCP, TCP_CONGESTION, into, &size) < 0)
        into[0] = '\0';
    into[15] = '\0';
}

unsigned socket_mss(int fd)
{
    int mss = 0;
    socklen_t size = sizeof mss;
    return getsockopt(fd, IPPROTO_TCP, TCP_MAXSEG, &mss, &size) == 0 && mss > 0 ? (unsigned)mss : 0;
}

void socket_text(const struct sockaddr_storage *address, char into[SOCKET_TEXT_MAX])
{
    char name[INET6_ADDRSTRLEN] = "?";
    unsigned port = 0;
    if (address->ss_family == AF_INET) {
        const struct sockaddr_in *in = (const void *)address;
        (void)inet_ntop(AF_INET, &in->sin_addr, name, sizeof name);
        port = ntohs(in->sin_port);
    } else if (address->ss_family == AF_INET6) {
        const struct sockaddr_in6 *in = (const void *)address;
        if (IN6_IS_ADDR_V4MAPPED(&in->sin6_addr))
            (void)inet_ntop(AF_INET, &in->sin6_addr.s6_addr[12], name, sizeof name);
        else
            (void)inet_ntop(AF_INET6, &in->sin6_addr, name, sizeof name);
        port = ntohs(in->sin6_port);
    }
    (void)snprintf(into, SOCKET_TEXT_MAX, "%s port %u", name, port);
}

unsigned socket_queued(int fd)
{
    int bytes = 0;
    return ioctl(fd, SIOCOUTQ, &bytes) == 0 && bytes > 0 ? (unsigned)bytes : 0;
}

unsigned socket_unread(int fd)
{
    int bytes = 0;
    return ioctl(fd, SIOCINQ, &bytes) == 0 && bytes > 0 ? (unsigned)bytes : 0;
}
