#include "device/link.h"

#include <arpa/inet.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/str.h"
#include "base/units.h"
#include "device/sysfs.h"
#include "wire/frame.h"

#define SPEED_MOST_MBPS 10000000 /* above it stands for "unknown": -1 as a number without sign */
#define SPEED_NONE_MBPS 65535    /* the same in 16 bits */
#define LINE_BYTES_MAX 160

static const char *const counters[LINK_COUNTERS] = {
    [LINK_RX_BYTES] = "rx_bytes",
    [LINK_TX_BYTES] = "tx_bytes",
    [LINK_RX_PACKETS] = "rx_packets",
    [LINK_TX_PACKETS] = "tx_packets",
    [LINK_RX_ERRORS] = "rx_errors",
    [LINK_TX_ERRORS] = "tx_errors",
    [LINK_RX_DROPPED] = "rx_dropped",
    [LINK_TX_DROPPED] = "tx_dropped",
    [LINK_COLLISIONS] = "collisions",
    [LINK_RX_CRC_ERRORS] = "rx_crc_errors",
    [LINK_RX_FIFO_ERRORS] = "rx_fifo_errors",
    [LINK_RX_MISSED_ERRORS] = "rx_missed_errors",
};

enum field_kind { FIELD_NUMBER, FIELD_CLAIM, FIELD_TEXT };

/* All that travels, and all that has to be freed. */
static const struct field {
    const char *key;
    size_t offset;
    enum field_kind kind;
} fields[] = {
#define NUMBER(name)                                                                               \
    {                                                                                              \
#name, offsetof(struct link, name), FIELD_NUMBER                                           \
    }
#define CLAIM(name)                                                                                \
    {                                                                                              \
#name, offsetof(struct link, name), FIELD_CLAIM                                            \
    }
#define TEXT(name)                                                                                 \
    {                                                                                              \
#name, offsetof(struct link, name), FIELD_TEXT                                             \
    }
    NUMBER(index),
    NUMBER(mtu),
    NUMBER(carrier_changes),
    NUMBER(speed_mbps),
    NUMBER(capable_mbps),
    NUMBER(offered_mbps),
    NUMBER(partner_mbps),
    NUMBER(common_mbps),
    NUMBER(tree_mbps),
    NUMBER(phy_address),
    NUMBER(quality),
    CLAIM(carrier),
    CLAIM(up),
    CLAIM(autoneg),
    CLAIM(pause_autoneg),
    CLAIM(pause_rx),
    CLAIM(pause_tx),
    CLAIM(eee_enabled),
    CLAIM(eee_active),
    TEXT(mac),
    TEXT(operstate),
    TEXT(duplex),
    TEXT(addresses),
    TEXT(supported),
    TEXT(advertised),
    TEXT(partner),
    TEXT(connector),
    TEXT(reason),
    TEXT(driver),
    TEXT(firmware),
    TEXT(bus),
    TEXT(phy),
    TEXT(phy_mode),
    TEXT(phy_delays),
    TEXT(nature),
    TEXT(kernel_error),
    TEXT(twin),
    TEXT(source),
#undef NUMBER
#undef CLAIM
#undef TEXT
};

static uint64_t *number_of(struct link *link, const struct field *field)
{
    return (uint64_t *)(void *)((char *)link + field->offset);
}

static enum link_claim *claim_of(struct link *link, const struct field *field)
{
    return (enum link_claim *)(void *)((char *)link + field->offset);
}

static char **text_of(struct link *link, const struct field *field)
{
    return (char **)(void *)((char *)link + field->offset);
}

const char *link_counter_name(enum link_counter counter)
{
    return (unsigned)counter < LINK_COUNTERS ? counters[counter] : "";
}

void link_set(char **text, const char *value)
{
    char *copy = !value ? NULL : value[0] ? str_clean_copy(value) : mem_copy_text("");
    free(*text);
    *text = copy;
}

void link_done(struct link *link)
{
    for (size_t i = 0; i < ARRAY_SIZE(fields); i++)
        if (fields[i].kind == FIELD_TEXT)
            free(*text_of(link, &fields[i]));
    *link = (struct link){0};
}

