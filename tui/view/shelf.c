#include "view/shelf.h"

#include <string.h>

#include "base/units.h"
#include "device/link.h"
#include "iodyno/plugin.h"

static const struct {
    const char *title;
    uint32_t targets;
} groups[SHELF_GROUPS] = {
    [SHELF_STORAGE] = {"STORAGE", DYNO_BLOCK | DYNO_FOLDER},
    [SHELF_MEMORY] = {"MEMORY", DYNO_MEM},
    [SHELF_NETWORK] = {"NETWORK", DYNO_NET},
};

const char *shelf_title(enum shelf_group group)
{
    return groups[group].title;
}

uint32_t shelf_targets(enum shelf_group group)
{
    return groups[group].targets;
}

enum shelf_group shelf_group(const struct device *device)
{
    if (device->kind == DEVICE_DRAM)
        return SHELF_MEMORY;
    if (device->kind == DEVICE_ETHERNET || device->kind == DEVICE_WIFI)
        return SHELF_NETWORK;
    return SHELF_STORAGE;
}

static bool is_helper(enum device_kind kind)
{
    return kind == DEVICE_LOOP || kind == DEVICE_ZRAM || kind == DEVICE_DM || kind == DEVICE_MD;
}

bool shelf_shows(const struct inventory *inventory, const struct device *device)
{
    if (device->is_hidden || device->kind == DEVICE_PARTITION ||
        (device->parent && !is_helper(device->kind)))
        return false;
    if (!is_helper(device->kind))
        return true;
    struct str why = {0};
    bool is_mounted = inventory_mounted(inventory, device, &why) != NULL;
    str_done(&why);
    return is_mounted;
}

static bool is_disk(const struct device *device)
{
    return shelf_group(device) == SHELF_STORAGE;
}

/* A port that is not usable keeps its place, dim, with its reason. */
static void port_mode(const struct device *device, struct str *into, bool *ret_is_missing)
{
    *ret_is_missing = link_is_idle(device->link) || !device->is_testable;
    if (!device->is_testable && device->why)
        str_add(into, device->why);
    else
        link_mode(device->link, into);
}

void shelf_mode(const struct device *device, struct str *into, bool *ret_is_missing)
{
    if (device->link) {
        port_mode(device, into, ret_is_missing);
        return;
    }
    *ret_is_missing = device->kind == DEVICE_SLOT || (is_disk(device) && !device->has_medium);
    if (*ret_is_missing) {
        str_add(into, device->why                   ? device->why
                      : device->kind == DEVICE_SLOT ? "nothing in it"
                                                    : "no medium");
        return;
    }
    if (device->kind == DEVICE_MTD && device->why) {
        str_add(into, device->why);
        return;
    }
    if (device->bus_mode)
        str_addf(into, "%s%s", device->is_bus_at_most ? "at most " : "", device->bus_mode);
    if (device->bus_mode && device->bus_width)
        str_addf(into, " %u bit", device->bus_width);
    if (device->usb.advice)
        str_addf(into, " of %u Mbit/s", device->usb.capable_mbps);
    if (is_disk(device) && (device->is_read_only || device->is_mount_read_only))
        str_add(into, into->size ? ", read-only" : "read-only");
}

void shelf_address(const struct device *device, struct str *into)
{
    if (device->link)
        link_first_address(device->link, into);
}

const char *shelf_name(const char *name)
{
    const char *slash = name ? strrchr(name, '/') : NULL;
    return slash && name[0] == '/' && slash[1] ? slash + 1 : name ? name : "";
}

void shelf_size(const struct device *device, struct str *into)
{
    if (device->size_bytes == 0)
        return;
    bool is_memory = device->kind == DEVICE_DRAM;
    double bytes = (double)device->size_bytes;
    str_add(into, is_memory ? units_bytes_binary(bytes).text : units_bytes(bytes).text);
}

/* An option's default in its base unit, 0 when it has none. */
static uint64_t default_of(const struct catalog_test *test, const char *key)
{
    const struct option *option = catalog_option(test, key);
    struct option_value value = {0};
    struct str why = {0};
    uint64_t number = 0;
    if (option && option_parse(option, option->def, &value, &why) == 0 && value.is_set)
        number = value.number;
    option_value_done(&value);
    str_done(&why);
    return number;
}

double shelf_estimate(const struct catalog_test *test, double rate)
{
    uint64_t time_ns = default_of(test, "time");
    if (time_ns > 0)
        return (double)time_ns / 1e9;
    uint64_t bytes = default_of(test, "size");
    if (bytes == 0)
        bytes = default_of(test, "count") * default_of(test, "bs");
    return bytes > 0 && rate > 0 ? (double)bytes / rate : -1;
}
