/* stream: an end that is kept back, what may come meanwhile, and what may not. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>
#include <errno.h>

#include "base/cleanup.h"
#include "base/str.h"
#include "iodyno/plugin.h"
#include "run/stream.h"

#define S 1000000000ull

static unsigned said[32], said_count;

static void on_said(void *user, const struct frame *frame)
{
    (void)user;
    assert_true(said_count < ARRAY_SIZE(said));
    said[said_count++] = frame ? frame->type : 0;
}

static struct stream *open_stream(void)
{
    const struct stream_plan plan = {.output_fd = -1, .said = on_said};
    said_count = 0;
    return stream_new(&plan);
}

static void add_start(struct packet *packet)
{
    AUTO(str_done) struct str pairs = {0};
    str_add_pair(&pairs, "test", "storage.write");
    struct frame frame = {.type = FRAME_START,
                          .start = {.tick_ns = S, .report_ns = S, .mono_ns = S},
                          .pairs = pairs.text,
                          .pairs_size = pairs.size};
    assert_int_equal(packet_add(packet, &frame), 0);
}

static void add_end(struct packet *packet)
{
    AUTO(str_done) struct str pairs = {0};
    str_add_pair(&pairs, "sentence", "");
    struct frame frame = {.type = FRAME_END,
                          .end = {.state = RUN_DONE, .t_ns = 2 * S},
                          .pairs = pairs.text,
                          .pairs_size = pairs.size};
    assert_int_equal(packet_add(packet, &frame), 0);
}

static int put_fact(struct stream *stream)
{
    AUTO(str_done) struct str pairs = {0};
    str_add_pair(&pairs, "before", "100 B/s, the median of 2 runs");
    struct frame frame = {.type = FRAME_FACT, .pairs = pairs.text, .pairs_size = pairs.size};
    return stream_put(stream, &frame);
}

static void without_a_hold_the_end_is_the_end(void **state)
{
    (void)state;
    struct stream *stream = open_stream();
    struct packet packet = {.size = 0};
    add_start(&packet);
    add_end(&packet);
    assert_int_equal(stream_feed(stream, &packet), 0);
    assert_true(stream_model(stream)->has_end);
    assert_false(stream_end_is_kept(stream));
    assert_true(put_fact(stream) < 0);
    stream_free(stream);
}

static void a_kept_end_comes_after_what_the_owner_adds(void **state)
{
    (void)state;
    struct stream *stream = open_stream();
    struct packet packet = {.size = 0};
    add_start(&packet);
    add_end(&packet); /* in the same packet as all before it: a very short run */
    stream_hold(stream);
    assert_int_equal(stream_feed(stream, &packet), 0);
    assert_true(stream_end_is_kept(stream));
    assert_false(stream_model(stream)->has_end);
    assert_int_equal(put_fact(stream), 0);
    stream_release(stream);
    assert_false(stream_end_is_kept(stream));
    assert_true(stream_model(stream)->has_end);
    assert_int_equal(stream_model(stream)->end_ns, 2 * S); /* its own time */
    assert_non_null(model_fact(stream_model(stream), "before"));
    static const unsigned order[] = {FRAME_START, FRAME_FACT, FRAME_END};
    assert_int_equal(said_count, ARRAY_SIZE(order));
    for (size_t i = 0; i < ARRAY_SIZE(order); i++)
        assert_int_equal(said[i], order[i]);
    stream_release(stream); /* nothing is kept back: nothing happens */
    assert_int_equal(said_count, ARRAY_SIZE(order));
    stream_free(stream);
}

static void nothing_follows_a_kept_end(void **state)
{
    (void)state;
    struct stream *stream = open_stream();
    struct packet packet = {.size = 0}, more = {.size = 0};
    add_start(&packet);
    add_end(&packet);
    add_end(&packet);
    stream_hold(stream);
    assert_int_equal(stream_feed(stream, &packet), -EPROTO);
    add_end(&more);
    assert_int_equal(stream_feed(stream, &more), -EPROTO);
    /* What the owner would say of the end comes too late. */
    struct frame_end end = {.state = RUN_FAILED, .code = -EPROTO};
    stream_end(stream, &end, "protocol error");
    assert_false(stream_model(stream)->has_end);
    stream_release(stream);
    assert_int_equal(stream_model(stream)->state, RUN_DONE);
    stream_free(stream);
}

static void a_hold_that_ends_early_holds_nothing(void **state)
{
    (void)state;
    struct stream *stream = open_stream();
    struct packet packet = {.size = 0};
    add_start(&packet);
    add_end(&packet);
    stream_hold(stream);
    stream_release(stream);
    assert_int_equal(stream_feed(stream, &packet), 0);
    assert_true(stream_model(stream)->has_end);
    stream_free(stream);
}

static void the_owner_may_end_it_all_the_same(void **state)
{
    (void)state;
    struct stream *stream = open_stream();
    struct packet packet = {.size = 0};
    add_start(&packet);
    stream_hold(stream);
    assert_int_equal(stream_feed(stream, &packet), 0);
    struct frame_end end = {.state = RUN_ABANDONED, .code = -ETIMEDOUT};
    stream_end(stream, &end, "stuck");
    assert_int_equal(stream_model(stream)->state, RUN_ABANDONED);
    stream_release(stream);
    stream_free(stream);
    stream = open_stream(); /* freed with an end in it */
    add_end(&packet);
    stream_hold(stream);
    assert_int_equal(stream_feed(stream, &packet), 0);
    stream_free(stream);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(without_a_hold_the_end_is_the_end),
        cmocka_unit_test(a_kept_end_comes_after_what_the_owner_adds),
        cmocka_unit_test(nothing_follows_a_kept_end),
        cmocka_unit_test(a_hold_that_ends_early_holds_nothing),
        cmocka_unit_test(the_owner_may_end_it_all_the_same),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
