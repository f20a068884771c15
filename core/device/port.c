#include "device/port.h"

#include <string.h>

#include "base/cleanup.h"
#include "base/str.h"
#include "device/device.h"
#include "device/folder.h"
#include "device/sysfs.h"
#include "device/tree.h"
#include "device/usb.h"

enum { HIGH_SPEED = 480, SUPER_SPEED = 5000, SUPER_SPEED_PLUS = 10000 };

unsigned port_bos_mbps(const uint8_t *bytes, size_t size)
{
    enum { LENGTH, TYPE, CAPABILITY, SPEEDS = 4, BOS = 15, DEVICE_CAPABILITY = 16 };
    enum { CAP_SUPER_SPEED = 3, CAP_SUPER_SPEED_PLUS = 10, SPEED_5G = 8 };
    if (size < 5 || bytes[TYPE] != BOS || bytes[LENGTH] < 5)
        return 0;
    unsigned mbps = HIGH_SPEED;
    for (size_t at = bytes[LENGTH]; at < size && size - at >= 3;) {
        const uint8_t *one = bytes + at;
        if (one[LENGTH] < 3 || one[LENGTH] > size - at)
            break;
        bool is_capability = one[TYPE] == DEVICE_CAPABILITY;
        if (is_capability && one[CAPABILITY] == CAP_SUPER_SPEED_PLUS)
            mbps = SUPER_SPEED_PLUS;
        if (is_capability && one[CAPABILITY] == CAP_SUPER_SPEED && one[LENGTH] > SPEEDS &&
            (one[SPEEDS] & SPEED_5G) && mbps < SUPER_SPEED)
            mbps = SUPER_SPEED;
        at += one[LENGTH];
    }
    return mbps;
}

char *port_advice(const struct port_facts *facts)
{
    if (facts->speed_mbps == 0 || facts->speed_mbps >= SUPER_SPEED ||
        facts->capable_mbps <= facts->speed_mbps)
        return NULL;
    const char *what = NULL;
    if (facts->tree_mbps > 0 && facts->tree_mbps < facts->capable_mbps)
        what = "port limited by the device tree (maximum-speed)";
    else if (facts->port_mbps > 0 && facts->port_mbps <= facts->speed_mbps)
        what = "this port can do no more: use a SuperSpeed port";
    else if (facts->orientation != PORT_NO_TYPEC)
        what = "flip the plug, then try another cable";
    else
        what = "try another cable, or plug it in again quickly";
    struct str text = {0};
    str_addf(&text, "runs at %u of %s%u Mbit/s: %s", facts->speed_mbps,
             facts->is_proven ? "" : "probably ", facts->capable_mbps, what);
    return str_take(&text);
}

static unsigned read_mbps(const char *folder)
{
    AUTO(str_done) struct str text = {0};
    if (sysfs_text(folder, "speed", &text) < 0)
        return 0;
    const struct usb_speed *speed = usb_speed_of(str_text(&text));
    return speed ? speed->mbps : 0;
}

/* What the hub above a port (or the port's SuperSpeed twin) runs at. */
static unsigned hub_mbps(const char *folder)
{
    AUTO_FREE char *above = mem_copy_text(folder);
    char *slash = strrchr(above, '/');
    if (!slash)
        return 0;
    *slash = '\0';
    AUTO_FREE char *hub = sysfs_above(above, "idVendor");
    return hub ? read_mbps(hub) : 0;
}

static void read_port(const char *root, const char *usb_folder, const char *port,
                      struct device_usb *usb)
{
    AUTO_FREE char *peer = NULL;
    unsigned own = hub_mbps(usb_folder), twin = 0;
    if (port && sysfs_follow(root, port, "peer", &peer) == 0)
        twin = hub_mbps(peer);
    usb->port_mbps = own > twin ? own : twin;
}

