#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/err.h"
#include "base/str.h"
#include "base/units.h"
#include "cli/command.h"
#include "cli/json.h"
#include "cli/list_json.h"
#include "device/card.h"
#include "device/dram.h"
#include "device/inventory.h"
#include "device/link.h"
#include "device/remark.h"
#include "modes.h"
#include "ports.h"
#include "readers.h"

static const struct argument_row rows[] = {
    {"all", false, "also devices that cannot be tested"},
    {"json", false, "one JSON object (iodyno.list/1)"},
    {"sysroot", true, "a folder that holds a recorded sys/ and proc/ instead of this machine's"},
    {NULL, false, NULL},
};

#define ASK_TURNS_MAX 1000 /* of a loop whose questions end by themselves */

static int scan(bool is_all, const char *root, struct inventory *ret_inventory)
{
    return is_all ? inventory_scan_all(root, ret_inventory) : inventory_scan(root, ret_inventory);
}

static void on_modes(void *user)
{
    (void)user;
}

static void on_ports(void *user, enum ports_news news)
{
    (void)user;
    (void)news;
}

static void on_medium(void *user)
{
    *(bool *)user = true;
}

/* A card may have come into a reader unseen. */
static bool has_new_medium(struct loop *loop, const struct inventory *inventory)
{
    bool is_changed = false;
    struct readers *readers = readers_new(loop, inventory, true, on_medium, &is_changed);
    readers_refresh(readers);
    for (int i = 0; i < ASK_TURNS_MAX && readers_are_pending(readers); i++)
        if (loop_turn(loop, -1) < 0)
            break;
    readers_free(readers);
    return is_changed;
}

/* This is not the screen's process: it may wait for the probes, each of which has its limit. */
static void ask_probes(bool is_all, struct inventory *inventory)
{
    struct loop *loop = NULL;
    struct inventory fresh = {0};
    if (loop_new(&loop) < 0)
        return;
    if (has_new_medium(loop, inventory) && scan(is_all, "", &fresh) == 0) {
        inventory_done(inventory);
        *inventory = fresh;
    }
    struct modes *modes = modes_new(loop, inventory, on_modes, NULL);
    struct ports *ports = ports_new(loop, inventory, on_ports, NULL);
    modes_refresh(modes);
    ports_refresh(ports);
    for (int i = 0; i < ASK_TURNS_MAX && (modes_are_pending(modes) || ports_are_pending(ports));
         i++)
        if (loop_turn(loop, -1) < 0)
            break;
    ports_free(ports);
    modes_free(modes);
    loop_free(loop);
}

/* "DDR52 8 bit", "at most HS200 8 bit". */
static void describe_bus(const struct device *device, struct str *into)
{
    if (device->link) {
        link_mode(device->link, into);
        return;
    }
    if (device->bus_mode)
        str_addf(into, "%s%s", device->is_bus_at_most ? "at most " : "", device->bus_mode);
    if (device->bus_mode && device->bus_width)
        str_addf(into, device->kind == DEVICE_NVME ? " x%u" : " %u bit", device->bus_width);
}

static void add_remark(struct str *into, const char *text)
{
    if (text && text[0])
        str_addf(into, "%s%s", into->size ? "  " : "", text);
}

/* What a person should know of a disk beside its state. */
static void describe_facts(const struct device *device, const struct device *disk, struct str *into)
{
    struct str claims AUTO(str_done) = {0}, remarks AUTO(str_done) = {0};
    card_claims_text(&device->card.claims, &claims);
    add_remark(into, str_text(&claims));
    remark_add(device, disk, &remarks);
    add_remark(into, str_text(&remarks));
}

