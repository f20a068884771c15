/* frame: the codec between worker, owner and store. */
#include <errno.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/cleanup.h"
#include "base/str.h"
#include "iodyno/plugin.h"
#include "wire/frame.h"

static const struct frame_metric METRIC = {DYNO_BYTE, DYNO_DELTA, DYNO_HIGHER,
                                           0,         "written",  "Written"};

static struct frame sample_frame(void)
{
    return (struct frame){.type = FRAME_SAMPLE, .sample = {3, 7, 1, 100, 200, 4096.0}};
}

static struct frame text_frame(unsigned type, const struct str *pairs)
{
    struct frame frame = {.type = (uint16_t)type, .pairs = pairs->text, .pairs_size = pairs->size};

    if (type == FRAME_LOG)
        frame.log.level = DYNO_INFO;
    if (type == FRAME_END)
        frame.end.state = RUN_DONE;
    return frame;
}

static void every_type_comes_back_as_it_went(void **state)
{
    AUTO(str_done) struct str pairs = {0};
    struct packet packet = {0};
    struct frame out, in;
    size_t offset = 0;

    (void)state;
    str_add_pair(&pairs, "test", "storage.write");
    str_add_pair(&pairs, "label", "");
    out = (struct frame){.type = FRAME_START,
                         .start = {1 << 16, DYNO_WRITES, 250, 1000, 5, 6, 1, 0},
                         .metrics = &METRIC,
                         .pairs = pairs.text,
                         .pairs_size = pairs.size};
    assert_int_equal(packet_add(&packet, &out), 0);
    out = sample_frame();
    out.flags = FRAME_OWNER;
    assert_int_equal(packet_add(&packet, &out), 0);
    assert_int_equal(packet.size % 8, 0);

    assert_int_equal(frame_next(packet.bytes, packet.size, &offset, &in), 1);
    assert_int_equal(in.type, FRAME_START);
    assert_int_equal(in.start.wall_ns, 6);
    assert_memory_equal(in.metrics, &METRIC, sizeof(METRIC));
    assert_int_equal(in.pairs_size, pairs.size);
    assert_string_equal(frame_pair(&in, "test"), "storage.write");
    assert_string_equal(frame_pair(&in, "label"), "");
    assert_null(frame_pair(&in, "absent"));
    assert_int_equal(frame_next(packet.bytes, packet.size, &offset, &in), 1);
    assert_int_equal(in.type, FRAME_SAMPLE);
    assert_int_equal(in.flags, FRAME_OWNER);
    assert_memory_equal(&in.sample, &out.sample, sizeof(in.sample));
    assert_int_equal(frame_next(packet.bytes, packet.size, &offset, &in), 0);
}

static void a_sample_takes_forty_bytes(void **state)
{
    struct packet packet = {0};
    const struct frame frame = sample_frame();

    (void)state;
    for (int i = 0; i < FRAME_SAMPLES_MAX; i++)
        assert_int_equal(packet_add(&packet, &frame), 0);
    assert_int_equal(packet.size, 40 * FRAME_SAMPLES_MAX);
    assert_int_equal(packet_add(&packet, &frame), -EMSGSIZE);
    assert_int_equal(packet.size, 40 * FRAME_SAMPLES_MAX);
}

static void more_frames_than_a_packet_may_hold_are_refused(void **state)
{
    static struct packet packet;
    const struct frame frame = sample_frame();
    struct frame in;
    size_t offset = 0;

    (void)state;
    packet.size = 0;
    for (int i = 0; i < FRAME_SAMPLES_MAX; i++)
        assert_int_equal(packet_add(&packet, &frame), 0);
    memcpy(packet.bytes + packet.size, packet.bytes, 40);
    assert_int_equal(frame_next(packet.bytes, packet.size + 40, &offset, &in), -EPROTO);
    assert_int_equal(offset, 0);
    assert_int_equal(frame_next(packet.bytes, packet.size, &offset, &in), 1);
}

static void refused(const struct frame *frame, int line)
{
    struct packet packet = {0};

    if (packet_add(&packet, frame) != -EINVAL || packet.size != 0)
        fail_msg("line %d: accepted", line);
}
#define REFUSED(...) refused(&(struct frame){__VA_ARGS__}, __LINE__)

