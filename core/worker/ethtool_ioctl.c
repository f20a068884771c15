#include <errno.h>
#include <linux/ethtool.h>
#include <linux/sockios.h>
#include <net/if.h>
#include <string.h>
#include <sys/ioctl.h>

#include "base/cleanup.h"
#include "device/ethtool.h"
#include "device/linkmode.h"
#include "worker/ports.h"

#define ROOM_WORDS (3 * 127) /* three sets; the kernel's count is a signed byte */

#define HEAD_WORDS (sizeof(struct ethtool_link_settings) / sizeof(uint32_t))

struct settings { /* the kernel's head, then its three sets */
    uint32_t words[HEAD_WORDS + ROOM_WORDS];
};

static struct ethtool_link_settings *head_of(struct settings *settings)
{
    return (struct ethtool_link_settings *)(void *)settings->words;
}

static int ask(int fd, const char *name, void *command)
{
    struct ifreq request = {.ifr_flags = 0};
    memcpy(request.ifr_name, name, strlen(name) + 1);
    request.ifr_data = command;
    return ioctl(fd, SIOCETHTOOL, &request) < 0 ? -errno : 0;
}

/* The kernel first tells how many words its sets have, as a negative number. */
static int ask_settings(int fd, const char *name, struct settings *settings)
{
    struct ethtool_link_settings *head = head_of(settings);
    memset(settings, 0, sizeof *settings);
    head->cmd = ETHTOOL_GLINKSETTINGS;
    int rc = ask(fd, name, settings);
    if (rc < 0)
        return rc;
    int words = -head->link_mode_masks_nwords;
    if (words <= 0 || (size_t)words * 3 > ROOM_WORDS)
        return -EOPNOTSUPP;
    memset(settings, 0, sizeof *settings);
    head->cmd = ETHTOOL_GLINKSETTINGS;
    head->link_mode_masks_nwords = (int8_t)words;
    rc = ask(fd, name, settings);
    return rc < 0 ? rc : head->link_mode_masks_nwords == words ? 0 : -EPROTO;
}

static int read_settings(int fd, const char *name, struct link *link)
{
    struct settings settings;
    int rc = ask_settings(fd, name, &settings);
    if (rc < 0)
        return rc;
    const struct ethtool_link_settings *head = head_of(&settings);
    size_t words = (size_t)head->link_mode_masks_nwords;
    const uint32_t *sets = settings.words + HEAD_WORDS;
    ethtool_take_modes(link, sets, sets + words, words, sets + 2 * words, words);
    ethtool_take_duplex(link, head->duplex);
    link->speed_mbps = head->speed;
    link->autoneg = head->autoneg ? LINK_YES : LINK_NO;
    ethtool_take_connector(link, head->port);
    link_set(&link->source, "ioctl");
    return 0;
}

static void read_pause(int fd, const char *name, struct link *link)
{
    struct ethtool_pauseparam pause = {.cmd = ETHTOOL_GPAUSEPARAM};
    if (ask(fd, name, &pause) < 0)
        return;
    link->pause_autoneg = pause.autoneg ? LINK_YES : LINK_NO;
    link->pause_rx = pause.rx_pause ? LINK_YES : LINK_NO;
    link->pause_tx = pause.tx_pause ? LINK_YES : LINK_NO;
}

static void read_eee(int fd, const char *name, struct link *link)
{
    struct ethtool_eee eee = {.cmd = ETHTOOL_GEEE};
    if (ask(fd, name, &eee) < 0)
        return;
    link->eee_active = eee.eee_active ? LINK_YES : LINK_NO;
    link->eee_enabled = eee.eee_enabled ? LINK_YES : LINK_NO;
}

/* Netlink has no words for these two. */
static void read_driver(int fd, const char *name, struct link *link)
{
    struct ethtool_drvinfo info = {.cmd = ETHTOOL_GDRVINFO};
    if (ask(fd, name, &info) < 0)
        return;
    info.driver[sizeof info.driver - 1] = info.fw_version[sizeof info.fw_version - 1] = '\0';
    if (info.driver[0])
        link_set(&link->driver, info.driver);
    if (info.fw_version[0] && strcmp(info.fw_version, "N/A") != 0)
        link_set(&link->firmware, info.fw_version);
}

int ethtool_ioctl(int fd, const char *name, struct link *link)
{
    read_driver(fd, name, link);
    if (link->source && strcmp(link->source, "netlink") == 0)
        return 0;
    int rc = read_settings(fd, name, link);
    read_pause(fd, name, link);
    read_eee(fd, name, link);
    return rc;
}
