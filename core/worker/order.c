#include "worker/order.h"

#include <errno.h>
#include <poll.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/str.h"
#include "wire/channel.h"

#define OPTION_PREFIX "option."

static const char *pair_or_empty(const struct frame *frame, const char *key)
{
    const char *value = frame_pair(frame, key);
    return value ? value : "";
}

static int read_order(struct order *order, struct str *why)
{
    size_t offset = 0;
    if (frame_next(order->packet.bytes, order->packet.size, &offset, &order->frame) != 1 ||
        order->frame.type != FRAME_ORDER) {
        str_add(why, "the order is no order");
        return -EPROTO;
    }
    order->plugin = pair_or_empty(&order->frame, "plugin");
    order->test = pair_or_empty(&order->frame, "test");
    order->target_id = pair_or_empty(&order->frame, "target.id");
    order->target_path = pair_or_empty(&order->frame, "target.path");
    order->target_kind = target_kind_from_name(pair_or_empty(&order->frame, "target.kind"));
    uint64_t tick_ns = order->frame.order.tick_ns;
    if (!order->target_kind || tick_ns < ORDER_TICK_MIN_NS || tick_ns > ORDER_TICK_MAX_NS) {
        str_add(why, "the order has no known target kind or no sensible tick");
        return -EPROTO;
    }
    return 0;
}

int order_receive(int line_fd, struct order *ret_order, struct str *why)
{
    struct pollfd wait = {.fd = line_fd, .events = POLLIN};
    int ready = poll(&wait, 1, ORDER_WAIT_MS);
    int code = ready > 0 ? channel_receive(line_fd, &ret_order->packet) : -ETIMEDOUT;
    if (code != 1) {
        str_add(why, code == 0 ? "the line was closed before an order came"
                               : "no order came within 2 seconds");
        return code == 0 ? -ECANCELED : code;
    }
    return read_order(ret_order, why);
}

static int parse_given(const struct order *order, const struct catalog_test *test,
                       const char **given, struct str *why)
{
    const char *key, *value;
    size_t pos = 0;
    while (frame_pair_next(&order->frame, &pos, &key, &value)) {
        if (!str_starts(key, OPTION_PREFIX))
            continue;
        const struct option *option = catalog_option(test, key + strlen(OPTION_PREFIX));
        if (!option) {
            str_addf(why, "%s has no option ", test->id);
            str_add_clean(why, key + strlen(OPTION_PREFIX), strlen(key) - strlen(OPTION_PREFIX));
            return -EINVAL;
        }
        given[option - test->options] = value;
    }
    return 0;
}

int order_options(const struct order *order, const struct catalog_test *test,
                  struct option_value **ret_values, struct str *why)
{
    AUTO_FREE const char **given = mem_new(test->option_count + 1, sizeof(*given));
    int code = parse_given(order, test, given, why);
    if (code < 0)
        return code;
    struct option_value *values = mem_new(test->option_count + 1, sizeof(*values));
    for (size_t i = 0; code == 0 && i < test->option_count; i++) {
        const struct option *option = &test->options[i];
        code = option_parse(option, given[i] ? given[i] : option->def, &values[i], why);
    }
    if (code < 0) {
        (void)order_options_free(test, values);
        return code;
    }
    *ret_values = values;
    return 0;
}

struct option_value *order_options_free(const struct catalog_test *test,
                                        struct option_value *values)
{
    for (size_t i = 0; values && i < test->option_count; i++)
        option_value_done(&values[i]);
    free(values);
    return NULL;
}

/* These three are what was asked for, wherever it lies. */
static bool is_place(const char *key)
{
    return strcmp(key, "target.kind") == 0 || strcmp(key, "target.id") == 0 ||
           strcmp(key, "target.path") == 0;
}

bool order_is_of(const struct order *order, unsigned major, unsigned minor)
{
    const char *told = frame_pair(&order->frame, "target.number");
    AUTO(str_done) struct str number = {0};
    str_addf(&number, "%u:%u", major, minor);
    return !told || strcmp(told, number.text) == 0;
}

void order_start_pairs(const struct order *order, const struct catalog_test *test,
                       const struct option_value *values, struct str *into)
{
    const char *key, *value;
    size_t pos = 0;
    while (frame_pair_next(&order->frame, &pos, &key, &value)) {
        bool is_replaced = values && str_starts(key, OPTION_PREFIX);
        bool is_untrue = order->is_elsewhere && str_starts(key, "target.") && !is_place(key);
        if (!is_replaced && !is_untrue && strcmp(key, "title") != 0)
            str_add_pair(into, key, value);
    }
    for (size_t i = 0; values && i < test->option_count; i++) {
        if (!values[i].is_set)
            continue;
        AUTO(str_done) struct str name = {0};
        str_addf(&name, OPTION_PREFIX "%s", test->options[i].key);
        str_add_pair(into, name.text, values[i].text);
    }
    if (test)
        str_add_pair(into, "title", test->title);
}
