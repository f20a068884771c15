#include "own.h"

#include <common/cleanup.h>
#include <errno.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <string.h>

static bool is_same(const struct sockaddr *a, const struct sockaddr_storage *b)
{
    if (!a || a->sa_family != b->ss_family)
        return false;
    if (a->sa_family == AF_INET) {
        struct sockaddr_in mine, other;
        memcpy(&mine, a, sizeof mine);
        memcpy(&other, b, sizeof other);
        return mine.sin_addr.s_addr == other.sin_addr.s_addr;
    }
    if (a->sa_family == AF_INET6) {
        struct sockaddr_in6 mine, other;
        memcpy(&mine, a, sizeof mine);
        memcpy(&other, b, sizeof other);
        return memcmp(&mine.sin6_addr, &other.sin6_addr, sizeof mine.sin6_addr) == 0;
    }
    return false;
}

/* The whole 127.0.0.0/8 is ours, though only one of it stands on a port. */
static bool is_loopback(const struct sockaddr_storage *address)
{
    struct sockaddr_in four;
    memcpy(&four, address, sizeof four);
    return address->ss_family == AF_INET && ntohl(four.sin_addr.s_addr) >> 24 == 127;
}

bool own_has(const struct sockaddr_storage *address)
{
    struct ifaddrs *all = NULL;
    bool is_own = is_loopback(address);
    if (getifaddrs(&all) < 0)
        return is_own;
    for (const struct ifaddrs *at = all; at && !is_own; at = at->ifa_next)
        is_own = is_same(at->ifa_addr, address);
    freeifaddrs(all);
    return is_own;
}

/* Until it is known that no other host has it an address cannot be used. */
static bool is_usable(const struct sockaddr_in6 *address)
{
    AUTO_CLOSE int fd = socket(AF_INET6, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    struct sockaddr_in6 any_port = *address;
    any_port.sin6_port = 0;
    return fd >= 0 && bind(fd, (const struct sockaddr *)&any_port, sizeof any_port) == 0;
}

int own_link_local(const char *port, struct sockaddr_in6 *ret_address)
{
    struct ifaddrs *all = NULL;
    int error = -ENOENT;
    if (getifaddrs(&all) < 0)
        return -errno;
    for (const struct ifaddrs *at = all; at && error < 0; at = at->ifa_next) {
        struct sockaddr_in6 address;
        if (strcmp(at->ifa_name, port) != 0)
            continue;
        error = at->ifa_flags & IFF_UP ? -EADDRNOTAVAIL : -ENETDOWN;
        if (!at->ifa_addr || at->ifa_addr->sa_family != AF_INET6)
            continue;
        memcpy(&address, at->ifa_addr, sizeof address);
        if (!IN6_IS_ADDR_LINKLOCAL(&address.sin6_addr) || !is_usable(&address))
            continue;
        *ret_address = address;
        error = 0;
    }
    freeifaddrs(all);
    return error;
}
