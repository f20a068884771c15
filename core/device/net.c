#include "device/net.h"

#include <net/if.h>
#include <net/if_arp.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/str.h"
#include "base/units.h"
#include "device/folder.h"
#include "device/link.h"
#include "device/nettree.h"
#include "device/sysfs.h"
#include "device/usb.h"

#define ADDRESS_OWN 0 /* addr_assign_type: the hardware's */

/* Of what has no hardware: by the kernel's own word for its type, or by a name below its folder. */
static const struct {
    const char *type, *entry, *nature;
} natures[] = {
    {"bridge", "bridge", "a bridge"},
    {"vlan", NULL, "a VLAN of another port"},
    {"bond", "bonding", "several ports bound together"},
    {"macvlan", NULL, "a second address of another port"},
    {"macvtap", NULL, "a second address of another port"},
    {"ipvlan", NULL, "a second address of another port"},
    {"vxlan", NULL, "a tunnel"},
    {"geneve", NULL, "a tunnel"},
    {"wireguard", NULL, "a tunnel"},
    {"wwan", NULL, "a modem"},
    {NULL, "tun_flags", "a tunnel of a program"},
};

/* "wlan" of "DEVTYPE=wlan"; NULL: it says none. The caller frees. */
static char *type_of(const char *folder)
{
    static const char key[] = "DEVTYPE=";
    AUTO(str_done) struct str text = {0};
    if (!sysfs_has(folder, "uevent") || sysfs_text(folder, "uevent", &text) < 0)
        return NULL;
    const char *at = strstr(str_text(&text), key);
    if (!at || (at != text.text && at[-1] != '\n'))
        return NULL;
    struct str type = {0};
    at += strlen(key);
    str_add_clean(&type, at, strcspn(at, "\n"));
    return str_take(&type);
}

/* Why a port is left out of the plain list; NULL: it is not. */
static const char *nature_of(const char *folder, const char *type, bool has_device)
{
    uint64_t hardware = ARPHRD_ETHER;
    (void)sysfs_number(folder, "type", &hardware);
    if (hardware == ARPHRD_LOOPBACK)
        return "the loopback of this machine";
    if (hardware != ARPHRD_ETHER)
        return "no Ethernet port";
    for (size_t i = 0; i < ARRAY_SIZE(natures); i++)
        if ((type && natures[i].type && strcmp(natures[i].type, type) == 0) ||
            (natures[i].entry && sysfs_has(folder, natures[i].entry)))
            return natures[i].nature;
    if (has_device || (type && strcmp(type, "dsa") == 0))
        return NULL;
    return "without hardware of its own";
}

static char *base_of_link(const char *root, const char *folder, const char *name)
{
    AUTO_FREE char *path = NULL;
    if (!sysfs_has(folder, name) || sysfs_follow(root, folder, name, &path) < 0)
        return NULL;
    return str_clean_copy(sysfs_base(path));
}

static void read_driver(const char *root, const char *hardware, struct link *link)
{
    AUTO_FREE char *driver = base_of_link(root, hardware, "driver");
    AUTO_FREE char *bus = base_of_link(root, hardware, "subsystem");
    if (driver)
        link_set(&link->driver, driver);
    if (bus)
        link_set(&link->bus, bus);
    if (!bus && strstr(hardware, "/usb"))
        link_set(&link->bus, "usb");
}

/* A dongle: the product's name, and what its plug limits. */
static void read_usb(const char *root, const char *hardware, struct device *device)
{
    AUTO_FREE char *usb = sysfs_above(hardware, "idVendor");
    if (!usb)
        return;
    usb_read(root, hardware, device);
    free(device->identity); /* its MAC address tells units apart better */
    device->identity = NULL;
    if (sysfs_has(usb, "product"))
        device->name = sysfs_label(usb, "product");
}

static void read_phy(const char *root, const char *folder, struct link *link)
{
    AUTO_FREE char *phy = NULL;
    if (!sysfs_has(folder, "phydev") || sysfs_follow(root, folder, "phydev", &phy) < 0)
        return;
    AUTO_FREE char *driver = base_of_link(root, phy, "driver");
    AUTO_FREE char *mode =
        sysfs_has(phy, "phy_interface") ? sysfs_label(phy, "phy_interface") : NULL;
    AUTO_FREE char *id = sysfs_has(phy, "phy_id") ? sysfs_label(phy, "phy_id") : NULL;
    link_set(&link->phy, driver ? driver : id);
    if (mode)
        link_set(&link->phy_mode, mode);
}

