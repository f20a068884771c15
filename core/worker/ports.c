#include "worker/ports.h"

#include <errno.h>
#include <fcntl.h>
#include <net/if.h>
#include <net/if_arp.h>
#include <netlink/netlink.h>
#include <netlink/route/addr.h>
#include <netlink/route/link.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/str.h"
#include "device/kmsg.h"
#include "device/sysfs.h"
#include "worker/row.h"

#define LOG_RECORDS_MAX 100000
#define LOG_RECORD_BYTES 8192
#define ADDRESSES_BYTES_MAX 1024 /* of one port; more are not told */
#define ADDRESS_BYTES 64

static bool is_off(const char *switch_name)
{
    const char *value = getenv(switch_name);
    return value && strcmp(value, "1") == 0;
}

struct port *ports_add(struct port_list *list, uint64_t index, const char *name)
{
    if (list->count == PORTS_MAX || index == 0 || !name ||
        strlen(name) >= sizeof(list->ports->name))
        return NULL;
    list->ports = mem_grow(list->ports, list->count + 1, sizeof *list->ports);
    struct port *port = &list->ports[list->count++];
    *port = (struct port){.link = {.index = index}};
    memcpy(port->name, name, strlen(name) + 1);
    return port;
}

struct port *ports_find(struct port_list *list, uint64_t index)
{
    for (size_t i = 0; i < list->count; i++)
        if (list->ports[i].link.index == index)
            return &list->ports[i];
    return NULL;
}

void ports_done(struct port_list *list)
{
    for (size_t i = 0; i < list->count; i++)
        link_done(&list->ports[i].link);
    free(list->ports);
    *list = (struct port_list){0};
}

void ports_add_address(struct link *link, const char *address)
{
    struct str all AUTO(str_done) = {0};
    if (link->addresses)
        str_add(&all, link->addresses);
    if (all.size + strlen(address) + 1 > ADDRESSES_BYTES_MAX)
        return;
    if (address[0])
        str_addf(&all, "%s%s", all.size ? " " : "", address);
    link_set(&link->addresses, str_text(&all));
}

/* ---- rtnetlink */

static void socket_free(struct nl_sock **socket)
{
    nl_socket_free(*socket);
}

static void cache_free(struct nl_cache **cache)
{
    nl_cache_free(*cache);
}

static void read_counters(struct rtnl_link *from, struct link *link)
{
    static const rtnl_link_stat_id_t ids[LINK_COUNTERS] = {
        [LINK_RX_BYTES] = RTNL_LINK_RX_BYTES,
        [LINK_TX_BYTES] = RTNL_LINK_TX_BYTES,
        [LINK_RX_PACKETS] = RTNL_LINK_RX_PACKETS,
        [LINK_TX_PACKETS] = RTNL_LINK_TX_PACKETS,
        [LINK_RX_ERRORS] = RTNL_LINK_RX_ERRORS,
        [LINK_TX_ERRORS] = RTNL_LINK_TX_ERRORS,
        [LINK_RX_DROPPED] = RTNL_LINK_RX_DROPPED,
        [LINK_TX_DROPPED] = RTNL_LINK_TX_DROPPED,
        [LINK_COLLISIONS] = RTNL_LINK_COLLISIONS,
        [LINK_RX_CRC_ERRORS] = RTNL_LINK_RX_CRC_ERR,
        [LINK_RX_FIFO_ERRORS] = RTNL_LINK_RX_FIFO_ERR,
        [LINK_RX_MISSED_ERRORS] = RTNL_LINK_RX_MISSED_ERR,
    };
    for (size_t i = 0; i < LINK_COUNTERS; i++)
        link->counters[i] = rtnl_link_get_stat(from, ids[i]);
    link->counted = LINK_YES;
}

static void take_link(struct nl_object *object, void *user)
{
    struct rtnl_link *from = (struct rtnl_link *)object;
    char text[ADDRESS_BYTES];
    int index = rtnl_link_get_ifindex(from);
    struct port *port = ports_add(user, index > 0 ? (uint64_t)index : 0, rtnl_link_get_name(from));
    if (!port)
        return;
    struct link *link = &port->link;
    struct nl_addr *mac = rtnl_link_get_addr(from);
    port->is_ether = rtnl_link_get_arptype(from) == ARPHRD_ETHER;
    link->up = rtnl_link_get_flags(from) & IFF_UP ? LINK_YES : LINK_NO;
    link->carrier = rtnl_link_get_carrier(from) ? LINK_YES : LINK_NO;
    link->mtu = rtnl_link_get_mtu(from);
    uint32_t changes = 0;
    if (rtnl_link_get_carrier_changes(from, &changes) == 0)
        link->carrier_changes = changes;
    link_set(&link->operstate,
             rtnl_link_operstate2str(rtnl_link_get_operstate(from), text, sizeof text));
    if (mac && port->is_ether)
        link_set(&link->mac, nl_addr2str(mac, text, sizeof text));
    read_counters(from, link);
    ports_add_address(link, ""); /* none so far, and all will be told */
}

