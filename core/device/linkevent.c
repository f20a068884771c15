#include "device/linkevent.h"

#include <errno.h>
#include <linux/if_addr.h>
#include <linux/if_link.h>
#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <net/if.h>
#include <string.h>
#include <sys/socket.h>

#include "base/cleanup.h"
#include "device/netattr.h"

#define PACKET_BYTES_MAX 32768
#define BUFFER_BYTES (1 << 20)
#define FLAG_LOWER_UP 0x10000u /* IFF_LOWER_UP, which <net/if.h> does not name */

static enum link_claim claim(bool is_so)
{
    return is_so ? LINK_YES : LINK_NO;
}

static void take_link(const uint8_t *body, size_t size, bool is_gone, linkevent_fn fn, void *user)
{
    struct ifinfomsg about;
    struct netattr attr;
    if (size < sizeof about)
        return;
    memcpy(&about, body, sizeof about);
    if (about.ifi_family != AF_UNSPEC) /* a bridge tells of its ports, which are still there */
        return;
    struct linkevent event = {.kind = is_gone ? LINKEVENT_GONE : LINKEVENT_LINK,
                              .index = about.ifi_index > 0 ? (uint64_t)about.ifi_index : 0,
                              .up = claim(about.ifi_flags & IFF_UP),
                              .carrier = claim(about.ifi_flags & FLAG_LOWER_UP)};
    const uint8_t *rest = body + sizeof about;
    size_t left = size - sizeof about;
    if (netattr_find(rest, left, IFLA_CARRIER, &attr))
        event.carrier = claim(netattr_number(&attr));
    const char *name = netattr_find(rest, left, IFLA_IFNAME, &attr) ? netattr_text(&attr) : NULL;
    if (name && strlen(name) < sizeof event.name)
        memcpy(event.name, name, strlen(name) + 1);
    if (event.index > 0)
        fn(user, &event);
}

static void take_address(const uint8_t *body, size_t size, linkevent_fn fn, void *user)
{
    struct ifaddrmsg about;
    if (size < sizeof about)
        return;
    memcpy(&about, body, sizeof about);
    const struct linkevent event = {.kind = LINKEVENT_ADDRESS, .index = about.ifa_index};
    fn(user, &event);
}

void linkevent_parse(const void *bytes, size_t size, linkevent_fn fn, void *user)
{
    const uint8_t *all = bytes;
    struct nlmsghdr head;
    for (size_t at = 0; at < size && size - at >= sizeof head;) {
        memcpy(&head, all + at, sizeof head);
        if (head.nlmsg_len < sizeof head || head.nlmsg_len > size - at)
            return;
        const uint8_t *body = all + at + sizeof head;
        size_t body_size = head.nlmsg_len - sizeof head;
        if (head.nlmsg_type == RTM_NEWLINK || head.nlmsg_type == RTM_DELLINK)
            take_link(body, body_size, head.nlmsg_type == RTM_DELLINK, fn, user);
        else if (head.nlmsg_type == RTM_NEWADDR || head.nlmsg_type == RTM_DELADDR)
            take_address(body, body_size, fn, user);
        at += (head.nlmsg_len + (size_t)NLMSG_ALIGNTO - 1) & ~((size_t)NLMSG_ALIGNTO - 1);
    }
}

int linkevent_open(int *ret_fd)
{
    AUTO_CLOSE int fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC | SOCK_NONBLOCK, NETLINK_ROUTE);
    if (fd < 0)
        return -errno;
    int bytes = BUFFER_BYTES;
    if (setsockopt(fd, SOL_SOCKET, SO_RCVBUFFORCE, &bytes, sizeof bytes) < 0)
        (void)setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &bytes, sizeof bytes);
    const struct sockaddr_nl address = {.nl_family = AF_NETLINK,
                                        .nl_groups =
                                            RTMGRP_LINK | RTMGRP_IPV4_IFADDR | RTMGRP_IPV6_IFADDR};
    if (bind(fd, (const struct sockaddr *)&address, sizeof address) < 0)
        return -errno;
    *ret_fd = take_fd(&fd);
    return 0;
}

static void tell_lost(linkevent_fn fn, void *user)
{
    const struct linkevent lost = {.kind = LINKEVENT_LOST};
    fn(user, &lost);
}

/* One packet: 1 taken, 0 none waits, negative errno. */
static int take_one(int fd, linkevent_fn fn, void *user)
{
    _Alignas(struct nlmsghdr) uint8_t bytes[PACKET_BYTES_MAX];
    struct sockaddr_nl sender = {.nl_pid = 1};
    struct iovec piece = {bytes, sizeof bytes};
    struct msghdr message = {
        .msg_name = &sender, .msg_namelen = sizeof sender, .msg_iov = &piece, .msg_iovlen = 1};
    ssize_t size = recvmsg(fd, &message, MSG_DONTWAIT);
    if (size < 0 && errno == ENOBUFS) {
        tell_lost(fn, user);
        return 1;
    }
    if (size < 0)
        return errno == EAGAIN || errno == EINTR ? 0 : -errno;
    /* Other programs may send to the group; only the kernel's port is 0. */
    if (message.msg_namelen != sizeof sender || sender.nl_pid != 0)
        return 1;
    if (message.msg_flags & MSG_TRUNC)
        tell_lost(fn, user);
    else
        linkevent_parse(bytes, (size_t)size, fn, user);
    return 1;
}

int linkevent_take(int fd, unsigned most, linkevent_fn fn, void *user)
{
    int rc = 1;
    for (unsigned i = 0; i < most && rc == 1; i++)
        rc = take_one(fd, fn, user);
    return rc < 0 ? rc : 0;
}
