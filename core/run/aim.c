#include "run/aim.h"

#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "device/block.h"
#include "device/mount.h"
#include "iodyno/plugin.h"

void aim_done(struct aim *aim)
{
    str_done(&aim->path);
}

static bool is_storage(const struct device *device)
{
    return device->kind < DEVICE_DRAM;
}

/* What a device can be offered as, as a mask of enum dyno_target_kind. */
static uint32_t device_targets(const struct device *device)
{
    if (is_storage(device))
        return DYNO_BLOCK | DYNO_FOLDER;
    if (device->kind == DEVICE_DRAM)
        return DYNO_MEM;
    if (device->kind == DEVICE_ETHERNET || device->kind == DEVICE_WIFI)
        return DYNO_NET;
    return 0;
}

/* Tests that write nothing, and say so by an option, may read a device that has no file system. */
static const struct option *raw_option(const struct catalog_test *test)
{
    const struct option *option = catalog_option(test, "raw");
    bool may = option && option->type == DYNO_BOOL && !(test->flags & DYNO_WRITES);
    return may ? option : NULL;
}

static bool has_raw(const struct device *device)
{
    return is_storage(device) && device->has_medium && device->size_bytes > 0 &&
           device->kind != DEVICE_MTD && !block_hidden_why(device);
}

/* What can be written to with a person's word: a device that may hold a file system and is not
 * mounted. Whether it does hold one, the worker finds out. `why` keeps or gets the reason. */
static bool has_private(const struct inventory *inventory, const struct device *device,
                        struct str *why)
{
    if (!has_raw(device) || device->is_read_only)
        return false;
    AUTO(str_done) struct str parts = {0};
    for (size_t i = 0; i < inventory->count && !device->parent; i++) {
        const struct device *part = &inventory->devices[i];
        if (part->parent && strcmp(part->parent, device->id) == 0)
            str_addf(&parts, "%s%s", parts.size ? ", " : "", part->id);
    }
    if (parts.size == 0)
        return true;
    str_clear(why);
    str_addf(why, "none of its partitions is mounted: name one of them (%s)", parts.text);
    return false;
}

const char *aim_unfit(const struct inventory *inventory, const struct catalog_test *test,
                      const struct device *device, struct str *why)
{
    if ((test->targets & device_targets(device)) == 0) {
        str_clear(why);
        str_addf(why, "%s does not run on %s", test->id, device_kind_label(device->kind));
        return str_text(why);
    }
    if (is_storage(device) && !inventory_mounted(inventory, device, why) &&
        !(raw_option(test) && has_raw(device)) && !has_private(inventory, device, why))
        return str_text(why);
    if (!is_storage(device) && !device->is_testable)
        return device->why ? device->why : "it cannot be tested";
    return NULL;
}

static void list_devices(const struct order_context *context, const struct catalog_test *test,
                         struct str *into)
{
    size_t shown = 0;
    for (size_t i = 0; i < context->inventory->count; i++) {
        const struct device *device = &context->inventory->devices[i];
        if ((test->targets & device_targets(device)) == 0 || device->is_hidden)
            continue;
        str_addf(into, "%s%s", shown ? ", " : "", device->id);
        shown++;
    }
    if (test->targets & DYNO_FOLDER)
        str_add(into, shown ? " or a folder" : "a folder");
    else if (shown == 0)
        str_add(into, "a device, but this machine has none that fits");
}

static bool is_folder_text(const char *text)
{
    return strchr(text, '/') || strcmp(text, ".") == 0 || strcmp(text, "..") == 0;
}

/* By the path's text alone: the owner does not touch a file system. The worker, which does, drops
 * what is told of the device when a link leads elsewhere. */
static const struct device *device_of_folder(const struct order_context *context, const char *path)
{
    AUTO(mount_table_done) struct mount_table table = {0};
    if (!context->root || mount_read(context->root, &table) < 0)
        return NULL;
    const struct mount_entry *entry = mount_by_path(&table, path);
    for (size_t i = 0; entry && entry->major && i < context->inventory->count; i++) {
        const struct device *device = &context->inventory->devices[i];
        if (is_storage(device) && device->major == entry->major && device->minor == entry->minor)
            return device;
    }
    return NULL;
}