static void what_no_frame_may_say_is_refused(void **state)
{
    struct frame_metric bad = METRIC;

    (void)state;
    REFUSED(.type = 0);
    REFUSED(.type = FRAME_TYPES);
    REFUSED(.type = FRAME_SAMPLE, .flags = 2, .sample = {0, 0, 0, 1, 2, 1});
    REFUSED(.type = FRAME_SAMPLE, .sample = {0, 0, 0, 2, 2, 1});
    REFUSED(.type = FRAME_SAMPLE, .sample = {0, 0, 0, 3, 2, 1});
    REFUSED(.type = FRAME_SAMPLE, .sample = {0, 0, 0, 1, 2, NAN});
    REFUSED(.type = FRAME_SAMPLE, .sample = {0, 0, 0, 1, 2, -INFINITY});
    REFUSED(.type = FRAME_SAMPLE, .sample = {FRAME_METRICS_MAX, 0, 0, 1, 2, 1});
    REFUSED(.type = FRAME_SAMPLE, .sample = {0, DYNO_LANE_ALL, 0, 1, 2, 1});
    REFUSED(.type = FRAME_SAMPLE, .sample = {0, 256, 0, 1, 2, 1});
    REFUSED(.type = FRAME_RESULT, .result = {0, 256, 0, 1});
    REFUSED(.type = FRAME_RESULT, .result = {0, DYNO_LANE_ALL, 1, 1});
    REFUSED(.type = FRAME_RESULT, .result = {0, DYNO_LANE_ALL, 0, INFINITY});
    REFUSED(.type = FRAME_ORDER, .order = {0, 0});
    REFUSED(.type = FRAME_ORDER, .order = {100, 99});
    REFUSED(.type = FRAME_START, .start = {.tick_ns = 1, .report_ns = 1, .metric_count = 65});
    REFUSED(.type = FRAME_START, .start = {.tick_ns = 1, .report_ns = 1, .metric_count = 1});
    REFUSED(.type = FRAME_RECORDED, .recorded = {0});
    REFUSED(.type = FRAME_OPTION, .option = {DYNO_SIZE, 0, 2, 1}, .pairs = "key\0x",
            .pairs_size = 6);
    REFUSED(.type = FRAME_OPTION, .option = {99, 0, 0, 0}, .pairs = "key\0x", .pairs_size = 6);
    memset(bad.key, 'k', sizeof(bad.key));
    REFUSED(.type = FRAME_METRIC, .metric = bad);
    bad = METRIC;
    memset(bad.label, 'l', sizeof(bad.label));
    REFUSED(.type = FRAME_METRIC, .metric = bad);
    bad = METRIC;
    bad.unit = DYNO_PER_S + 1;
    REFUSED(.type = FRAME_METRIC, .metric = bad);
    bad = METRIC;
    bad.kind = 0;
    REFUSED(.type = FRAME_METRIC, .metric = bad);
    bad = METRIC;
    bad.better = DYNO_NONE + 1;
    REFUSED(.type = FRAME_METRIC, .metric = bad);
    bad = METRIC;
    bad.key[0] = '\0';
    REFUSED(.type = FRAME_METRIC, .metric = bad);
}

static void ends_have_a_state_and_a_negative_code(void **state)
{
    static const char PAIR[] = "sentence\0";

    (void)state;
    REFUSED(.type = FRAME_END, .end = {RUN_RUNNING, 0, 0, 0, 1}, .pairs = PAIR, .pairs_size = 10);
    REFUSED(.type = FRAME_END, .end = {RUN_STATES, 0, 0, 0, 1}, .pairs = PAIR, .pairs_size = 10);
    REFUSED(.type = FRAME_END, .end = {RUN_FAILED, 5, 0, 0, 1}, .pairs = PAIR, .pairs_size = 10);
    REFUSED(.type = FRAME_END, .end = {RUN_FAILED, -5, 128, 0, 1}, .pairs = PAIR, .pairs_size = 10);
    REFUSED(.type = FRAME_END, .end = {RUN_FAILED, -5, 0, 0, 1});
}

static void pairs_must_be_whole(void **state)
{
    (void)state;
    REFUSED(.type = FRAME_ROW, .pairs = "key", .pairs_size = 3);         /* no end */
    REFUSED(.type = FRAME_ROW, .pairs = "key", .pairs_size = 4);         /* no value */
    REFUSED(.type = FRAME_ROW, .pairs = "key\0value", .pairs_size = 9);  /* value without end */
    REFUSED(.type = FRAME_ROW, .pairs = "a\0b\0c", .pairs_size = 6);     /* odd count */
    REFUSED(.type = FRAME_ROW, .pairs = "\0value", .pairs_size = 7);     /* no key */
    REFUSED(.type = FRAME_ROW, .pairs = "k\ny\0v", .pairs_size = 6);     /* control byte */
    REFUSED(.type = FRAME_PHASE, .pairs = "other\0v", .pairs_size = 8);  /* its key is "name" */
    REFUSED(.type = FRAME_FACT, .pairs = "a\0b\0c\0d", .pairs_size = 8); /* one pair only */
    REFUSED(.type = FRAME_FACT);                                         /* and not none */
    REFUSED(.type = FRAME_SAMPLE, .sample = {0, 0, 0, 1, 2, 1}, .pairs = "a\0b", .pairs_size = 4);
}

