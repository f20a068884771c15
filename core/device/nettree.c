#include "device/nettree.h"

#include <string.h>

#include "base/cleanup.h"
#include "base/str.h"
#include "device/sysfs.h"
#include "device/tree.h"

#define LOG_BYTES_MAX 65536

/* Who delays the clock against the data: without exactly one delay each way frames are broken. */
static const struct {
    const char *mode, *text;
} delayers[] = {
    {"rgmii", "none by the PHY: MAC or board delay"},
    {"rgmii-id", "both by the PHY"},
    {"rgmii-rxid", "receive by the PHY, transmit by MAC or board"},
    {"rgmii-txid", "transmit by the PHY, receive by MAC or board"},
};

/* What the drivers of several makers call them. */
static const struct {
    const char *property, *label, *unit;
} delays[] = {
    {"tx-internal-delay-ps", "tx", " ps"},  {"rx-internal-delay-ps", "rx", " ps"},
    {"allwinner,tx-delay-ps", "tx", " ps"}, {"allwinner,rx-delay-ps", "rx", " ps"},
    {"amlogic,tx-delay-ns", "tx", " ns"},   {"amlogic,rx-delay-ns", "rx", " ns"},
    {"mediatek,tx-delay-ps", "tx", " ps"},  {"mediatek,rx-delay-ps", "rx", " ps"},
    {"tx_delay", "tx_delay", ""},           {"rx_delay", "rx_delay", ""},
    {"txc-skew-ps", "txc skew", " ps"},     {"rxc-skew-ps", "rxc skew", " ps"},
};

static void add_delays(const char *node, struct str *into)
{
    for (size_t i = 0; i < ARRAY_SIZE(delays); i++) {
        uint32_t value = 0;
        if (!tree_has(node, delays[i].property) || tree_u32(node, delays[i].property, &value) < 0)
            continue;
        str_addf(into, "%s%s %u%s", into->size ? ", " : "", delays[i].label, value, delays[i].unit);
    }
}

static void read_mode(const char *node, struct link *link)
{
    AUTO_FREE char *mode = NULL;
    if (tree_has(node, "phy-mode"))
        mode = tree_label(node, "phy-mode");
    else if (tree_has(node, "phy-connection-type"))
        mode = tree_label(node, "phy-connection-type");
    if (mode && !link->phy_mode) /* the PHY's own word is newer */
        link_set(&link->phy_mode, mode);
}

void nettree_read(const char *root, const char *folder, const char *hardware, struct link *link)
{
    AUTO_FREE char *node = NULL;
    AUTO(str_done) struct str text = {0};
    uint32_t limit = 0;
    /* A switch's ports have nodes of their own; else it is the controller's. */
    if (tree_node(root, folder, &node) < 0 && (!hardware || tree_node(root, hardware, &node) < 0))
        return;
    read_mode(node, link);
    for (size_t i = 0; i < ARRAY_SIZE(delayers) && link->phy_mode; i++)
        if (strcmp(delayers[i].mode, link->phy_mode) == 0)
            str_add(&text, delayers[i].text);
    add_delays(node, &text);
    if (text.size > 0)
        link_set(&link->phy_delays, text.text);
    if (tree_has(node, "max-speed") && tree_u32(node, "max-speed", &limit) == 0)
        link->tree_mbps = limit;
}

void nettree_read_log(const char *root, const char *name, const char *parent, struct link *link)
{
    AUTO_FREE char *folder = NULL;
    AUTO(str_done) struct str text = {0}, line = {0};
    if (sysfs_resolve(root, "/proc", &folder) < 0 || !sysfs_has(folder, "kmsg") ||
        sysfs_file(folder, "kmsg", LOG_BYTES_MAX, &text) < 0)
        return;
    for (const char *at = str_text(&text), *end = at + text.size; at < end;) {
        size_t size = strcspn(at, "\n");
        str_clear(&line);
        str_add_clean(&line, at, size);
        link_take_line(link, name, parent, str_text(&line));
        at += size + 1;
    }
}
