#include "cli/list_json.h"

#include <string.h>

#include "base/cleanup.h"
#include "base/str.h"
#include "cli/json.h"
#include "cli/list_port.h"
#include "device/card.h"
#include "device/remark.h"

static json_t *number_or_null(uint64_t value)
{
    return value > 0 && value <= INT64_MAX ? json_integer((json_int_t)value) : json_null();
}

static void set(json_t *object, const char *key, json_t *value)
{
    json_object_set_new(object, key, value);
}

static json_t *identity_json(const struct device *device)
{
    if (!device->cid && !device->serial && !device->identity && !device->card.maker)
        return json_null();
    json_t *identity = json_object();
    set(identity, "cid", cli_json_text(device->cid));
    set(identity, "serial", cli_json_text(device->serial));
    set(identity, "key", cli_json_text(device->identity));
    set(identity, "maker", cli_json_text(device->card.maker));
    set(identity, "firmware", cli_json_text(device->card.firmware));
    set(identity, "date", cli_json_text(device->card.date));
    return identity;
}

static json_t *bus_json(const struct device *device)
{
    if (!device->bus_mode && !device->bus_error)
        return json_null();
    json_t *bus = json_object();
    set(bus, "mode", cli_json_text(device->bus_mode));
    set(bus, "width", number_or_null(device->bus_width));
    set(bus, "clock_hz", number_or_null(device->bus_clock_hz));
    set(bus, "ceiling", device->ceiling_bps > 0 ? json_real(device->ceiling_bps) : json_null());
    set(bus, "source", cli_json_text(device->bus_source));
    set(bus, "at_most", json_boolean(device->is_bus_at_most));
    set(bus, "error", cli_json_text(device->bus_error));
    return bus;
}

static json_t *usb_json(const struct device *device)
{
    const struct device_usb *usb = &device->usb;
    if (device->kind != DEVICE_USB && !(device->link && usb->speed_mbps))
        return json_null();
    json_t *object = json_object();
    set(object, "speed_mbps", number_or_null(usb->speed_mbps));
    set(object, "driver", cli_json_text(usb->driver));
    set(object, "uas_capable", json_boolean(usb->is_uas_capable));
    set(object, "port_mbps", number_or_null(usb->port_mbps));
    set(object, "ids", cli_json_text(usb->ids));
    set(object, "uas_off", cli_json_text(usb->uas_off));
    set(object, "capable_mbps", number_or_null(usb->capable_mbps));
    set(object, "capable_proven", json_boolean(usb->is_proven));
    set(object, "advice", cli_json_text(usb->advice));
    return object;
}

static json_t *health_json(const struct device_health *health)
{
    if (!card_health_is_known(health))
        return json_null();
    json_t *object = json_object();
    set(object, "used_percent_a", number_or_null(health->used[0]));
    set(object, "used_percent_b", number_or_null(health->used[1]));
    set(object, "past_end", json_boolean(health->is_past));
    set(object, "reserved", cli_json_text(card_reserved_name(health->reserved)));
    return object;
}

static json_t *claims_json(const struct device_claims *claims)
{
    struct str text AUTO(str_done) = {0};
    card_claims_text(claims, &text);
    if (text.size == 0 && claims->unit_bytes == 0)
        return json_null();
    json_t *object = json_object();
    set(object, "text", text.size > 0 ? cli_json_text(text.text) : json_null());
    set(object, "speed_class", number_or_null(claims->speed_class));
    set(object, "uhs", number_or_null(claims->uhs));
    set(object, "video", number_or_null(claims->video));
    set(object, "application", number_or_null(claims->application));
    set(object, "unit_bytes", number_or_null(claims->unit_bytes));
    return object;
}

/* Does a partition start on a border its card erases by? null when one is unknown. */
static json_t *aligned_json(const struct device *device, const struct device *disk)
{
    int is_aligned = remark_is_aligned(device, disk);
    return is_aligned < 0 ? json_null() : json_boolean(is_aligned);
}

static void set_storage(json_t *o, const struct device *device, const struct device *disk)
{
    set(o, "label", cli_json_text(device->label));
    set(o, "mount_read_only",
        device->mounts ? json_boolean(device->is_mount_read_only) : json_null());
    set(o, "write_protected", json_boolean(device->is_write_protected));
    set(o, "logical_block", number_or_null(device->logical_block));
    set(o, "physical_block", number_or_null(device->physical_block));
    set(o, "start_bytes", number_or_null(device->start_bytes));
    set(o, "aligned", aligned_json(device, disk));
    set(o, "erase_bytes", number_or_null(device->card.erase_bytes));
    set(o, "health", health_json(&device->card.health));
    set(o, "claims", claims_json(&device->card.claims));
    set(o, "doubt", cli_json_text(device->card.doubt));
}

static json_t *device_json(const struct device *device, const struct device *disk, bool has_boot)
{
    json_t *mounts = json_array();
    for (char **mount = device->mounts; mount && *mount; mount++)
        json_array_append_new(mounts, cli_json_text(*mount));
    json_t *o = json_object();
    set(o, "id", cli_json_text(device->id));
    set(o, "kind", json_string(device_kind_name(device->kind)));
    set(o, "name", cli_json_text(device->name));
    set(o, "size_bytes",
        json_integer(device->size_bytes <= INT64_MAX ? (json_int_t)device->size_bytes : 0));
    set(o, "medium", json_boolean(device->has_medium));
    set(o, "read_only", json_boolean(device->is_read_only));
    set(o, "parent", cli_json_text(device->parent));
    set(o, "connector", json_null());
    set(o, "identity", identity_json(device));
    set(o, "bus", bus_json(device));
    set(o, "usb", usb_json(device));
    set(o, "filesystem", cli_json_text(device->filesystem));
    set(o, "mounts", mounts);
    set(o, "root", json_boolean(device->is_root));
    set(o, "boot", has_boot ? json_boolean(device->is_boot) : json_null());
    if (device->kind < DEVICE_DRAM)
        set_storage(o, device, disk);
    if (device->link)
        list_port_set(o, device);
    set(o, "testable", json_boolean(device->is_testable));
    set(o, "why", device->is_testable ? json_null() : cli_json_text(device->why));
    return o;
}

json_t *list_json(const struct inventory *inventory, bool is_all)
{
    json_t *devices = json_array();
    const struct device *disk = NULL;
    bool has_boot = false; /* nothing known is mounted there: unknown */
    for (size_t i = 0; i < inventory->count; i++)
        has_boot = has_boot || inventory->devices[i].is_boot;
    for (size_t i = 0; i < inventory->count; i++) {
        const struct device *device = &inventory->devices[i];
        if (!device->parent)
            disk = device; /* partitions stand right behind theirs */
        if (is_all || !device->is_hidden)
            json_array_append_new(devices, device_json(device, disk, has_boot));
    }
    json_t *list = json_object();
    set(list, "schema", json_string("iodyno.list/1"));
    set(list, "devices", devices);
    return list;
}
