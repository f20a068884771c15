#include "run/subject.h"

#include "base/cleanup.h"
#include "base/str.h"
#include "base/units.h"
#include "device/capability.h"
#include "device/link.h"

static void add_mark(const char *key, unsigned value, struct str *pairs)
{
    if (value)
        str_add_pairf(pairs, key, "%u", value);
}

static void add_card(const struct device *disk, struct str *pairs)
{
    const struct device_claims *claims = &disk->card.claims;
    add_mark("target.claim.speed_class", claims->speed_class, pairs);
    add_mark("target.claim.uhs", claims->uhs, pairs);
    add_mark("target.claim.video", claims->video, pairs);
    add_mark("target.claim.application", claims->application, pairs);
    if (disk->card.doubt)
        str_add_pair(pairs, "target.doubt", disk->card.doubt);
}

/* A card writes whole units: a partition that begins within one makes it write two. */
static void add_alignment(const struct device *device, const struct device *disk, struct str *pairs)
{
    uint64_t unit = disk->card.claims.unit_bytes;
    if (device == disk || unit == 0 || device->start_bytes % unit == 0)
        return;
    struct units_text into = units_bytes_binary((double)(device->start_bytes % unit));
    str_add_pairf(pairs, "target.misaligned", "starts %s into an allocation unit of %s", into.text,
                  units_bytes_binary((double)unit).text);
}

static void add_capable(const struct device *disk, struct str *pairs)
{
    struct capability capability;
    if (!capability_find(disk, &capability))
        return;
    str_add_pairf(pairs, "target.capable", "%.0f", capability.bps);
    str_add_pair(pairs, "target.capable_source", capability.source);
    if (capability.advice[0])
        str_add_pair(pairs, "target.advice", capability.advice);
}

/* How the port runs: from its speed come the ceilings. Of a pair in memory it is made up. */
static void add_port(const struct device *device, struct str *pairs)
{
    const struct link *link = device->link;
    struct str mode AUTO(str_done) = {0}, remark AUTO(str_done) = {0};
    link_mode(link, &mode);
    link_remark(link, &remark);
    if (mode.size)
        str_add_pair(pairs, "target.mode", mode.text);
    if (!device->is_hidden) {
        add_mark("target.speed_mbps", (unsigned)link->speed_mbps, pairs);
        add_mark("target.capable_mbps", (unsigned)link->common_mbps, pairs); /* of both ends */
        add_mark("target.port_mbps", (unsigned)link->capable_mbps, pairs);
        add_mark("target.usb_mbps", device->usb.speed_mbps, pairs);
    }
    if (link->duplex)
        str_add_pair(pairs, "target.duplex", link->duplex);
    if (link->carrier != LINK_UNKNOWN)
        str_add_pair(pairs, "target.carrier", link->carrier == LINK_YES ? "true" : "false");
    if (link->mac)
        str_add_pair(pairs, "target.mac", link->mac);
    if (link->driver)
        str_add_pair(pairs, "target.driver", link->driver);
    if (link->addresses)
        str_add_pair(pairs, "target.addresses", link->addresses);
    if (remark.size)
        str_add_pair(pairs, "target.remark", remark.text);
}

/* What a partition does not tell of itself its disk does: the run is one of the card. */
void subject_add(const struct device *device, const struct device *disk, struct str *pairs)
{
    str_add_pair(pairs, "target.device", device_kind_name(disk->kind));
    if (device->parent)
        str_add_pair(pairs, "target.parent", device->parent);
    if (disk->name)
        str_add_pair(pairs, "target.name", disk->name);
    if (disk->cid)
        str_add_pair(pairs, "target.cid", disk->cid);
    if (disk->serial)
        str_add_pair(pairs, "target.serial", disk->serial);
    if (device->size_bytes)
        str_add_pairf(pairs, "target.size_bytes", "%llu", (unsigned long long)device->size_bytes);
    if (disk->identity)
        str_add_pair(pairs, "target.identity", disk->identity);
    if (disk != device && disk->size_bytes)
        str_add_pairf(pairs, "target.disk_bytes", "%llu", (unsigned long long)disk->size_bytes);
    if (device->major || device->minor)
        str_add_pairf(pairs, "target.number", "%u:%u", device->major, device->minor);
    if (device->link) {
        add_port(device, pairs);
        return;
    }
    if (device->filesystem)
        str_add_pair(pairs, "target.filesystem", device->filesystem);
    if (disk->bus_clock_hz)
        str_add_pairf(pairs, "target.clock_hz", "%llu", (unsigned long long)disk->bus_clock_hz);
    if (disk->bus_mode)
        str_add_pair(pairs, "target.mode", disk->bus_mode);
    if (disk->bus_width)
        str_add_pairf(pairs, "target.width", "%u", disk->bus_width);
    if (disk->ceiling_bps > 0) {
        str_add_pairf(pairs, "target.ceiling", "%.0f", disk->ceiling_bps);
        str_add_pairf(pairs, "target.ceiling_source", "%s%s",
                      disk->bus_source ? disk->bus_source : "bus mode",
                      disk->is_bus_at_most ? ", at most" : "");
    }
    add_card(disk, pairs);
    add_alignment(device, disk, pairs);
    add_capable(disk, pairs);
}
