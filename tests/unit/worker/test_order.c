/* order: what comes in, and the beginning made from it. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/cleanup.h"
#include "base/str.h"
#include "iodyno/plugin.h"
#include "wire/channel.h"
#include "worker/order.h"

static char *choices[] = {(char[]){"dd"}, (char[]){"queue"}, NULL};
static struct option options[] = {
    {.type = DYNO_SIZE, .key = (char[]){"bs"}, .def = (char[]){"1M"}, .min = 512, .max = 1 << 26},
    {.type = DYNO_CHOICE, .key = (char[]){"o-method"}, .def = (char[]){"dd"}, .choices = choices},
    {.type = DYNO_TEXT, .key = (char[]){"file"}},
};
static struct catalog_test test = {.id = (char[]){"storage.write"},
                                   .title = (char[]){"Write"},
                                   .options = options,
                                   .option_count = ARRAY_SIZE(options)};

static struct order order; /* a packet is large */

static int receive(const struct str *pairs, uint64_t tick_ns, struct str *why)
{
    static struct packet packet;
    struct frame frame = {.type = FRAME_ORDER,
                          .order = {.tick_ns = tick_ns, .report_ns = tick_ns},
                          .pairs = pairs->text,
                          .pairs_size = pairs->size};
    int fds[2];
    packet.size = 0;
    assert_int_equal(packet_add(&packet, &frame), 0);
    assert_int_equal(channel_pair(fds), 0);
    assert_int_equal(channel_send(fds[0], &packet), 0);
    order = (struct order){0};
    int code = order_receive(fds[1], &order, why);
    (void)close(fds[0]);
    (void)close(fds[1]);
    return code;
}

static void add_usual(struct str *pairs)
{
    str_add_pair(pairs, "plugin", "/p/storage.so");
    str_add_pair(pairs, "test", "storage.write");
    str_add_pair(pairs, "target.kind", "block");
    str_add_pair(pairs, "target.id", "sda1");
    str_add_pair(pairs, "target.path", "/media/card");
    str_add_pair(pairs, "machine.board", "A board");
}

static void a_start_has_complete_options(void **state)
{
    AUTO(str_done) struct str pairs = {0};
    AUTO(str_done) struct str why = {0};
    AUTO(str_done) struct str start = {0};
    struct option_value *values = NULL;
    (void)state;
    add_usual(&pairs);
    str_add_pair(&pairs, "option.o_method", "queue");
    str_add_pair(&pairs, "expect", "rate >= 1MB/s");
    str_add_pair(&pairs, "expect", "rate >= 2MB/s");
    assert_int_equal(receive(&pairs, 250000000, &why), 0);
    assert_int_equal(order.target_kind, DYNO_BLOCK);
    assert_string_equal(order.target_path, "/media/card");
    assert_int_equal(order_options(&order, &test, &values, &why), 0);
    assert_int_equal(values[0].number, 1 << 20);
    assert_int_equal(values[1].number, 1);
    assert_false(values[2].is_set);
    order_start_pairs(&order, &test, values, &start);
    struct frame frame = {.pairs = start.text, .pairs_size = start.size};
    assert_string_equal(frame_pair(&frame, "option.bs"), "1M");
    assert_string_equal(frame_pair(&frame, "option.o-method"), "queue");
    assert_null(frame_pair(&frame, "option.o_method"));
    assert_null(frame_pair(&frame, "option.file"));
    assert_string_equal(frame_pair(&frame, "title"), "Write");
    assert_string_equal(frame_pair(&frame, "machine.board"), "A board");
    const char *key, *value;
    size_t pos = 0, expects = 0;
    while (frame_pair_next(&frame, &pos, &key, &value))
        expects += strcmp(key, "expect") == 0;
    assert_int_equal(expects, 2);
    (void)order_options_free(&test, values);
}

static void bad_options_are_refused_with_a_sentence(void **state)
{
    static const struct {
        const char *key, *value, *why;
    } cases[] = {
        {"option.bs", "1Q", "bs: expected a size"},
        {"option.bs", "1", "bs: expected a size"},
        {"option.size", "1M", "storage.write has no option size"},
        {"option.o-method", "magic", "o-method: expected"},
    };
    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        AUTO(str_done) struct str pairs = {0};
        AUTO(str_done) struct str why = {0};
        struct option_value *values = NULL;
        add_usual(&pairs);
        str_add_pair(&pairs, cases[i].key, cases[i].value);
        assert_int_equal(receive(&pairs, 250000000, &why), 0);
        assert_true(order_options(&order, &test, &values, &why) < 0);
        assert_memory_equal(str_text(&why), cases[i].why, strlen(cases[i].why));
        assert_null(values);
    }
}

static void what_is_no_order_is_refused(void **state)
{
    AUTO(str_done) struct str pairs = {0};
    AUTO(str_done) struct str why = {0};
    int fds[2];
    (void)state;
    add_usual(&pairs);
    assert_int_equal(receive(&pairs, ORDER_TICK_MAX_NS, &why), 0);
    assert_int_equal(receive(&pairs, ORDER_TICK_MAX_NS + 1, &why), -EPROTO);
    assert_int_equal(receive(&pairs, ORDER_TICK_MIN_NS - 1, &why), -EPROTO);
    str_clear(&pairs);
    str_add_pair(&pairs, "target.kind", "moon");
    assert_int_equal(receive(&pairs, ORDER_TICK_MAX_NS, &why), -EPROTO);

    assert_int_equal(channel_pair(fds), 0);
    (void)close(fds[0]);
    assert_int_equal(order_receive(fds[1], &order, &why), -ECANCELED);
    (void)close(fds[1]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_start_has_complete_options),
        cmocka_unit_test(bad_options_are_refused_with_a_sentence),
        cmocka_unit_test(what_is_no_order_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
