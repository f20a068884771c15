#include "device/ethtool.h"

#include <stdbool.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/str.h"
#include "device/linkmode.h"
#include "device/netattr.h"

enum { LINKINFO_PORT = 2, LINKINFO_PHY_ADDRESS = 3 };
enum { MODES_AUTONEG = 2, MODES_OURS, MODES_PEER, MODES_SPEED, MODES_DUPLEX };
enum { STATE_LINK = 2, STATE_QUALITY = 3, STATE_REASON = 5 };
enum { PAUSE_AUTONEG = 2, PAUSE_RX, PAUSE_TX };
enum { EEE_ACTIVE = 4, EEE_ENABLED = 5 };
enum { BITSET_VALUE = 4, BITSET_MASK = 5 };

static const char *const connectors[] = {"twisted pair", "AUI", "MII",
                                         "fibre",        "BNC", "direct attach"};
static const char *const reasons[] = {"negotiation failed",
                                      "link training failed",
                                      "the two ends do not match",
                                      "bad signal",
                                      "no cable",
                                      "trouble with the cable",
                                      "trouble with the module's memory",
                                      "calibration failed",
                                      "power budget exceeded",
                                      "too hot",
                                      "trouble with the module"};

static enum link_claim claim(uint64_t value)
{
    return value ? LINK_YES : LINK_NO;
}

void ethtool_take_connector(struct link *link, uint64_t port)
{
    if (port < ARRAY_SIZE(connectors))
        link_set(&link->connector, connectors[port]);
}

void ethtool_take_duplex(struct link *link, uint64_t duplex)
{
    link_set(&link->duplex, duplex == 0 ? "half" : duplex == 1 ? "full" : NULL);
}

static void set_modes(char **text, const uint32_t *words, size_t count)
{
    AUTO(str_done) struct str names = {0};
    linkmode_names(words, count, &names);
    link_set(text, names.size > 0 ? names.text : NULL);
}

void ethtool_take_modes(struct link *link, const uint32_t *supported, const uint32_t *advertised,
                        size_t count, const uint32_t *partner, size_t partner_count)
{
    set_modes(&link->supported, supported, count);
    set_modes(&link->advertised, advertised, count);
    link->capable_mbps = linkmode_most(supported, count);
    link->offered_mbps = linkmode_most(advertised, count);
    link->common_mbps = linkmode_most_common(advertised, count, partner, partner_count);
    link->partner_mbps = linkmode_most(partner, partner_count);
    set_modes(&link->partner, partner, partner_count);
}

/* The words of a compact bitset; how many there are. */
static size_t words_of(const struct netattr *bitset, unsigned type,
                       uint32_t words[LINKMODE_WORDS_MAX])
{
    struct netattr attr;
    memset(words, 0, LINKMODE_WORDS_MAX * sizeof *words);
    if (!netattr_find(bitset->bytes, bitset->size, type, &attr))
        return 0;
    size_t count = attr.size / sizeof *words;
    count = count < LINKMODE_WORDS_MAX ? count : LINKMODE_WORDS_MAX;
    memcpy(words, attr.bytes, count * sizeof *words);
    return count;
}

static void take_modes(const void *bytes, size_t size, struct link *link)
{
    struct netattr attr;
    uint32_t supported[LINKMODE_WORDS_MAX] = {0}, advertised[LINKMODE_WORDS_MAX] = {0},
             partner[LINKMODE_WORDS_MAX] = {0};
    size_t count = 0, partner_count = 0;
    if (netattr_find(bytes, size, MODES_OURS, &attr)) {
        count = words_of(&attr, BITSET_MASK, supported);
        size_t values = words_of(&attr, BITSET_VALUE, advertised);
        count = count > values ? count : values;
    }
    if (netattr_find(bytes, size, MODES_PEER, &attr))
        partner_count = words_of(&attr, BITSET_VALUE, partner);
    ethtool_take_modes(link, supported, advertised, count, partner, partner_count);
    if (netattr_find(bytes, size, MODES_AUTONEG, &attr))
        link->autoneg = claim(netattr_number(&attr));
    if (netattr_find(bytes, size, MODES_SPEED, &attr))
        link->speed_mbps = netattr_number(&attr);
    if (netattr_find(bytes, size, MODES_DUPLEX, &attr))
        ethtool_take_duplex(link, netattr_number(&attr));
    link_set(&link->source, "netlink");
}

static void take_state(const void *bytes, size_t size, struct link *link)
{
    struct netattr attr;
    if (netattr_find(bytes, size, STATE_LINK, &attr))
        link->carrier = claim(netattr_number(&attr));
    if (netattr_find(bytes, size, STATE_QUALITY, &attr))
        link->quality = netattr_number(&attr) + 1;
    if (netattr_find(bytes, size, STATE_REASON, &attr) &&
        netattr_number(&attr) < ARRAY_SIZE(reasons))
        link_set(&link->reason, reasons[netattr_number(&attr)]);
}

static void take_info(const void *bytes, size_t size, struct link *link)
{
    struct netattr attr;
    if (netattr_find(bytes, size, LINKINFO_PORT, &attr))
        ethtool_take_connector(link, netattr_number(&attr));
    if (netattr_find(bytes, size, LINKINFO_PHY_ADDRESS, &attr) && link->connector &&
        strcmp(link->connector, "twisted pair") == 0)
        link->phy_address = netattr_number(&attr) + 1;
}

static void take_pause(const void *bytes, size_t size, struct link *link)
{
    struct netattr attr;
    if (netattr_find(bytes, size, PAUSE_AUTONEG, &attr))
        link->pause_autoneg = claim(netattr_number(&attr));
    if (netattr_find(bytes, size, PAUSE_RX, &attr))
        link->pause_rx = claim(netattr_number(&attr));
    if (netattr_find(bytes, size, PAUSE_TX, &attr))
        link->pause_tx = claim(netattr_number(&attr));
}

static void take_eee(const void *bytes, size_t size, struct link *link)
{
    struct netattr attr;
    if (netattr_find(bytes, size, EEE_ACTIVE, &attr))
        link->eee_active = claim(netattr_number(&attr));
    if (netattr_find(bytes, size, EEE_ENABLED, &attr))
        link->eee_enabled = claim(netattr_number(&attr));
}

void ethtool_take(enum ethtool_message message, const void *bytes, size_t size, struct link *link)
{
    static const struct {
        enum ethtool_message message;
        void (*fn)(const void *bytes, size_t size, struct link *link);
    } readers[] = {
        {ETHTOOL_LINKINFO, take_info},   {ETHTOOL_LINKMODES, take_modes},
        {ETHTOOL_LINKSTATE, take_state}, {ETHTOOL_PAUSE, take_pause},
        {ETHTOOL_EEE, take_eee},
    };
    for (size_t i = 0; i < ARRAY_SIZE(readers); i++)
        if (readers[i].message == message)
            readers[i].fn(bytes, size, link);
    link_settle(link);
}