static enum order_refusal place_folder(const struct order_context *context, const char *text,
                                       struct aim *aim, struct str *why)
{
    if (text[0] != '/') {
        AUTO_FREE char *here = getcwd(NULL, 0);
        if (!here) {
            str_addf(why, "cannot tell the working folder; give %s as an absolute path", text);
            return ORDER_UNFIT;
        }
        str_addf(&aim->path, "%s/", strcmp(here, "/") == 0 ? "" : here);
    }
    str_add(&aim->path, text);
    while (aim->path.size > 1 && aim->path.text[aim->path.size - 1] == '/')
        aim->path.text[--aim->path.size] = '\0';
    aim->kind = "folder";
    aim->id = str_text(&aim->path);
    aim->device = device_of_folder(context, aim->id);
    return ORDER_OK;
}

enum raw_wish { RAW_WHEN_UNMOUNTED, RAW_NO, RAW_YES };

/* The last `raw=` among the options, which have been parsed before. */
static enum raw_wish raw_wish(const struct catalog_test *test, const struct order_wish *wish)
{
    const struct option *option = raw_option(test);
    enum raw_wish answer = option ? RAW_WHEN_UNMOUNTED : RAW_NO;
    for (size_t i = 0; option && wish->options && wish->options[i]; i++) {
        const char *text = wish->options[i], *equals = strchr(text, '=');
        struct option_value value = {0};
        struct str why AUTO(str_done) = {0};
        if (strncmp(text, "raw", 3) != 0 || (text[3] && text[3] != '='))
            continue;
        if (option_parse(option, equals ? equals + 1 : "yes", &value, &why) == 0 && value.is_set)
            answer = value.number ? RAW_YES : RAW_NO;
        option_value_done(&value);
    }
    return answer;
}

/* A mounted device is used through its file system, unless it was to be read raw. */
static enum order_refusal place_storage(const struct order_context *context,
                                        const struct device *device, enum raw_wish raw,
                                        struct aim *aim, struct str *why)
{
    struct str reason AUTO(str_done) = {0};
    const struct device *mounted = inventory_mounted(context->inventory, device, &reason);
    aim->kind = "block";
    aim->is_raw = raw == RAW_YES || (raw == RAW_WHEN_UNMOUNTED && !mounted);
    if (aim->is_raw && has_raw(device)) {
        str_addf(&aim->path, "/dev/%s", device->id);
        return ORDER_OK;
    }
    if (!mounted && !aim->is_raw && has_private(context->inventory, device, &reason)) {
        aim->is_private = true;
        str_addf(&aim->path, "/dev/%s", device->id);
        return ORDER_OK;
    }
    if (!mounted || aim->is_raw) {
        str_addf(why, "%s cannot be used: %s", device->id,
                 mounted ? "it cannot be read raw" : str_text(&reason));
        return ORDER_UNFIT;
    }
    aim->device = mounted;
    str_add(&aim->path, mounted->mounts[0]);
    return ORDER_OK;
}

static enum order_refusal place_device(const struct order_context *context,
                                       const struct catalog_test *test, const char *id,
                                       enum raw_wish raw, struct aim *aim, struct str *why)
{
    const struct device *device = inventory_find(context->inventory, id);
    if (!device) {
        str_addf(why, "there is no device \"%s\"; expected ", id);
        list_devices(context, test, why);
        return ORDER_UNFIT;
    }
    struct str reason AUTO(str_done) = {0};
    const char *unfit = aim_unfit(context->inventory, test, device, &reason);
    if (unfit) {
        str_addf(why, "%s cannot be used: %s", id, unfit);
        return ORDER_UNFIT;
    }
    aim->device = device;
    aim->id = device->id;
    if (is_storage(device))
        return place_storage(context, device, raw, aim, why);
    aim->kind = device->kind == DEVICE_DRAM ? "mem" : "net";
    return ORDER_OK;
}

enum order_refusal aim_take(const struct order_context *context, const struct catalog_test *test,
                            const struct order_wish *wish, struct aim *aim, struct str *why)
{
    const char *text = wish->target;
    enum raw_wish raw = raw_wish(test, wish);
    if (!is_folder_text(text))
        return place_device(context, test, text, raw, aim, why);
    if (raw == RAW_YES) {
        str_addf(why, "raw reads a whole device, and %s is a folder: name the device", text);
        return ORDER_UNFIT;
    }
    if ((test->targets & DYNO_FOLDER) == 0) {
        str_addf(why, "%s does not run in a folder; expected ", test->id);
        list_devices(context, test, why);
        return ORDER_UNFIT;
    }
    return place_folder(context, text, aim, why);
}
