#include "run/order.h"

#include <string.h>

#include "base/cleanup.h"
#include "base/str.h"
#include "base/units.h"
#include "iodyno/plugin.h"
#include "run/aim.h"
#include "run/expect.h"
#include "run/intervals.h"
#include "run/subject.h"
#include "run/wear.h"

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

static const struct device *disk_of(const struct order_context *context, const struct aim *target)
{
    const struct device *device = target->device;
    const struct device *disk =
        device && device->parent ? inventory_find(context->inventory, device->parent) : NULL;
    return disk ? disk : device;
}

static bool is_confirmed(const struct order_wish *wish, const struct aim *target,
                         const struct device *disk)
{
    for (size_t i = 0; wish->confirms && wish->confirms[i]; i++)
        if (strcmp(wish->confirms[i], target->id) == 0 || strcmp(wish->confirms[i], disk->id) == 0)
            return true;
    return false;
}

/* What the run takes of its disk's life; false when nothing is known of that. */
static bool wears(const struct order_context *context, const struct order_wish *wish,
                  const struct catalog_test *test, const struct aim *target, struct wear *ret_wear)
{
    const struct device *disk = disk_of(context, target);
    return disk && wear_plan(test, wish->options, disk->size_bytes, disk->ceiling_bps, ret_wear);
}

/* Writing a disk over and over shortens its life: that takes a person's word. */
static enum order_refusal weigh(const struct order_context *context, const struct order_wish *wish,
                                const struct catalog_test *test, const struct aim *target,
                                struct str *why)
{
    struct wear wear;
    if (!wears(context, wish, test, target, &wear) || wear.drive_writes <= WEAR_CONFIRM ||
        is_confirmed(wish, target, disk_of(context, target)))
        return ORDER_OK;
    wear_explain(&wear, why);
    str_addf(why, "; to do it all the same, add --confirm=%s", target->id);
    return ORDER_UNFIT;
}

/* NULL when there is no such test or target: order_make says why. */
static const struct catalog_test *aimed(const struct order_context *context,
                                        const struct order_wish *wish, struct aim *target)
{
    AUTO(str_done) struct str why = {0};
    const struct catalog_test *test = catalog_find(context->catalog, wish->test);
    return test && aim_take(context, test, wish, target, &why) == ORDER_OK ? test : NULL;
}

void order_note(const struct order_context *context, const struct order_wish *wish,
                struct str *note)
{
    struct aim target AUTO(aim_done) = {0};
    struct wear wear;
    const struct catalog_test *test = aimed(context, wish, &target);
    if (test && wears(context, wish, test, &target, &wear) && wear.drive_writes >= WEAR_NOTE)
        wear_explain(&wear, note);
}

/* Whether the device that is not mounted may be used at all, the worker finds out and says. */
void order_ask(const struct order_context *context, const struct order_wish *wish,
               struct str *question)
{
    struct aim target AUTO(aim_done) = {0};
    struct wear wear;
    const struct catalog_test *test = aimed(context, wish, &target);
    if (!test)
        return;
    if (target.is_private)
        str_addf(question,
                 "%s is not mounted: iodyno would mount it where only this run sees it, and "
                 "unmount it at the end",
                 target.id);
    if (!wears(context, wish, test, &target, &wear) || wear.drive_writes <= WEAR_CONFIRM)
        return;
    if (question->size)
        str_add(question, "; ");
    wear_explain(&wear, question);
}

static void add_target(const struct order_context *context, const struct aim *target,
                       struct str *pairs)
{
    str_add_pair(pairs, "target.kind", target->kind);
    str_add_pair(pairs, "target.id", target->id);
    str_add_pair(pairs, "target.path", str_text(&target->path));
    const struct device *device = target->device;
    if (!device)
        return;
    if (target->is_raw)
        str_add_pairf(pairs, "target.raw", "%u:%u", device->major, device->minor);
    if (target->is_private)
        str_add_pairf(pairs, "target.private", "%u:%u", device->major, device->minor);
    subject_add(device, disk_of(context, target), pairs);
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
    struct aim target AUTO(aim_done) = {0};
    str_add_pair(pairs, "plugin", test->plugin);
    str_add_pair(pairs, "test", test->id);
    enum order_refusal refusal;
    if ((refusal = set_times(wish, &order, why)) ||
        (refusal = add_wishes(test, wish, pairs, why)) ||
        (refusal = aim_take(context, test, wish, &target, why)) ||
        (refusal = weigh(context, wish, test, &target, why)))
        return refusal;
    for (size_t i = 0; wish->confirms && wish->confirms[i]; i++)
        str_add_pair(pairs, "confirm", wish->confirms[i]);
    add_target(context, &target, pairs);
    board_add_pairs(context->board, pairs);
    order.pairs = pairs->text;
    order.pairs_size = pairs->size;
    *ret_order = order;
    return ORDER_OK;
}