static void keys_end_at_their_bound(void **state)
{
    AUTO(str_done) struct str pairs = {0};
    char key[FRAME_KEY_MAX + 2];
    struct packet packet = {0};
    struct frame frame;

    (void)state;
    memset(key, 'k', sizeof(key));
    key[FRAME_KEY_MAX] = '\0';
    str_add_pair(&pairs, key, "v");
    frame = text_frame(FRAME_FACT, &pairs);
    assert_int_equal(packet_add(&packet, &frame), 0);
    str_clear(&pairs);
    key[FRAME_KEY_MAX] = 'k';
    key[FRAME_KEY_MAX + 1] = '\0';
    str_add_pair(&pairs, key, "v");
    frame = text_frame(FRAME_FACT, &pairs);
    assert_int_equal(packet_add(&packet, &frame), -EINVAL);
}

/* A text of `size` bytes that ends in a two-byte character, sent and read back. */
static size_t length_of_sent(unsigned type, const char *key, size_t size)
{
    AUTO(str_done) struct str text = {0}, pairs = {0};
    static struct packet packet;
    struct frame out, in;
    size_t offset = 0;

    while (text.size + 2 < size)
        str_add(&text, "x");
    str_add(&text, "\xc3\xa4");
    str_add_pair(&pairs, key, text.text);
    out = text_frame(type, &pairs);
    packet.size = 0;
    assert_int_equal(packet_add(&packet, &out), 0);
    assert_int_equal(frame_next(packet.bytes, packet.size, &offset, &in), 1);
    return strlen(frame_pair(&in, key));
}

static void long_text_is_cut_between_characters(void **state)
{
    static const struct {
        unsigned type;
        const char *key;
        size_t most;
    } CASES[] = {
        {FRAME_FACT, "engine", FRAME_FACT_MAX},
        {FRAME_EVENT, "stalled", FRAME_EVENT_MAX},
        {FRAME_LOG, "text", FRAME_LOG_MAX},
        {FRAME_END, "sentence", FRAME_SENTENCE_MAX},
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(CASES); i++) {
        const size_t most = CASES[i].most;

        assert_int_equal(length_of_sent(CASES[i].type, CASES[i].key, most), most);
        assert_int_equal(length_of_sent(CASES[i].type, CASES[i].key, most + 1), most - 1);
        assert_int_equal(length_of_sent(CASES[i].type, CASES[i].key, most + 2), most);
        assert_int_equal(length_of_sent(CASES[i].type, CASES[i].key, 20000), most);
    }
}

static void a_packet_takes_what_fits(void **state)
{
    AUTO(str_done) struct str text = {0}, pairs = {0};
    static struct packet packet;
    struct frame frame;

    (void)state;
    packet.size = 0;
    while (text.size < FRAME_PACKET_MAX - 8 - 4)
        str_add(&text, "x");
    str_add_pair(&pairs, "k", text.text); /* head, "k", text, two NUL: one byte too many */
    frame = text_frame(FRAME_ROW, &pairs);
    frame.pairs_size = pairs.size;
    assert_int_equal(packet_add(&packet, &frame), 0);
    assert_int_equal(packet.size, FRAME_PACKET_MAX);
    packet.size = 8;
    memset(packet.bytes, 0, 8);
    packet.bytes[0] = FRAME_ROW;
    packet.bytes[4] = 8;
    assert_int_equal(packet_add(&packet, &frame), -EMSGSIZE);
    assert_int_equal(packet.size, 8);
}

/* Sets one byte of a good packet and expects the frame to be refused, everything untouched. */
static void spoilt(size_t at, uint8_t byte, int line)
{
    AUTO(str_done) struct str pairs = {0};
    struct packet packet = {0};
    struct frame frame, in = {.type = 99};
    size_t offset = 0;

    str_add_pair(&pairs, "engine", "plain");
    frame = text_frame(FRAME_FACT, &pairs); /* 8 + 13, padded to 24 */
    assert_int_equal(packet_add(&packet, &frame), 0);
    assert_int_equal(packet.size, 24);
    packet.bytes[at] = byte;
    if (frame_next(packet.bytes, packet.size, &offset, &in) != -EPROTO || in.type != 99 || offset)
        fail_msg("line %d: accepted", line);
}

