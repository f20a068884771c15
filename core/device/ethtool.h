/* ethtool: the answers of the kernel's ethtool family (netlink), read into a link. Pure; who asks
 * is the probe. */
#ifndef DEVICE_ETHTOOL_H
#define DEVICE_ETHTOOL_H

#include <stddef.h>
#include <stdint.h>

#include "device/link.h"

/* Own names and numbers: old headers lack the family. */
enum ethtool_message {
    ETHTOOL_LINKINFO = 2,
    ETHTOOL_LINKMODES = 4,
    ETHTOOL_LINKSTATE = 6,
    ETHTOOL_PAUSE = 21,
    ETHTOOL_EEE = 23
};
enum { ETHTOOL_HEADER = 1, ETHTOOL_HEADER_INDEX = 1, ETHTOOL_HEADER_FLAGS = 3 };
#define ETHTOOL_COMPACT_BITSETS 1u

/* The attributes of the answer to a question `message`; unknown ones are passed over. */
void ethtool_take(enum ethtool_message message, const void *bytes, size_t size, struct link *link);

/* Modes as both ways of asking give them: words of 32 bits; `partner_count` 0: not told. */
void ethtool_take_modes(struct link *link, const uint32_t *supported, const uint32_t *advertised,
                        size_t count, const uint32_t *partner, size_t partner_count);
void ethtool_take_connector(struct link *link, uint64_t port);
void ethtool_take_duplex(struct link *link, uint64_t duplex);

#endif