static void read_capability(const char *usb_folder, struct device_usb *usb)
{
    AUTO(str_done) struct str bos = {0};
    if (sysfs_has(usb_folder, "bos_descriptors") && /* Linux 6.8 */
        sysfs_file(usb_folder, "bos_descriptors", FOLDER_TEXT_MAX, &bos) == 0)
        usb->capable_mbps = port_bos_mbps((const uint8_t *)str_text(&bos), bos.size);
    usb->is_proven = usb->capable_mbps > 0;
    if (usb->capable_mbps < usb->speed_mbps) {
        usb->capable_mbps = usb->speed_mbps;
        usb->is_proven = true;
    }
    if (usb->is_proven && bos.size > 0)
        return;
    /* A SuperSpeed device that fell back says 2.10, and so do few that never had more. */
    AUTO_FREE char *version = sysfs_label(usb_folder, "version");
    if (usb->speed_mbps == HIGH_SPEED && version &&
        (strcmp(version, "2.10") == 0 || version[0] == '3')) {
        usb->capable_mbps = SUPER_SPEED;
        usb->is_proven = false;
    }
}

static unsigned tree_mbps(const char *root, const char *usb_folder)
{
    static const struct {
        const char *name;
        unsigned mbps;
    } limits[] = {{"low-speed", 2},
                  {"full-speed", 12},
                  {"high-speed", HIGH_SPEED},
                  {"super-speed", SUPER_SPEED},
                  {"super-speed-plus", SUPER_SPEED_PLUS}};
    AUTO_FREE char *node = NULL;
    if (tree_node_above(root, usb_folder, "maximum-speed", &node) < 0)
        return 0;
    AUTO_FREE char *limit = tree_label(node, "maximum-speed");
    for (size_t i = 0; limit && i < ARRAY_SIZE(limits); i++)
        if (strcmp(limits[i].name, limit) == 0)
            return limits[i].mbps;
    return 0;
}

static enum port_orientation orientation_of(const char *connector)
{
    AUTO(str_done) struct str text = {0};
    if (!sysfs_has(connector, "orientation") || sysfs_text(connector, "orientation", &text) < 0)
        return PORT_UNKNOWN;
    return strcmp(str_text(&text), "normal") == 0    ? PORT_NORMAL
           : strcmp(str_text(&text), "reverse") == 0 ? PORT_REVERSE
                                                     : PORT_UNKNOWN;
}

/* Kernels before 5.16 do not link a port to its connector: then the machine's only one that has
 * something plugged in is taken for it. */
static enum port_orientation read_typec(const char *root, const char *port)
{
    AUTO_FREE char *connector = NULL, *class = NULL;
    if (port && sysfs_follow(root, port, "connector", &connector) == 0)
        return orientation_of(connector);
    char **names = NULL;
    size_t partners = 0;
    if (sysfs_resolve(root, "/sys/class/typec", &class) < 0 || sysfs_list(class, &names) < 0)
        return PORT_NO_TYPEC;
    AUTO(str_done) struct str owner = {0};
    for (char **name = names; *name; name++) {
        if (!str_starts(*name, "port") || !str_ends(*name, "-partner"))
            continue;
        partners++;
        str_clear(&owner);
        str_add_bytes(&owner, *name, strlen(*name) - strlen("-partner"));
    }
    sysfs_list_free(names);
    if (partners != 1 || sysfs_follow(root, class, owner.text, &connector) < 0)
        return PORT_NO_TYPEC;
    return orientation_of(connector);
}

void port_read(const char *root, const char *usb_folder, struct device_usb *usb)
{
    AUTO_FREE char *port = NULL;
    (void)sysfs_follow(root, usb_folder, "port", &port);
    read_port(root, usb_folder, port, usb);
    read_capability(usb_folder, usb);
    struct port_facts facts = {.speed_mbps = usb->speed_mbps,
                               .capable_mbps = usb->capable_mbps,
                               .port_mbps = usb->port_mbps,
                               .is_proven = usb->is_proven,
                               .tree_mbps = tree_mbps(root, usb_folder),
                               .orientation = read_typec(root, port)};
    usb->advice = port_advice(&facts);
}