void link_add_pairs(const struct link *link, struct str *row)
{
    struct link view = *link; /* read only: the accessors are shared with those that write */
    for (size_t i = 0; i < ARRAY_SIZE(fields); i++) {
        const struct field *field = &fields[i];
        if (field->kind == FIELD_NUMBER && *number_of(&view, field) > 0)
            str_add_pairf(row, field->key, "%llu", (unsigned long long)*number_of(&view, field));
        else if (field->kind == FIELD_CLAIM && *claim_of(&view, field) != LINK_UNKNOWN)
            str_add_pair(row, field->key, *claim_of(&view, field) == LINK_YES ? "true" : "false");
        else if (field->kind == FIELD_TEXT && *text_of(&view, field))
            str_add_pair(row, field->key, *text_of(&view, field));
    }
    for (size_t i = 0; i < LINK_COUNTERS && link->counted == LINK_YES; i++)
        str_add_pairf(row, counters[i], "%llu", (unsigned long long)link->counters[i]);
}

static void take_counters(struct link *link, const struct frame *row)
{
    for (size_t i = 0; i < LINK_COUNTERS; i++) {
        const char *text = frame_pair(row, counters[i]);
        if (text && units_parse_u64(text, &link->counters[i]) == 0)
            link->counted = LINK_YES;
    }
}

int link_take_row(struct link *link, const struct frame *row)
{
    const char *index_text = frame_pair(row, "index");
    uint64_t index = 0;
    if (!index_text || units_parse_u64(index_text, &index) < 0 || index == 0)
        return -EINVAL;
    for (size_t i = 0; i < ARRAY_SIZE(fields); i++) {
        const struct field *field = &fields[i];
        const char *text = frame_pair(row, field->key);
        if (!text)
            continue;
        if (field->kind == FIELD_NUMBER)
            (void)units_parse_u64(text, number_of(link, field));
        else if (field->kind == FIELD_CLAIM)
            *claim_of(link, field) = strcmp(text, "true") == 0 ? LINK_YES : LINK_NO;
        else
            link_set(text_of(link, field), text);
    }
    take_counters(link, row);
    link_settle(link);
    return 0;
}

void link_merge(struct link *link, const struct link *from)
{
    struct link view = *from;
    for (size_t i = 0; i < ARRAY_SIZE(fields); i++) {
        const struct field *field = &fields[i];
        if (field->kind == FIELD_NUMBER && *number_of(&view, field) > 0)
            *number_of(link, field) = *number_of(&view, field);
        else if (field->kind == FIELD_CLAIM && *claim_of(&view, field) != LINK_UNKNOWN)
            *claim_of(link, field) = *claim_of(&view, field);
        else if (field->kind == FIELD_TEXT && *text_of(&view, field))
            link_set(text_of(link, field), *text_of(&view, field));
    }
    if (from->counted == LINK_YES) {
        memcpy(link->counters, from->counters, sizeof link->counters);
        link->counted = LINK_YES;
    }
    link_settle(link);
}

void link_settle(struct link *link)
{
    if (link->speed_mbps > SPEED_MOST_MBPS || link->speed_mbps == SPEED_NONE_MBPS)
        link->speed_mbps = 0;
    bool is_duplex =
        link->duplex && (strcmp(link->duplex, "full") == 0 || strcmp(link->duplex, "half") == 0);
    if (link->carrier == LINK_NO) {
        link->speed_mbps = 0;
        is_duplex = false;
        link_set(&link->partner, NULL);
        link->partner_mbps = link->common_mbps = 0;
    }
    if (link->carrier == LINK_YES)
        link_set(&link->reason, NULL);
    if (!is_duplex)
        link_set(&link->duplex, NULL);
}

/* ---- from files */

static enum link_claim claim_from(const char *folder, const char *name)
{
    uint64_t value = 0;
    /* A port that is down answers with an error. */
    if (!sysfs_has(folder, name) || sysfs_number(folder, name, &value) < 0)
        return LINK_UNKNOWN;
    return value ? LINK_YES : LINK_NO;
}