static void take_address(struct nl_object *object, void *user)
{
    struct rtnl_addr *from = (struct rtnl_addr *)object;
    int index = rtnl_addr_get_ifindex(from);
    struct port *port = index > 0 ? ports_find(user, (uint64_t)index) : NULL;
    struct nl_addr *local = rtnl_addr_get_local(from);
    char text[ADDRESS_BYTES], whole[ADDRESS_BYTES + 8];
    if (!port || !local)
        return;
    (void)nl_addr2str(local, text, sizeof text);
    /* libnl leaves the prefix of a single host out. */
    (void)snprintf(whole, sizeof whole, strchr(text, '/') ? "%s" : "%s/%d", text,
                   rtnl_addr_get_prefixlen(from));
    ports_add_address(&port->link, whole);
}

int ports_dump(struct port_list *list)
{
    if (is_off("IODYNO_NO_RTNETLINK"))
        return -EOPNOTSUPP;
    AUTO(socket_free) struct nl_sock *socket = nl_socket_alloc();
    AUTO(cache_free) struct nl_cache *links = NULL, *addresses = NULL;
    if (!socket || nl_connect(socket, NETLINK_ROUTE) < 0)
        return -EIO;
    if (rtnl_link_alloc_cache(socket, AF_UNSPEC, &links) < 0 ||
        rtnl_addr_alloc_cache(socket, &addresses) < 0)
        return -EIO;
    nl_cache_foreach(links, take_link, list);
    nl_cache_foreach(addresses, take_address, list);
    return 0;
}

/* ---- all of it */

static bool is_hardware(const struct port *port)
{
    struct str path AUTO(str_done) = {0};
    str_addf(&path, "/sys/class/net/%s", port->name);
    return sysfs_has(path.text, "device");
}

/* A port that works needs no excuse; reading the whole log takes a while. */
static bool needs_log(const struct port_list *list)
{
    for (size_t i = 0; i < list->count; i++)
        if (list->ports[i].is_ether && list->ports[i].link.carrier != LINK_YES &&
            is_hardware(&list->ports[i]))
            return true;
    return false;
}

static void take_line(struct port_list *list, const char *line)
{
    for (size_t i = 0; i < list->count; i++) {
        struct port *port = &list->ports[i];
        struct str path AUTO(str_done) = {0};
        AUTO_FREE char *folder = NULL;
        if (!port->is_ether || port->link.carrier == LINK_YES || !is_hardware(port))
            continue;
        str_addf(&path, "/sys/class/net/%s/device", port->name);
        (void)sysfs_resolve("", path.text, &folder);
        link_take_line(&port->link, port->name, folder ? sysfs_base(folder) : "", line);
    }
}

static void read_log(struct port_list *list)
{
    AUTO_CLOSE int fd = open("/dev/kmsg", O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    struct str line AUTO(str_done) = {0};
    for (unsigned count = 0; fd >= 0 && count < LOG_RECORDS_MAX; count++) {
        char record[LOG_RECORD_BYTES];
        unsigned level;
        ssize_t size = read(fd, record, sizeof record);
        if (size < 0 && (errno == EPIPE || errno == EINTR)) /* some were overwritten meanwhile */
            continue;
        if (size <= 0)
            return;
        str_clear(&line);
        if (kmsg_parse(record, (size_t)size, &level, &line) == 0 &&
            (strcasestr(str_text(&line), "phy") || strcasestr(str_text(&line), "mdio")))
            take_line(list, str_text(&line));
    }
}

static void read_sysfs(struct port *port)
{
    struct str path AUTO(str_done) = {0};
    struct link facts = {.up = port->link.up};
    str_addf(&path, "/sys/class/net/%s", port->name);
    link_read_files(path.text, &facts);
    link_merge(&port->link, &facts);
    link_done(&facts);
}

static void ask_speeds(struct port_list *list)
{
    struct ethtool_ask *ask = is_off("IODYNO_NO_ETHTOOL_NETLINK") ? NULL : ethtool_ask_new();
    AUTO_CLOSE int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    for (size_t i = 0; i < list->count; i++) {
        struct port *port = &list->ports[i];
        if (!port->is_ether)
            continue;
        int rc = ask ? ethtool_ask(ask, &port->link) : -EOPNOTSUPP;
        if (!is_off("IODYNO_NO_ETHTOOL_IOCTL") && fd >= 0) {
            int ioctl_rc = ethtool_ioctl(fd, port->name, &port->link);
            rc = rc < 0 ? ioctl_rc : rc;
        }
        if (rc < 0)
            read_sysfs(port);
        link_settle(&port->link);
    }
    ethtool_ask_free(ask);
}

int ports_send(void)
{
    AUTO(ports_done) struct port_list list = {0};
    int rc = ports_dump(&list);
    if (rc < 0)
        rc = ports_dump_plain(&list);
    if (rc < 0)
        return rc;
    ask_speeds(&list);
    if (needs_log(&list))
        read_log(&list);
    for (size_t i = 0; i < list.count && rc == 0; i++) {
        struct str row AUTO(str_done) = {0};
        str_add_pair(&row, "port", list.ports[i].name);
        link_add_pairs(&list.ports[i].link, &row);
        rc = row_send(&row);
    }
    return rc < 0 ? rc : (int)list.count;
}
