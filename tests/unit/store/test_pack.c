/* pack: what is unpacked is what was packed, in few bytes, and damage is noticed. */
#include <errno.h>
#include <math.h>

#include "scene.h"
#include "store/pack.h"

/* Packs all frames of a scene; `others` gets the frames that are none. */
static void pack_scene(const struct scene *scene, struct pack *pack, struct str *others)
{
    for (size_t i = 0; i < scene->count; i++) {
        struct frame frame;
        size_t at = 0;
        while (frame_next(scene->packets[i].bytes, scene->packets[i].size, &at, &frame) > 0) {
            assert_int_equal(pack_add(pack, &frame), 0);
            if (frame.type != FRAME_SAMPLE)
                scene_add_bytes(others, &frame);
        }
    }
    pack_finish(pack);
}

static void reopen(const struct pack *written, struct pack *read)
{
    str_add_bytes(&read->order, str_text(&written->order), written->order.size);
    for (size_t i = 0; i < written->count; i++) {
        const struct pack_series *series = &written->series[i];
        assert_int_equal(pack_add_series(read, series->metric, series->lane, series->blob.text,
                                         series->blob.size),
                         0);
    }
}

/* Reads to the end and compares samples with those of the scene, in order. */
static void assert_returns(const struct scene *scene, const struct pack *written)
{
    AUTO(pack_done) struct pack read = {0};
    struct frame frame, back;
    reopen(written, &read);
    for (size_t i = 0; i < scene->count; i++) {
        size_t at = 0;
        while (frame_next(scene->packets[i].bytes, scene->packets[i].size, &at, &frame) > 0) {
            bool is_sample = frame.type == FRAME_SAMPLE;
            assert_int_equal(pack_next(&read, &back), is_sample ? PACK_SAMPLE : PACK_OTHER);
            if (!is_sample)
                continue;
            assert_int_equal(back.flags, frame.flags);
            assert_memory_equal(&back.sample, &frame.sample, sizeof(frame.sample));
        }
    }
    assert_int_equal(pack_next(&read, &back), PACK_END);
    assert_int_equal(pack_next(&read, &back), PACK_END);
}

static double bytes_per_sample(const struct pack *pack)
{
    size_t size = pack->order.size;
    for (size_t i = 0; i < pack->count; i++)
        size += pack->series[i].blob.size;
    return (double)size / (double)pack->samples;
}

static void test_small_and_exact(void **state)
{
    static const unsigned lanes[] = {1, 8, 60};
    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(lanes); i++) {
        AUTO(scene_done) struct scene scene = {0};
        AUTO(pack_done) struct pack pack = {0};
        AUTO(str_done) struct str others = {0};
        (void)scene_run(&scene, 1000, lanes[i], RUN_DONE);
        pack_scene(&scene, &pack, &others);
        printf("%u lanes, %zu samples: %.2f bytes a sample\n", lanes[i], scene.samples,
               bytes_per_sample(&pack));
        assert_int_equal(pack.samples, scene.samples);
        assert_true(bytes_per_sample(&pack) <= 12.0);
        assert_returns(&scene, &pack);
    }
}

/* Of a 60 lane run, whose order repeats from tick to tick, the order costs nearly nothing. */
static void test_order_is_cheap(void **state)
{
    AUTO(scene_done) struct scene scene = {0};
    AUTO(pack_done) struct pack pack = {0};
    AUTO(str_done) struct str others = {0};
    (void)state;
    (void)scene_run(&scene, 1000, 60, RUN_DONE);
    pack_scene(&scene, &pack, &others);
    assert_true((double)pack.order.size / (double)pack.samples < 0.02);
}

static void test_every_value(void **state)
{
    static const double values[] = {0,      -0.0,   1,      -1,         0.1,         1e300,
                                    -1e300, 0x1p53, 0x1p52, 0x1p53 - 1, -0x1p53 + 1, 5e-324,
                                    1,      1,      0,      -0.0,       1e15,        3};
    AUTO(scene_done) struct scene scene = {0};
    AUTO(pack_done) struct pack pack = {0};
    AUTO(str_done) struct str others = {0};
    uint64_t t_ns = 1;
    (void)state;
    for (unsigned round = 0; round < 3; round++)
        for (size_t i = 0; i < ARRAY_SIZE(values); i++, t_ns += 10 + i * i * 1000000)
            scene_sample(&scene, round, 255, t_ns, t_ns + 1 + i, values[i]);
    scene_sample(&scene, 63, 0, 0, UINT64_MAX, 1);
    scene_sample(&scene, 63, 0, UINT64_MAX - 1, UINT64_MAX, 1);
    scene_sample(&scene, 63, 0, 0, 1, 1); /* backwards: not our business to refuse */
    pack_scene(&scene, &pack, &others);
    assert_returns(&scene, &pack);
}