static void spoilt_bytes_are_refused(void **state)
{
    (void)state;
    spoilt(0, 0, __LINE__);
    spoilt(0, FRAME_TYPES, __LINE__);
    spoilt(2, 2, __LINE__);  /* unknown flag */
    spoilt(4, 7, __LINE__);  /* shorter than a head */
    spoilt(4, 22, __LINE__); /* an odd count of strings */
    spoilt(4, 25, __LINE__); /* longer than the packet */
    spoilt(7, 0x80, __LINE__);
    spoilt(20, 'x', __LINE__); /* the value's end */
    spoilt(23, 1, __LINE__);   /* padding */
}

static void lengths_and_offsets_are_checked(void **state)
{
    static struct packet packet;
    const struct frame frame = sample_frame();
    struct frame in;
    size_t offset = 0;

    (void)state;
    packet.size = 0;
    assert_int_equal(packet_add(&packet, &frame), 0);
    for (size_t size = 1; size < 40; size++)
        assert_int_equal(frame_next(packet.bytes, size, &offset, &in), -EPROTO);
    assert_int_equal(frame_next(packet.bytes, 0, &offset, &in), 0);
    assert_int_equal(frame_next(packet.bytes, FRAME_PACKET_MAX + 8, &offset, &in), -EPROTO);
    offset = 4;
    assert_int_equal(frame_next(packet.bytes, 40, &offset, &in), -EPROTO);
    offset = 48;
    assert_int_equal(frame_next(packet.bytes, 40, &offset, &in), -EPROTO);
}

static void a_start_cannot_promise_more_metrics_than_it_has(void **state)
{
    static struct packet packet;
    struct frame in, frame = {.type = FRAME_START,
                              .start = {.tick_ns = 1, .report_ns = 1, .metric_count = 1},
                              .metrics = &METRIC};
    size_t offset = 0;

    (void)state;
    packet.size = 0;
    assert_int_equal(packet_add(&packet, &frame), 0);
    packet.bytes[8 + offsetof(struct frame_start, metric_count)] = 2;
    assert_int_equal(frame_next(packet.bytes, packet.size, &offset, &in), -EPROTO);
    packet.bytes[8 + offsetof(struct frame_start, metric_count) + 3] = 0xff;
    assert_int_equal(frame_next(packet.bytes, packet.size, &offset, &in), -EPROTO);
}

static void states_have_names(void **state)
{
    unsigned number = 77;

    (void)state;
    for (unsigned i = 0; i < RUN_STATES; i++) {
        assert_int_equal(run_state_from_name(run_state_name(i), &number), 0);
        assert_int_equal(number, i);
    }
    assert_string_equal(run_state_name(RUN_DONE), "done");
    assert_string_equal(run_state_name(RUN_STATES), "unknown");
    assert_int_equal(run_state_from_name("unknown", &number), -EINVAL);
}

static void target_kinds_have_names(void **state)
{
    (void)state;
    for (unsigned kind = DYNO_BLOCK; kind <= DYNO_NET; kind <<= 1)
        assert_int_equal(target_kind_from_name(target_kind_name(kind)), kind);
    assert_null(target_kind_name(0));
    assert_null(target_kind_name(3));
    assert_null(target_kind_name(16));
    assert_int_equal(target_kind_from_name(""), 0);
    assert_int_equal(target_kind_from_name("disk"), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_type_comes_back_as_it_went),
        cmocka_unit_test(a_sample_takes_forty_bytes),
        cmocka_unit_test(more_frames_than_a_packet_may_hold_are_refused),
        cmocka_unit_test(what_no_frame_may_say_is_refused),
        cmocka_unit_test(ends_have_a_state_and_a_negative_code),
        cmocka_unit_test(pairs_must_be_whole),
        cmocka_unit_test(keys_end_at_their_bound),
        cmocka_unit_test(long_text_is_cut_between_characters),
        cmocka_unit_test(a_packet_takes_what_fits),
        cmocka_unit_test(spoilt_bytes_are_refused),
        cmocka_unit_test(lengths_and_offsets_are_checked),
        cmocka_unit_test(a_start_cannot_promise_more_metrics_than_it_has),
        cmocka_unit_test(states_have_names),
        cmocka_unit_test(target_kinds_have_names),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
