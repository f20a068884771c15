#include <arpa/inet.h>
#include <errno.h>
#include <net/if.h>
#include <net/if_arp.h>
#include <netinet/in.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

#include "base/cleanup.h"
#include "base/str.h"
#include "base/units.h"
#include "device/sysfs.h"
#include "worker/ports.h"

#define INET6_BYTES_MAX 65536
#define INET6_FIELDS 6
#define HEX_DIGITS 32

static void take_inet(int fd, struct port *port)
{
    struct ifreq request = {.ifr_flags = 0};
    char address[INET_ADDRSTRLEN], whole[INET_ADDRSTRLEN + 4];
    struct sockaddr_in inet;
    unsigned prefix = 0;
    memcpy(request.ifr_name, port->name, sizeof port->name);
    if (ioctl(fd, SIOCGIFADDR, &request) < 0)
        return;
    memcpy(&inet, &request.ifr_addr, sizeof inet);
    if (inet.sin_family != AF_INET ||
        !inet_ntop(AF_INET, &inet.sin_addr, address, sizeof address) ||
        ioctl(fd, SIOCGIFNETMASK, &request) < 0)
        return;
    memcpy(&inet, &request.ifr_netmask, sizeof inet);
    for (uint32_t mask = ntohl(inet.sin_addr.s_addr); mask; mask <<= 1)
        prefix++;
    (void)snprintf(whole, sizeof whole, "%s/%u", address, prefix);
    ports_add_address(&port->link, whole);
}

/* "fe80…: 02 40 20 80 eth0": address, index, prefix, scope, flags in hexadecimal, name. */
static void take_inet6_line(const char *line, struct port_list *list)
{
    char hex[HEX_DIGITS + 1], name[IF_NAMESIZE], text[INET6_ADDRSTRLEN], whole[64];
    unsigned index, prefix, scope, flags;
    unsigned char bytes[HEX_DIGITS / 2];
    if (sscanf(line, "%32[0-9a-f] %x %x %x %x %15s", hex, &index, &prefix, &scope, &flags, name) !=
            INET6_FIELDS ||
        strlen(hex) != HEX_DIGITS || prefix > 128)
        return;
    for (size_t i = 0; i < sizeof bytes; i++) {
        static const char digits[] = "0123456789abcdef";
        bytes[i] = (unsigned char)((strchr(digits, hex[2 * i]) - digits) << 4 |
                                   (strchr(digits, hex[2 * i + 1]) - digits));
    }
    struct port *port = ports_find(list, index);
    if (!port || !inet_ntop(AF_INET6, bytes, text, sizeof text))
        return;
    (void)snprintf(whole, sizeof whole, "%s/%u", text, prefix);
    ports_add_address(&port->link, whole);
}

static void take_inet6(struct port_list *list)
{
    struct str text AUTO(str_done) = {0}, line AUTO(str_done) = {0};
    if (file_read("/proc/self/net/if_inet6", INET6_BYTES_MAX, &text) < 0)
        return;
    for (const char *at = str_text(&text); *at;) {
        size_t size = strcspn(at, "\n");
        str_clear(&line);
        str_add_bytes(&line, at, size);
        take_inet6_line(str_text(&line), list);
        at += size + (at[size] != '\0');
    }
}

static void take_port(const char *class, const char *name, int fd, struct port_list *list)
{
    struct str folder AUTO(str_done) = {0};
    uint64_t index = 0, hardware = 0;
    struct ifreq request = {.ifr_flags = 0};
    str_addf(&folder, "%s/%s", class, name);
    if (strlen(name) >= IF_NAMESIZE || sysfs_number(folder.text, "ifindex", &index) < 0)
        return;
    struct port *port = ports_add(list, index, name);
    if (!port)
        return;
    memcpy(request.ifr_name, name, strlen(name) + 1);
    if (ioctl(fd, SIOCGIFFLAGS, &request) == 0)
        port->link.up = request.ifr_flags & IFF_UP ? LINK_YES : LINK_NO;
    port->is_ether = sysfs_number(folder.text, "type", &hardware) == 0 && hardware == ARPHRD_ETHER;
    link_read_files(folder.text, &port->link);
    ports_add_address(&port->link, "");
    take_inet(fd, port);
}

int ports_dump_plain(struct port_list *list)
{
    static const char class[] = "/sys/class/net";
    AUTO_CLOSE int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    char **names = NULL;
    int rc = fd < 0 ? -errno : sysfs_list(class, &names);
    if (rc < 0)
        return rc;
    for (char **name = names; *name; name++)
        take_port(class, *name, fd, list);
    sysfs_list_free(names);
    take_inet6(list);
    return 0;
}
