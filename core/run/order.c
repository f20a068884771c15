#include "run/order.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/str.h"
#include "base/units.h"
#include "iodyno/plugin.h"
#include "run/expect.h"
#include "run/intervals.h"

struct target { /* where the run will go */
    const char *kind;
    const char *id;
    const struct device *device; /* NULL for a bare folder */
    struct str path;
};

static void target_done(struct target *target)
{
    str_done(&target->path);
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

const char *order_unfit(const struct inventory *inventory, const struct catalog_test *test,
                        const struct device *device, struct str *why)
{
    if ((test->targets & device_targets(device)) == 0) {
        str_clear(why);
        str_addf(why, "%s does not run on %s", test->id, device_kind_label(device->kind));
        return str_text(why);
    }
    if (is_storage(device) && !inventory_mounted(inventory, device, why))
        return str_text(why);
    if (!is_storage(device) && !device->is_testable)
        return device->why ? device->why : "it cannot be tested";
    return NULL;
}

static void list_tests(const struct catalog *catalog, struct str *into)
{
    size_t shown = 0;
    for (size_t i = 0; i < catalog->test_count; i++) {
        if (catalog->tests[i].flags & DYNO_HIDDEN)
            continue;
        str_addf(into, "%s%s", shown ? ", " : "", catalog->tests[i].id);
        shown++;
    }
}

/* Whether the plugin file's name says that the test would be in it: selftest.so, selftest.sine. */
static bool is_plugin_of(const struct catalog_plugin *plugin, const char *test)
{
    const char *slash = strrchr(plugin->path, '/'), *name = slash ? slash + 1 : plugin->path;
    size_t size = strcspn(name, ".");
    return strncmp(name, test, size) == 0 && test[size] == '.';
}

/* A test may only seem unknown because its plugin could not be asked. */
static enum order_refusal refuse_test(const struct catalog *catalog, const char *test,
                                      struct str *why)
{
    for (size_t i = 0; i < catalog->plugin_count; i++) {
        const struct catalog_plugin *plugin = &catalog->plugins[i];
        if (!plugin->refused || (catalog->test_count > 0 && !is_plugin_of(plugin, test)))
            continue;
        str_addf(why, "%s cannot be run: the plugin %s was refused: %s", test, plugin->path,
                 plugin->refused);
        return ORDER_UNFIT;
    }
    if (catalog->test_count == 0) {
        str_addf(why,
                 "%s cannot be run: there is no plugin (`iodyno doctor` tells what is missing)",
                 test);
        return ORDER_UNFIT;
    }
    str_addf(why, "there is no test \"%s\"; expected ", test);
    list_tests(catalog, why);
    return ORDER_UNKNOWN;
}

static void list_devices(const struct order_context *context, const struct catalog_test *test,
                         struct str *into)
{
    size_t shown = 0;
    for (size_t i = 0; i < context->inventory->count; i++) {
        const struct device *device = &context->inventory->devices[i];
        if ((test->targets & device_targets(device)) == 0)
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

static enum order_refusal place_folder(const char *text, struct target *target, struct str *why)
{
    if (text[0] != '/') {
        AUTO_FREE char *here = getcwd(NULL, 0);
        if (!here) {
            str_addf(why, "cannot tell the working folder; give %s as an absolute path", text);
            return ORDER_UNFIT;
        }
        str_addf(&target->path, "%s/", strcmp(here, "/") == 0 ? "" : here);
    }
    str_add(&target->path, text);
    while (target->path.size > 1 && target->path.text[target->path.size - 1] == '/')
        target->path.text[--target->path.size] = '\0';
    target->kind = "folder";
    target->id = str_text(&target->path);
    return ORDER_OK;
}

static enum order_refusal place_device(const struct order_context *context,
                                       const struct catalog_test *test, const char *id,
                                       struct target *target, struct str *why)
{
    const struct device *device = inventory_find(context->inventory, id);
    if (!device) {
        str_addf(why, "there is no device \"%s\"; expected ", id);
        list_devices(context, test, why);
        return ORDER_UNFIT;
    }
    struct str reason AUTO(str_done) = {0};
    const char *unfit = order_unfit(context->inventory, test, device, &reason);
    if (unfit) {
        str_addf(why, "%s cannot be used: %s", id, unfit);
        return ORDER_UNFIT;
    }
    target->device = device;
    target->id = device->id;
    if (is_storage(device)) {
        const struct device *mounted = inventory_mounted(context->inventory, device, &reason);
        target->kind = "block";
        target->device = mounted;
        str_add(&target->path, mounted->mounts[0]);
    } else {
        target->kind = device->kind == DEVICE_DRAM ? "mem" : "net";
    }
    return ORDER_OK;
}

static enum order_refusal place(const struct order_context *context,
                                const struct catalog_test *test, const char *text,
                                struct target *target, struct str *why)
{
    if (!is_folder_text(text))
        return place_device(context, test, text, target, why);
    if ((test->targets & DYNO_FOLDER) == 0) {
        str_addf(why, "%s does not run in a folder; expected ", test->id);
        list_devices(context, test, why);
        return ORDER_UNFIT;
    }
    return place_folder(text, target, why);
}

static void add_target(const struct target *target, struct str *pairs)
{
    str_add_pair(pairs, "target.kind", target->kind);
    str_add_pair(pairs, "target.id", target->id);
    str_add_pair(pairs, "target.path", str_text(&target->path));
    const struct device *device = target->device;
    if (!device)
        return;
    str_add_pair(pairs, "target.device", device_kind_name(device->kind));
    if (device->parent)
        str_add_pair(pairs, "target.parent", device->parent);
    if (device->name)
        str_add_pair(pairs, "target.name", device->name);
    if (device->cid)
        str_add_pair(pairs, "target.cid", device->cid);
    if (device->serial)
        str_add_pair(pairs, "target.serial", device->serial);
    if (device->size_bytes)
        str_add_pairf(pairs, "target.size_bytes", "%llu", (unsigned long long)device->size_bytes);
    if (device->bus_mode)
        str_add_pair(pairs, "target.mode", device->bus_mode);
    if (device->bus_width)
        str_add_pairf(pairs, "target.width", "%u", device->bus_width);
    if (device->ceiling_bps > 0) {
        str_add_pairf(pairs, "target.ceiling", "%.0f", device->ceiling_bps);
        str_add_pair(pairs, "target.ceiling_source",
                     device->bus_source ? device->bus_source : "bus mode");
    }
}

/* An empty text is one; an empty number would be neither a value nor the default. */
static bool may_be_empty(const struct option *option)
{
    return !option->def || !option->def[0] || option->type == DYNO_TEXT ||
           option->type == DYNO_PATH || option->type == DYNO_ADDRESS || option->type == DYNO_DEVICE;
}

static enum order_refusal add_option(const struct catalog_test *test, const char *text,
                                     struct str *pairs, struct str *why)
{
    const char *equals = strchr(text, '=');
    AUTO_FREE char *key = mem_copy_text(text);
    if (equals)
        key[equals - text] = '\0';
    const struct option *option = catalog_option(test, key);
    if (!option) {
        str_addf(why, "%s has no option \"%s\"; expected ", test->id, key);
        for (size_t i = 0; i < test->option_count; i++)
            str_addf(why, "%s%s", i ? ", " : "", test->options[i].key);
        return ORDER_UNKNOWN;
    }
    const char *value = equals ? equals + 1 : option->type == DYNO_BOOL ? "yes" : "";
    struct option_value parsed = {0};
    if (!value[0] && !(equals && may_be_empty(option))) {
        str_addf(why, "%s: expected a value, as in --%s=%s", option->key, option->key,
                 option->def && option->def[0] ? option->def : "VALUE");
        return ORDER_UNKNOWN;
    }
    if (option_parse(option, value, &parsed, why))
        return ORDER_UNKNOWN;
    option_value_done(&parsed);
    struct str name AUTO(str_done) = {0};
    str_addf(&name, "option.%s", option->key);
    str_add_pair(pairs, str_text(&name), value);
    return ORDER_OK;
}

static enum order_refusal add_expect(const struct catalog_test *test, const char *text,
                                     struct str *pairs, struct str *why)
{
    struct expect parsed = {0};
    if (expect_parse(text, test->metrics, test->metric_count, &parsed, why))
        return ORDER_UNKNOWN;
    expect_done(&parsed);
    str_add_pair(pairs, "expect", text);
    return ORDER_OK;
}

static enum order_refusal add_wishes(const struct catalog_test *test, const struct order_wish *wish,
                                     struct str *pairs, struct str *why)
{
    enum order_refusal refusal;
    for (size_t i = 0; wish->options && wish->options[i]; i++)
        if ((refusal = add_option(test, wish->options[i], pairs, why)))
            return refusal;
    for (size_t i = 0; wish->expects && wish->expects[i]; i++) {
        if (i == ORDER_EXPECTS_MAX) {
            str_addf(why, "more than %d expectations", ORDER_EXPECTS_MAX);
            return ORDER_UNKNOWN;
        }
        if ((refusal = add_expect(test, wish->expects[i], pairs, why)))
            return refusal;
    }
    if (wish->label && strlen(wish->label) > ORDER_LABEL_MAX) {
        str_addf(why, "the label is longer than %d bytes", ORDER_LABEL_MAX);
        return ORDER_UNKNOWN;
    }
    if (wish->label && wish->label[0])
        str_add_pair(pairs, "label", wish->label);
    return ORDER_OK;
}

static enum order_refusal set_times(const struct order_wish *wish, struct frame *order,
                                    struct str *why)
{
    uint64_t report = wish->report_ns;
    if (report < ORDER_REPORT_MIN_NS || report > ORDER_REPORT_MAX_NS) {
        str_add(why, "interval: expected a time from 100ms to 1h");
        return ORDER_UNKNOWN;
    }
    if (intervals_tick(report, wish->tick_most_ns, &order->order.tick_ns)) {
        str_add(why, "interval: expected a multiple of 100ms that ticks of 0.1 to 1 s divide, such "
                     "as 0.5, 1, 5 or 60");
        return ORDER_UNKNOWN;
    }
    order->order.report_ns = report;
    return ORDER_OK;
}

enum order_refusal order_make(const struct order_context *context, const struct order_wish *wish,
                              struct str *pairs, struct frame *ret_order, struct str *why)
{
    str_clear(why);
    str_clear(pairs);
    const struct catalog_test *test = catalog_find(context->catalog, wish->test);
    if (!test)
        return refuse_test(context->catalog, wish->test, why);
    struct frame order = {.type = FRAME_ORDER};
    struct target target AUTO(target_done) = {0};
    str_add_pair(pairs, "plugin", test->plugin);
    str_add_pair(pairs, "test", test->id);
    enum order_refusal refusal;
    if ((refusal = set_times(wish, &order, why)) ||
        (refusal = add_wishes(test, wish, pairs, why)) ||
        (refusal = place(context, test, wish->target, &target, why)))
        return refusal;
    add_target(&target, pairs);
    board_add_pairs(context->board, pairs);
    order.pairs = pairs->text;
    order.pairs_size = pairs->size;
    *ret_order = order;
    return ORDER_OK;
}