/* A port's mode is how it runs; what it hangs on, its addresses and what to know of it follow. */
static void describe_port(const struct device *device, struct str *into)
{
    const struct link *link = device->link;
    struct str remarks AUTO(str_done) = {0};
    add_remark(into, link->addresses);
    add_remark(into, link->mac);
    if (link->driver)
        str_addf(into, "%s%s%s%s", into->size ? "  " : "", link->driver, link->bus ? " on " : "",
                 link->bus ? link->bus : "");
    if (device->usb.speed_mbps)
        str_addf(into, " (%u Mbit/s)", device->usb.speed_mbps);
    if (device->is_hidden)
        add_remark(into, link->nature);
    if (!device->is_testable && !link->kernel_error)
        add_remark(into, device->why);
    if (!device->is_hidden)
        remark_add(device, NULL, &remarks);
    add_remark(into, str_text(&remarks));
}

/* A loop device is named by the file behind it, without its folders; a card may be called "N/A". */
static const char *name_of(const struct device *device)
{
    const char *name = device->name ? device->name : "", *slash = strrchr(name, '/');
    return name[0] == '/' && slash[1] ? slash + 1 : name;
}

static void describe_place(const struct device *device, const struct device *disk, struct str *into)
{
    if (device->link) {
        describe_port(device, into);
        return;
    }
    if (device->filesystem)
        str_addf(into, "%s ", device->filesystem);
    if (device->mounts && device->mounts[0])
        str_addf(into, "%s", device->mounts[0]);
    if (device->is_root)
        str_add(into, "  (root)");
    else if (device->is_boot)
        str_add(into, "  (boot)");
    if (!device->is_testable)
        add_remark(into, device->why);
    describe_facts(device, disk, into);
}

static void print_device(const struct device *device, const struct device *disk)
{
    /* Names and mount points are whatever a card, a person or a recorded tree gave them. */
    struct str place AUTO(str_done) = {0}, clean AUTO(str_done) = {0}, id AUTO(str_done) = {0};
    str_add_clean(&id, device->id, strlen(device->id));
    describe_place(device, disk, &place);
    str_add_clean(&clean, str_text(&place), place.size);
    struct units_text size = {"-"};
    if (device->size_bytes)
        size = device->kind == DEVICE_DRAM ? units_bytes_binary((double)device->size_bytes)
                                           : units_bytes((double)device->size_bytes);
    struct str mode AUTO(str_done) = {0};
    describe_bus(device, &mode);
    printf("%-10s %-12s %-14.14s %9s  %-15s %s\n", device_kind_label(device->kind), str_text(&id),
           name_of(device), size.text, str_text(&mode), str_text(&clean));
}

static int run(const struct arguments *arguments)
{
    const char *root = arguments_value(arguments, "sysroot");
    struct inventory inventory = {0};
    bool is_all = arguments_has(arguments, "all");
    int code = scan(is_all, root ? root : "", &inventory);
    if (code)
        return command_fail(EXIT_REFUSED, "cannot read the devices%s%s: %s", root ? " of " : "",
                            root ? root : "", err_text(code));
    int result = EXIT_DONE;
    if (!root)
        ask_probes(is_all, &inventory);
    struct dram dram; /* placed last: the probes may have had all devices read anew */
    dram_find(root ? root : "", &dram);
    dram_place(&dram, &inventory);
    if (arguments_has(arguments, "json")) {
        result = cli_json_print(list_json(&inventory, is_all));
    } else {
        size_t hidden = 0;
        const struct device *disk = NULL;
        printf("%-10s %-12s %-14s %9s  %-15s %s\n", "kind", "id", "name", "size", "mode", "where");
        for (size_t i = 0; i < inventory.count; i++) {
            const struct device *device = &inventory.devices[i];
            if (!device->parent)
                disk = device; /* partitions stand right behind theirs */
            bool is_shown = device->is_testable || device->link || device->kind == DEVICE_SLOT ||
                            device->kind < DEVICE_PARTITION;
            if (is_all || (is_shown && !device->is_hidden))
                print_device(device, device->parent ? disk : NULL);
            else
                hidden++;
        }
        if (hidden)
            printf("%zu more that cannot be tested, or stand for no device: iodyno list --all\n",
                   hidden);
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
