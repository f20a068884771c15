#include "device/slot.h"

#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/str.h"
#include "device/link.h"
#include "device/mmc.h"
#include "device/mode.h"
#include "device/sysfs.h"
#include "device/tree.h"

static const char empty[] = "it has no card";

/* Node names of controllers that disks hang on. */
static const char *const controllers[] = {
    "mmc",  "sdhci",           "sdmmc", "emmc", "sata", "ahci",
    "ufs",  "ufshc",           "usb",   "ehci", "ohci", "xhci",
    "nand", "nand-controller", "nfc",
};
static const char *const ports[] = {"ethernet", "gmac", "eth"};

/* Cards stand as "mmc0:0001" below their host. */
static bool has_card(const char *host_folder)
{
    char **names = NULL;
    bool is_found = false;
    AUTO(str_done) struct str prefix = {0};
    str_addf(&prefix, "%s:", sysfs_base(host_folder));
    if (sysfs_list(host_folder, &names) < 0)
        return false;
    for (char **name = names; *name && !is_found; name++)
        is_found = str_starts(*name, prefix.text);
    sysfs_list_free(names);
    return is_found;
}

static void scan_host(const char *root, const char *folder, slot_fn fn, void *user)
{
    if (has_card(folder))
        return;
    struct device slot = {.kind = DEVICE_SLOT,
                          .id = mem_copy_text(sysfs_base(folder)),
                          .sysfs_path = mem_copy_text(folder),
                          .why = mem_copy_text(empty)};
    mode_read_tree(root, folder, &slot);
    fn(user, slot);
}

static int compare_hosts(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

/* The hosts of the cards that were found, sorted. SDIO cards are no disks: theirs are not known. */
static char **known_hosts(const struct device *devices, size_t count, size_t *ret_count)
{
    char **hosts = mem_new(count + 1, sizeof *hosts);
    for (size_t i = 0; i < count; i++) {
        struct str host = {0};
        if ((devices[i].kind == DEVICE_EMMC || devices[i].kind == DEVICE_SD) &&
            mmc_host_of(devices[i].sysfs_path, &host) == 0)
            hosts[(*ret_count)++] = str_take(&host);
    }
    qsort(hosts, *ret_count, sizeof *hosts, compare_hosts);
    return hosts;
}

static void scan_hosts(const char *root, const struct device *devices, size_t count, slot_fn fn,
                       void *user)
{
    AUTO_FREE char *class = NULL;
    char **names = NULL;
    size_t known_count = 0;
    if (sysfs_resolve(root, "/sys/class/mmc_host", &class) < 0 || sysfs_list(class, &names) < 0)
        return;
    char **known = known_hosts(devices, count, &known_count);
    for (char **name = names; *name; name++) {
        AUTO_FREE char *folder = NULL;
        if (!str_starts(*name, "mmc") ||
            bsearch(name, known, known_count, sizeof *known, compare_hosts))
            continue;
        if (sysfs_follow(root, class, *name, &folder) == 0)
            scan_host(root, folder, fn, user);
    }
    sysfs_list_free(names);
    sysfs_list_free(known);
}

static bool is_one_of(const char *node, const char *const *list, size_t count)
{
    const char *name = sysfs_base(node);
    for (size_t i = 0; i < count; i++) {
        size_t size = strlen(list[i]);
        if (strncmp(name, list[i], size) == 0 && (name[size] == '@' || name[size] == '\0'))
            return true;
    }
    return false;
}

/* DEVICE_KINDS: no place that a test could want. */
static enum device_kind kind_of(const char *node)
{
    return is_one_of(node, controllers, ARRAY_SIZE(controllers)) ? DEVICE_SLOT
           : is_one_of(node, ports, ARRAY_SIZE(ports))           ? DEVICE_ETHERNET
                                                                 : DEVICE_KINDS;
}

static void scan_node(const char *root, const char *bus, const char *name, slot_fn fn, void *user)
{
    AUTO_FREE char *folder = NULL, *node = NULL;
    if (sysfs_follow(root, bus, name, &folder) < 0 || sysfs_has(folder, "driver") ||
        tree_node(root, folder, &node) < 0 || kind_of(node) == DEVICE_KINDS)
        return;
    AUTO_FREE char *status = tree_label(node, "status");
    if (status && strcmp(status, "okay") != 0 && strcmp(status, "ok") != 0)
        return;
    uint64_t waits = 0;
    bool is_waiting = sysfs_has(folder, "waiting_for_supplier") &&
                      sysfs_number(folder, "waiting_for_supplier", &waits) == 0 && waits == 1;
    struct device slot = {.kind = kind_of(node),
                          .name = tree_label(node, "compatible"),
                          .sysfs_path = take_pointer(&folder)};
    struct str id = {0};
    str_add_clean(&id, name, strlen(name));
    slot.id = str_take(&id);
    slot.why = mem_copy_text(is_waiting ? "the device tree enables it, but what it depends on is "
                                          "missing"
                                        : "the device tree enables it, but no driver took it");
    if (slot.kind == DEVICE_ETHERNET)
        slot.link = mem_new(1, sizeof *slot.link);
    fn(user, slot);
}

static void scan_nodes(const char *root, slot_fn fn, void *user)
{
    AUTO_FREE char *bus = NULL;
    char **names = NULL;
    if (sysfs_resolve(root, "/sys/bus/platform/devices", &bus) < 0 || sysfs_list(bus, &names) < 0)
        return;
    for (char **name = names; *name; name++)
        scan_node(root, bus, *name, fn, user);
    sysfs_list_free(names);
}

void slot_scan(const char *root, const struct device *devices, size_t count, slot_fn fn, void *user)
{
    scan_hosts(root, devices, count, fn, user);
    scan_nodes(root, fn, user);
}
