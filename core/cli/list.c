#include <errno.h>
#include <jansson.h>
#include <stdio.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/err.h"
#include "base/str.h"
#include "base/units.h"
#include "cli/command.h"
#include "cli/json.h"
#include "device/inventory.h"

static const struct argument_row rows[] = {
    {"all", false, "also devices that cannot be tested"},
    {"json", false, "one JSON object (iodyno.list/1)"},
    {"sysroot", true, "a folder that holds a recorded sys/ and proc/ instead of this machine's"},
    {NULL, false, NULL},
};

static json_t *identity_json(const struct device *device)
{
    if (!device->cid && !device->serial)
        return json_null();
    return json_pack("{s:s?, s:s?}", "cid", device->cid, "serial", device->serial);
}

static json_t *bus_json(const struct device *device)
{
    if (!device->bus_mode)
        return json_null();
    json_t *bus = json_pack("{s:s}", "mode", device->bus_mode);
    json_object_set_new(bus, "width",
                        device->bus_width ? json_integer(device->bus_width) : json_null());
    json_object_set_new(bus, "clock_hz",
                        device->bus_clock_hz ? json_integer((json_int_t)device->bus_clock_hz)
                                             : json_null());
    json_object_set_new(bus, "ceiling",
                        device->ceiling_bps > 0 ? json_real(device->ceiling_bps) : json_null());
    json_object_set_new(bus, "source", cli_json_text(device->bus_source));
    return bus;
}

/* Of a disk on USB; what its port could do is not known here. */
static json_t *usb_json(const struct device *device)
{
    if (device->usb_speed_mbps == 0 && !device->usb_driver)
        return json_null();
    json_t *usb = json_object();
    json_object_set_new(usb, "speed_mbps",
                        device->usb_speed_mbps ? json_integer(device->usb_speed_mbps)
                                               : json_null());
    json_object_set_new(usb, "driver", cli_json_text(device->usb_driver));
    json_object_set_new(usb, "uas_capable", json_boolean(device->is_uas_capable));
    json_object_set_new(usb, "port_mbps", json_null());
    return usb;
}

static json_t *device_json(const struct device *device)
{
    json_t *mounts = json_array();
    for (char **mount = device->mounts; mount && *mount; mount++)
        json_array_append_new(mounts, cli_json_text(*mount));
    json_t *o = json_object();
    json_object_set_new(o, "id", cli_json_text(device->id));
    json_object_set_new(o, "kind", json_string(device_kind_name(device->kind)));
    json_object_set_new(o, "name", cli_json_text(device->name));
    json_object_set_new(o, "size_bytes", json_integer((json_int_t)device->size_bytes));
    json_object_set_new(o, "medium", json_boolean(device->has_medium));
    json_object_set_new(o, "read_only", json_boolean(device->is_read_only));
    json_object_set_new(o, "parent", cli_json_text(device->parent));
    json_object_set_new(o, "connector", json_null());
    json_object_set_new(o, "identity", identity_json(device));
    json_object_set_new(o, "bus", bus_json(device));
    json_object_set_new(o, "usb", usb_json(device));
    json_object_set_new(o, "filesystem", cli_json_text(device->filesystem));
    json_object_set_new(o, "mounts", mounts);
    json_object_set_new(o, "root", json_boolean(device->is_root));
    json_object_set_new(o, "testable", json_boolean(device->is_testable));
    json_object_set_new(o, "why", device->is_testable ? json_null() : cli_json_text(device->why));
    return o;
}

static int print_json(const struct inventory *inventory)
{
    json_t *devices = json_array();
    for (size_t i = 0; i < inventory->count; i++)
        json_array_append_new(devices, device_json(&inventory->devices[i]));
    json_t *list = json_object();
    json_object_set_new(list, "schema", json_string("iodyno.list/1"));
    json_object_set_new(list, "devices", devices);
    return cli_json_print(list);
}

/* A loop device is named by the file behind it, without its folders. */
static const char *name_of(const struct device *device)
{
    const char *slash = device->name ? strrchr(device->name, '/') : NULL;
    return slash && slash[1] ? slash + 1 : device->name ? device->name : "";
}

static void print_device(const struct device *device)
{
    /* Names and mount points are whatever a card, a person or a recorded tree gave them. */
    struct str place AUTO(str_done) = {0}, clean AUTO(str_done) = {0}, id AUTO(str_done) = {0};
    str_add_clean(&id, device->id, strlen(device->id));
    if (device->filesystem)
        str_addf(&place, "%s ", device->filesystem);
    if (device->mounts && device->mounts[0])
        str_addf(&place, "%s", device->mounts[0]);
    if (device->is_root)
        str_add(&place, "  (root)");
    if (!device->is_testable && device->why)
        str_addf(&place, "%s%s", place.size ? "  " : "", device->why);
    str_add_clean(&clean, str_text(&place), place.size);
    struct units_text size = {"-"};
    if (device->size_bytes)
        size = device->kind == DEVICE_DRAM ? units_bytes_binary((double)device->size_bytes)
                                           : units_bytes((double)device->size_bytes);
    struct str mode AUTO(str_done) = {0};
    str_add(&mode, device->bus_mode ? device->bus_mode : "");
    if (device->bus_mode && device->bus_width)
        str_addf(&mode, " %u bit", device->bus_width);
    printf("%-10s %-12s %-14.14s %9s  %-15s %s\n", device_kind_label(device->kind), str_text(&id),
           name_of(device), size.text, str_text(&mode), str_text(&clean));
}

static int run(const struct arguments *arguments)
{
    const char *root = arguments_value(arguments, "sysroot");
    struct inventory inventory = {0};
    int code = arguments_has(arguments, "all") ? inventory_scan_all(root ? root : "", &inventory)
                                               : inventory_scan(root ? root : "", &inventory);
    if (code)
        return command_fail(EXIT_REFUSED, "cannot read the devices%s%s: %s", root ? " of " : "",
                            root ? root : "", err_text(code));
    int result = EXIT_DONE;
    if (arguments_has(arguments, "json")) {
        result = print_json(&inventory);
    } else {
        size_t hidden = 0;
        printf("%-10s %-12s %-14s %9s  %-15s %s\n", "kind", "id", "name", "size", "mode", "where");
        for (size_t i = 0; i < inventory.count; i++) {
            const struct device *device = &inventory.devices[i];
            if (device->is_testable || device->kind == DEVICE_SLOT ||
                device->kind < DEVICE_PARTITION || arguments_has(arguments, "all"))
                print_device(device);
            else
                hidden++;
        }
        if (hidden)
            printf("%zu more that cannot be tested: iodyno list --all\n", hidden);
    }
    inventory_done(&inventory);
    return result;
}

const struct command command_list = {
    .name = "list",
    .usage = "list [--all] [--json] [--sysroot DIR]",
    .help = "devices found, and the places where one is missing",
    .rows = rows,
    .run = run,
};