static void test_random_order(void **state)
{
    AUTO(scene_done) struct scene scene = {0};
    AUTO(pack_done) struct pack pack = {0};
    AUTO(str_done) struct str others = {0};
    uint32_t seed = 3;
    (void)state;
    for (unsigned i = 0; i < 5000; i++) {
        uint64_t t_ns = SCENE_ZERO_NS + i * 1000ull;
        if (scene_random(&seed) % 5 == 0)
            scene_text(&scene, FRAME_LOG, 0, "text", "x");
        scene_sample(&scene, scene_random(&seed) % 5, scene_random(&seed) % 200, t_ns, t_ns + 999,
                     scene_random(&seed));
    }
    pack_scene(&scene, &pack, &others);
    assert_returns(&scene, &pack);
}

static void test_nothing(void **state)
{
    AUTO(pack_done) struct pack pack = {0};
    struct frame frame;
    (void)state;
    pack_finish(&pack);
    assert_int_equal(pack_next(&pack, &frame), PACK_END);
}

/* Series beyond the limit are refused and nothing is changed; a known one still goes in. */
static void test_series_limit(void **state)
{
    AUTO(pack_done) struct pack pack = {0};
    struct frame frame = {.type = FRAME_SAMPLE, .sample = {.t0_ns = 1, .t1_ns = 2, .value = 1}};
    (void)state;
    for (unsigned i = 0; i < PACK_SERIES_MAX; i++)
        assert_int_equal(pack_add_series(&pack, (uint16_t)i, 0, "", 0), 0);
    assert_int_equal(pack_add_series(&pack, 1, 1, "", 0), -E2BIG);
    frame.sample.lane = 1;
    assert_int_equal(pack_add(&pack, &frame), -E2BIG);
    assert_int_equal(pack.samples, 0);
    frame.sample.lane = 0;
    assert_int_equal(pack_add(&pack, &frame), 0);
    assert_int_equal(pack.samples, 1);
}

/* Reads damaged blobs to their end; returns whether the damage was told. */
static bool is_noticed(const struct pack *written, size_t blob, size_t at, uint8_t mask, size_t cut)
{
    AUTO(pack_done) struct pack read = {0};
    struct frame frame;
    int r = 0;
    reopen(written, &read);
    struct str *damaged = blob == 0 ? &read.order : &read.series[blob - 1].blob;
    damaged->text[at] = (char)((uint8_t)damaged->text[at] ^ mask);
    damaged->size -= cut;
    for (unsigned i = 0; i < 1000000 && (r = pack_next(&read, &frame)) > 0; i++)
        if (r == PACK_SAMPLE) {
            assert_true(frame.sample.t1_ns > frame.sample.t0_ns);
            assert_true(isfinite(frame.sample.value));
        }
    return r == -EPROTO;
}

static void test_damage(void **state)
{
    AUTO(scene_done) struct scene scene = {0};
    AUTO(pack_done) struct pack pack = {0};
    AUTO(str_done) struct str others = {0};
    (void)state;
    (void)scene_run(&scene, 40, 3, RUN_DONE);
    pack_scene(&scene, &pack, &others);
    for (size_t blob = 0; blob <= pack.count; blob++) {
        size_t size = blob == 0 ? pack.order.size : pack.series[blob - 1].blob.size;
        for (size_t at = 0; at < size; at++)
            for (unsigned bit = 0; bit < 8; bit++)
                (void)is_noticed(&pack, blob, at, (uint8_t)(1u << bit), 0);
        for (size_t cut = 1; cut <= size && blob > 0; cut++)
            assert_true(is_noticed(&pack, blob, 0, 0, cut));
    }
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_small_and_exact), cmocka_unit_test(test_order_is_cheap),
        cmocka_unit_test(test_every_value),     cmocka_unit_test(test_random_order),
        cmocka_unit_test(test_nothing),         cmocka_unit_test(test_series_limit),
        cmocka_unit_test(test_damage),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
