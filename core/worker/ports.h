/* ports: asks the kernel for what is to be known of its network ports. Takes the rtnl lock, so it
 * may block as long as others hold that. */
#ifndef WORKER_PORTS_H
#define WORKER_PORTS_H

#include "device/link.h"

#define PORTS_MAX 4096

struct port { /* one of the list while it is put together */
    char name[16];
    bool is_ether; /* worth asking for speed and modes */
    struct link link;
};
struct port_list { /* {0}: empty */
    struct port *ports;
    size_t count;
};
struct port *ports_add(struct port_list *list, uint64_t index, const char *name); /* NULL: full */
struct port *ports_find(struct port_list *list, uint64_t index);                  /* or NULL */
void ports_done(struct port_list *list);
void ports_add_address(struct link *link, const char *address);

/* Fills the list by two dumps of rtnetlink; IODYNO_NO_RTNETLINK=1 forces the other way. */
int ports_dump(struct port_list *list);
/* The same from sysfs, procfs and ioctl, for kernels and containers without. */
int ports_dump_plain(struct port_list *list);

/* Speed, duplex, modes and more of one port: by the kernel's ethtool family (Linux 5.6), else by
 * ioctl, else as sysfs has it. IODYNO_NO_ETHTOOL_NETLINK=1 and IODYNO_NO_ETHTOOL_IOCTL=1 force the
 * next way. */
struct ethtool_ask;
struct ethtool_ask *ethtool_ask_new(void); /* NULL: no such family */
struct ethtool_ask *ethtool_ask_free(struct ethtool_ask *ask);
int ethtool_ask(struct ethtool_ask *ask, struct link *link);    /* by its index */
int ethtool_ioctl(int fd, const char *name, struct link *link); /* any socket */

/* Sends a row for each port; their number, or negative errno. */
int ports_send(void);

#endif