/* An address that the kernel made up is another one at the next start. */
static void read_address(const char *folder, struct device *device)
{
    uint64_t assigned = ADDRESS_OWN;
    AUTO_FREE char *mac = sysfs_has(folder, "address") ? sysfs_label(folder, "address") : NULL;
    if (!mac || strcmp(mac, "00:00:00:00:00:00") == 0)
        return;
    link_set(&device->link->mac, mac);
    if (sysfs_has(folder, "addr_assign_type"))
        (void)sysfs_number(folder, "addr_assign_type", &assigned);
    if (assigned == ADDRESS_OWN && !device->is_hidden)
        device->identity = mem_copy_text(device->link->mac);
}

static void read_flags(const char *folder, struct link *link)
{
    AUTO(str_done) struct str text = {0};
    if (!sysfs_has(folder, "flags") || sysfs_text(folder, "flags", &text) < 0 || text.size < 3)
        return;
    char last = text.text[text.size - 1]; /* "0x1003": IFF_UP is the lowest bit */
    const char *digits = "0123456789abcdef", *at = strchr(digits, last);
    if (at && last)
        link->up = (at - digits) & IFF_UP ? LINK_YES : LINK_NO;
}

static void read_port(const char *root, const char *folder, const char *name, net_fn fn, void *user)
{
    AUTO_FREE char *hardware = NULL, *type = type_of(folder);
    struct device device = {.kind = DEVICE_ETHERNET, .id = str_clean_copy(name)};
    device.link = mem_new(1, sizeof *device.link);
    device.sysfs_path = mem_copy_text(folder);
    struct link *link = device.link;
    if (sysfs_has(folder, "device"))
        (void)sysfs_follow(root, folder, "device", &hardware);
    if (sysfs_has(folder, "phy80211") || (type && strcmp(type, "wlan") == 0))
        device.kind = DEVICE_WIFI;
    const char *nature = nature_of(folder, type, hardware != NULL);
    device.is_hidden = nature != NULL;
    link_set(&link->nature, nature);
    if (sysfs_has(folder, "ifindex"))
        (void)sysfs_number(folder, "ifindex", &link->index);
    if (hardware) {
        read_driver(root, hardware, link);
        read_usb(root, hardware, &device);
    }
    if (type && strcmp(type, "dsa") == 0 && !link->bus)
        link_set(&link->bus, "dsa");
    read_address(folder, &device);
    read_flags(folder, link);
    read_phy(root, folder, link);
    nettree_read(root, folder, hardware, link);
    if (root[0]) {
        link_read_files(folder, link);
        nettree_read_log(root, name, hardware ? sysfs_base(hardware) : "", link);
    }
    fn(user, device);
}

void net_scan(const char *root, net_fn fn, void *user)
{
    AUTO_FREE char *class = NULL;
    char **names = NULL;
    if (sysfs_resolve(root, "/sys/class/net", &class) < 0 || sysfs_list(class, &names) < 0)
        return;
    for (char **name = names; *name; name++) {
        AUTO_FREE char *folder = NULL;
        /* bonding_masters, a file, stands among them. */
        if (strlen(*name) < IF_NAMESIZE && sysfs_follow(root, class, *name, &folder) == 0 &&
            sysfs_has(folder, "type"))
            read_port(root, folder, *name, fn, user);
    }
    sysfs_list_free(names);
}

static void find_twin(struct device *devices, size_t count, size_t at)
{
    struct link *link = devices[at].link;
    link_set(&link->twin, NULL);
    if (devices[at].is_hidden || !link->addresses)
        return;
    for (size_t i = 0; i < count; i++)
        if (i != at && devices[i].link && !devices[i].is_hidden && devices[i].link->addresses &&
            link_shares_subnet(link->addresses, devices[i].link->addresses)) {
            link_set(&link->twin, devices[i].id);
            return;
        }
}

static void judge(struct device *device)
{
    struct link *link = device->link;
    bool is_dead = link->index == 0 || (link->kernel_error && link->carrier != LINK_YES);
    struct str why = {0};
    if (link->kernel_error && is_dead)
        str_addf(&why, "the kernel said: %s", link->kernel_error);
    else if (is_dead)
        str_add(&why, device->why ? device->why : "it has no number");
    free(device->why);
    device->why = is_dead ? str_take(&why) : NULL;
    device->is_testable = !is_dead;
}

void net_settle(struct device *devices, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (!devices[i].link)
            continue;
        find_twin(devices, count, i);
        judge(&devices[i]);
    }
}