static void read_counters(const char *folder, struct link *link)
{
    AUTO(str_done) struct str path = {0};
    for (size_t i = 0; i < LINK_COUNTERS; i++) {
        str_clear(&path);
        str_addf(&path, "statistics/%s", counters[i]);
        if (sysfs_has(folder, path.text) &&
            sysfs_number(folder, path.text, &link->counters[i]) == 0)
            link->counted = LINK_YES;
    }
}

void link_read_files(const char *folder, struct link *link)
{
    AUTO_FREE char *operstate = NULL, *duplex = NULL;
    if (sysfs_has(folder, "operstate"))
        operstate = sysfs_label(folder, "operstate");
    if (operstate)
        link_set(&link->operstate, operstate);
    link->carrier = claim_from(folder, "carrier");
    if (link->carrier == LINK_UNKNOWN && link->up == LINK_NO)
        link->carrier = LINK_NO;
    if (link->carrier == LINK_YES) {
        if (sysfs_has(folder, "duplex"))
            duplex = sysfs_label(folder, "duplex");
        if (!sysfs_has(folder, "speed") ||
            sysfs_number(folder, "speed", &link->speed_mbps) < 0) /* "-1" is none */
            link->speed_mbps = 0;
        link_set(&link->duplex, duplex);
        if (link->speed_mbps || duplex)
            link_set(&link->source, "sysfs");
    }
    if (sysfs_has(folder, "mtu"))
        (void)sysfs_number(folder, "mtu", &link->mtu);
    if (sysfs_has(folder, "carrier_changes"))
        (void)sysfs_number(folder, "carrier_changes", &link->carrier_changes);
    read_counters(folder, link);
    link_settle(link);
}

/* ---- what the kernel said */

static bool tells_of_trouble(const char *line)
{
    static const char *const signs[] = {"no phy", "not found", "attach", "could not", "cannot",
                                        "failed", "unable",    "error",  "timed out", "timeout"};
    if (!strcasestr(line, "phy") && !strcasestr(line, "mdio"))
        return false;
    for (size_t i = 0; i < ARRAY_SIZE(signs); i++)
        if (strcasestr(line, signs[i]))
            return strcasestr(line, "attached") == NULL; /* "attached PHY driver" is none */
    return false;
}

