/* link: what is known of a network port: what is read of it, how that travels from the probe to the
 * owner, what a person should know before a test. Pure but for link_read_files. */
#ifndef DEVICE_LINK_H
#define DEVICE_LINK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct str;
struct frame;

enum link_claim { LINK_UNKNOWN, LINK_NO, LINK_YES };

enum link_counter {
    LINK_RX_BYTES,
    LINK_TX_BYTES,
    LINK_RX_PACKETS,
    LINK_TX_PACKETS,
    LINK_RX_ERRORS,
    LINK_TX_ERRORS,
    LINK_RX_DROPPED,
    LINK_TX_DROPPED,
    LINK_COLLISIONS,
    LINK_RX_CRC_ERRORS,
    LINK_RX_FIFO_ERRORS,
    LINK_RX_MISSED_ERRORS,
    LINK_COUNTERS
};
const char *link_counter_name(enum link_counter counter); /* as below statistics/ in sysfs */

struct link {       /* 0 and NULL: unknown. Texts are owned and clean. */
    uint64_t index; /* the key: names change, indexes never come again */
    uint64_t mtu, carrier_changes;
    uint64_t speed_mbps;              /* negotiated; unknown without a carrier */
    uint64_t capable_mbps;            /* the most it supports */
    uint64_t offered_mbps;            /* the most it offers; less when somebody limited it */
    uint64_t partner_mbps;            /* the most its partner offers */
    uint64_t common_mbps;             /* the most both offer */
    uint64_t tree_mbps;               /* the device tree's max-speed */
    uint64_t phy_address, quality;    /* of the PHY: address + 1; SQI + 1 */
    uint64_t counters[LINK_COUNTERS]; /* valid when `counted` */
    enum link_claim carrier, up, autoneg, counted;
    enum link_claim pause_autoneg, pause_rx, pause_tx, eee_enabled, eee_active;
    char *mac, *operstate, *duplex;         /* duplex: "full", "half" */
    char *addresses;                        /* "192.168.0.2/24 fe80::1/64"; "": none */
    char *supported, *advertised, *partner; /* names of link modes, blanks between them */
    char *connector;                        /* "twisted pair", "MII", "fibre" */
    char *reason;                           /* why there is no link: "no cable" */
    char *driver, *firmware, *bus;          /* "r8152", …, "usb" */
    char *phy, *phy_mode, *phy_delays;      /* "Realtek RTL8211F", "rgmii-id", who delays what */
    char *nature;                           /* why it is hidden: "a bridge" */
    char *kernel_error;                     /* last the kernel said of its PHY */
    char *twin;                             /* id of another port in the same subnet */
    char *source;                           /* of speed and duplex: "netlink", "ioctl", "sysfs" */
};

void link_done(struct link *link);

/* Adds what is known as pairs of a row: the probe's answer. */
void link_add_pairs(const struct link *link, struct str *row);
/* What the row knows replaces what `link` knew; bad values are left out. -EINVAL without an index.
 */
int link_take_row(struct link *link, const struct frame *row);
/* What `from` knows replaces what `link` knew. */
void link_merge(struct link *link, const struct link *from);

/* Carrier, state, speed, duplex and counters from the port's folder in sysfs. Takes the kernel's
 * rtnl lock: never in the screen's process, except of a recorded tree. */
void link_read_files(const char *folder, struct link *link);

/* Rules that hold wherever the facts come from: some drivers keep an old speed without a carrier;
 * what they do not know they give as -1 or 65535. */
void link_settle(struct link *link);
void link_set(char **text, const char *value); /* replaces it by a clean copy; NULL: unknown */

/* One line of the kernel log, without its time; kept when it tells that the PHY of the port `name`,
 * of the device `parent` ("" none), was not found. */
void link_take_line(struct link *link, const char *name, const char *parent, const char *line);

/* "1000 full", "no carrier", "down", "up, speed ?"; nothing while nothing is known. */
void link_mode(const struct link *link, struct str *into);
bool link_is_idle(const struct link *link); /* it cannot carry a test now: down, or no carrier */
void link_first_address(const struct link *link, struct str *into); /* without its prefix; or "" */
/* What to know before a test, parts divided by two blanks; "" when there is nothing to say. */
void link_remark(const struct link *link, struct str *into);

/* Are two ports in one subnet, by their lists of addresses (link-local ones aside)? */
bool link_shares_subnet(const char *addresses, const char *others);

#endif
