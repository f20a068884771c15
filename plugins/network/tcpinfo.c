#include "tcpinfo.h"

#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <string.h>
#include <sys/socket.h>

_Static_assert(offsetof(struct tcpinfo_raw, total_retrans) == 100, "linux/tcp.h");
_Static_assert(offsetof(struct tcpinfo_raw, busy_time) == 168, "linux/tcp.h");
_Static_assert(offsetof(struct tcpinfo_raw, rcv_ooopack) == 224, "linux/tcp.h");
_Static_assert(offsetof(struct tcpinfo_raw, total_rto_time) == 244, "linux/tcp.h");

#define APP_LIMITED 1 /* lowest bit of the byte after the window scales */

void tcpinfo_take(const void *bytes, size_t size, struct tcpinfo *ret_info)
{
    if (size > sizeof ret_info->raw)
        size = sizeof ret_info->raw;
    memset(ret_info, 0, sizeof *ret_info);
    memcpy(&ret_info->raw, bytes, size);
    ret_info->known = (uint32_t)size;
}

int tcpinfo_read(int fd, struct tcpinfo *ret_info)
{
    unsigned char bytes[512];
    socklen_t size = sizeof bytes;
    if (getsockopt(fd, IPPROTO_TCP, TCP_INFO, bytes, &size) < 0)
        return -errno;
    tcpinfo_take(bytes, size, ret_info);
    return 0;
}

bool tcpinfo_is_app_limited(const struct tcpinfo *info)
{
    /* C bit fields are laid out by the byte order */
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    return (info->raw.flags & 0x80) != 0;
#else
    return (info->raw.flags & APP_LIMITED) != 0;
#endif
}

uint64_t tcpinfo_acked(const struct tcpinfo *info)
{
    return info->raw.bytes_acked > 0 ? info->raw.bytes_acked - 1 : 0;
}