/* Is `name` a word of its own in the line? */
static bool names(const char *line, const char *name)
{
    static const char word[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-.";
    size_t size = strlen(name);
    for (const char *at = size ? strstr(line, name) : NULL; at; at = strstr(at + 1, name))
        if ((at == line || !strchr(word, at[-1])) && (!at[size] || !strchr(word, at[size])))
            return true;
    return false;
}

void link_take_line(struct link *link, const char *name, const char *parent, const char *line)
{
    if (!tells_of_trouble(line) || !(names(line, name) || names(line, parent)))
        return;
    struct str text AUTO(str_done) = {0};
    str_add_bytes(&text, line, str_cut_size(line, strlen(line), LINE_BYTES_MAX));
    link_set(&link->kernel_error, str_text(&text));
}

/* ---- for a person */

bool link_is_idle(const struct link *link)
{
    return link->up == LINK_NO || link->carrier == LINK_NO;
}

void link_mode(const struct link *link, struct str *into)
{
    if (link->up == LINK_NO)
        str_add(into, "down");
    else if (link->carrier == LINK_NO)
        str_add(into, "no carrier");
    else if (link->speed_mbps > 0)
        str_addf(into, "%llu %s", (unsigned long long)link->speed_mbps,
                 link->duplex ? link->duplex : "?");
    else if (link->carrier == LINK_YES)
        str_add(into, "up, speed ?");
}

void link_first_address(const struct link *link, struct str *into)
{
    const char *text = link->addresses ? link->addresses : "";
    str_add_bytes(into, text, strcspn(text, "/ "));
}

static void part(struct str *into)
{
    str_add(into, into->size > 0 ? "  " : "");
}

static void remark_speed(const struct link *link, struct str *into)
{
    uint64_t speed = link->speed_mbps, able = link->capable_mbps;
    if (speed == 0 || able <= speed)
        return;
    part(into);
    str_addf(into, "runs at %llu of %llu Mbit/s: ", (unsigned long long)speed,
             (unsigned long long)able);
    if (link->tree_mbps > 0 && link->tree_mbps <= speed)
        str_add(into, "the device tree allows no more (max-speed)");
    else if (link->offered_mbps > 0 && link->offered_mbps <= speed)
        str_add(into, "a setting of this port offers no more");
    else if (link->partner_mbps > 0 && link->partner_mbps <= speed)
        str_add(into, "the other end offers no more");
    else if (link->common_mbps > speed)
        str_add(into, "both ends could do more: look at the cable (gigabit takes all four pairs)");
    else
        str_add(into, "look at the cable and at the other end");
}

void link_remark(const struct link *link, struct str *into)
{
    if (link->kernel_error && link->carrier != LINK_YES) {
        part(into);
        str_addf(into, "the kernel said: %s", link->kernel_error);
    }
    if (link->up == LINK_NO || link->carrier == LINK_NO) {
        part(into);
        str_add(into, link->up == LINK_NO ? "it is down: switch it on (ip link set … up)"
                                          : "no carrier: no cable, or the other end is off");
        if (link->reason)
            str_addf(into, " (%s)", link->reason);
    }
    if (link->duplex && strcmp(link->duplex, "half") == 0) {
        part(into);
        str_add(into, "half duplex: one direction at a time, with collisions; the other end may "
                      "have its negotiation off");
    }
    remark_speed(link, into);
    if (link->twin) {
        part(into);
        str_addf(into,
                 "in one subnet with %s: the kernel may send through either, and between the two "
                 "through neither",
                 link->twin);
    }
}

/* ---- subnets */

struct net {
    int family;
    unsigned prefix;
    unsigned char bytes[sizeof(struct in6_addr)];
};

/* Reads one "ADDRESS/PREFIX". False for what is none and for link-local ones. */
static bool read_net(const char *text, size_t size, struct net *net)
{
    char address[INET6_ADDRSTRLEN + 4] = "";
    uint64_t prefix = 0;
    if (size >= sizeof address)
        return false;
    memcpy(address, text, size);
    char *slash = strchr(address, '/');
    if (!slash || units_parse_u64(slash + 1, &prefix) < 0)
        return false;
    *slash = '\0';
    net->family = strchr(address, ':') ? AF_INET6 : AF_INET;
    net->prefix = (unsigned)(prefix < 128 ? prefix : 128);
    if (inet_pton(net->family, address, net->bytes) != 1)
        return false;
    bool is_local = net->family == AF_INET6
                        ? net->bytes[0] == 0xfe && (net->bytes[1] & 0xc0) == 0x80
                        : net->bytes[0] == 169 && net->bytes[1] == 254;
    return !is_local && prefix > 0 && net->prefix < (net->family == AF_INET ? 32 : 128);
}

static bool is_same_net(const struct net *a, const struct net *b)
{
    if (a->family != b->family)
        return false;
    unsigned bits = a->prefix < b->prefix ? a->prefix : b->prefix;
    for (unsigned i = 0; i < bits; i++)
        if ((a->bytes[i / 8] ^ b->bytes[i / 8]) >> (7 - i % 8) & 1)
            return false;
    return true;
}

bool link_shares_subnet(const char *addresses, const char *others)
{
    for (const char *a = addresses; a && *a; a += strcspn(a, " "), a += strspn(a, " ")) {
        struct net left, right;
        if (!read_net(a, strcspn(a, " "), &left))
            continue;
        for (const char *b = others; b && *b; b += strcspn(b, " "), b += strspn(b, " "))
            if (read_net(b, strcspn(b, " "), &right) && is_same_net(&left, &right))
                return true;
    }
    return false;
}
