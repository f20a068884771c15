/* scene: a made-up run as packets, and ways to compare what came back. For the tests of the store.
 */
#ifndef STORE_SCENE_H
#define STORE_SCENE_H

#include <dirent.h>
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/cleanup.h"
#include "base/str.h"
#include "iodyno/plugin.h"
#include "wire/frame.h"

#define SCENE_ZERO_NS 5000000000000ull
#define SCENE_WALL_NS 1769850000000000000ull

struct scene {
    struct packet *packets;
    size_t count, capacity;
    size_t samples;
};

static inline void scene_done(struct scene *scene)
{
    free(scene->packets);
}

/* Frames gather in the last packet; scene_cut begins the next. */
static inline void scene_cut(struct scene *scene)
{
    if (scene->count == scene->capacity) {
        scene->capacity = scene->capacity ? scene->capacity * 2 : 16;
        scene->packets = mem_grow(scene->packets, scene->capacity, sizeof(*scene->packets));
    }
    scene->packets[scene->count++].size = 0;
}

static inline void scene_add(struct scene *scene, const struct frame *frame)
{
    if (scene->count == 0)
        scene_cut(scene);
    int r = packet_add(&scene->packets[scene->count - 1], frame);
    if (r == -EMSGSIZE) {
        scene_cut(scene);
        r = packet_add(&scene->packets[scene->count - 1], frame);
    }
    assert_int_equal(r, 0);
    scene->samples += frame->type == FRAME_SAMPLE;
}

static inline void scene_text(struct scene *scene, unsigned type, uint64_t t_ns, const char *key,
                              const char *value)
{
    AUTO(str_done) struct str pairs = {0};
    str_add_pair(&pairs, key, value);
    struct frame frame = {.type = (uint16_t)type, .pairs = pairs.text, .pairs_size = pairs.size};
    if (type == FRAME_PHASE)
        frame.phase.t_ns = t_ns;
    else if (type == FRAME_EVENT)
        frame.event.t_ns = t_ns;
    else if (type == FRAME_LOG)
        frame.log.level = DYNO_INFO;
    if (type == FRAME_EVENT)
        frame.flags = FRAME_OWNER;
    scene_add(scene, &frame);
}

static inline void scene_start(struct scene *scene, const char *label)
{
    static const struct frame_metric metrics[] = {
        {DYNO_BYTE, DYNO_DELTA, DYNO_HIGHER, 0, "written", "Written"},
        {DYNO_BYTE, DYNO_DELTA, DYNO_NONE, 1, "device_written", "Device"},
        {DYNO_CELSIUS, DYNO_GAUGE, DYNO_LOWER, 1, "temperature", "Temperature"},
        {DYNO_BYTE_PER_S, DYNO_TOTAL, DYNO_HIGHER, 0, "rate", "Rate"},
    };
    AUTO(str_done) struct str pairs = {0};
    str_add_pair(&pairs, "plugin", "storage.so");
    str_add_pair(&pairs, "test", "storage.write");
    str_add_pair(&pairs, "title", "Sequential write");
    str_add_pair(&pairs, "target.kind", "block");
    str_add_pair(&pairs, "target.id", "mmcblk1p1");
    str_add_pair(&pairs, "target.cid", "03534453");
    str_add_pair(&pairs, "label", label);
    str_add_pair(&pairs, "option.bs", "1M");
    str_add_pair(&pairs, "machine.board", "bench");
    struct frame frame = {.type = FRAME_START,
                          .start = {.abi = DYNO_ABI_MAJOR << 16,
                                    .flags = DYNO_WRITES,
                                    .tick_ns = 250000000,
                                    .report_ns = 1000000000,
                                    .mono_ns = SCENE_ZERO_NS,
                                    .wall_ns = SCENE_WALL_NS,
                                    .metric_count = ARRAY_SIZE(metrics)},
                          .metrics = metrics,
                          .pairs = pairs.text,
                          .pairs_size = pairs.size};
    scene_add(scene, &frame);
}

static inline void scene_sample(struct scene *scene, unsigned metric, unsigned lane, uint64_t t0_ns,
                                uint64_t t1_ns, double value)
{
    struct frame frame = {.type = FRAME_SAMPLE,
                          .flags = metric == 2 ? FRAME_OWNER : 0,
                          .sample = {.metric = (uint16_t)metric,
                                     .lane = (uint16_t)lane,
                                     .merged = t1_ns % 7 == 0 ? 3 : 0,
                                     .t0_ns = t0_ns,
                                     .t1_ns = t1_ns,
                                     .value = value}};
    scene_add(scene, &frame);
}

static inline uint32_t scene_random(uint32_t *seed)
{
    *seed = *seed * 1664525u + 1013904223u;
    return *seed >> 8;
}

/* One tick of three metrics; times jitter by some microseconds as those of a real writer do. */
static inline uint64_t scene_tick(struct scene *scene, unsigned lanes, uint64_t t0_ns,
                                  uint32_t *seed)
{
    uint64_t t1_ns = t0_ns + 250000000 + scene_random(seed) % 20000;
    for (unsigned lane = 0; lane < lanes; lane++)
        scene_sample(scene, 0, lane, t0_ns, t1_ns, 1048576.0 * (20 + scene_random(seed) % 5));
    scene_sample(scene, 1, 0, t0_ns, t1_ns, 512.0 * (40000 + scene_random(seed) % 5000));
    scene_sample(scene, 2, 0, t0_ns, t1_ns, 45 + (scene_random(seed) % 1000) / 1000.0);
    return t1_ns;
}

static inline void scene_end(struct scene *scene, unsigned state, uint64_t t_ns)
{
    AUTO(str_done) struct str pairs = {0};
    struct frame result = {.type = FRAME_RESULT,
                           .result = {.metric = 3, .lane = DYNO_LANE_ALL, .value = 4893020.25}};
    scene_add(scene, &result);
    str_add_pair(&pairs, "sentence", state == RUN_DONE ? "" : "it was told to end");
    struct frame end = {.type = FRAME_END,
                        .end = {.state = state, .t_ns = t_ns},
                        .pairs = pairs.text,
                        .pairs_size = pairs.size};
    scene_add(scene, &end);
}

/* A whole run with `ticks` ticks, events, facts, phases and packets of uneven size. */
static inline uint64_t scene_run(struct scene *scene, unsigned ticks, unsigned lanes,
                                 unsigned state)
{
    uint32_t seed = 7;
    uint64_t t_ns = SCENE_ZERO_NS;
    scene_start(scene, "Card 1");
    scene_text(scene, FRAME_FACT, 0, "engine", "plain");
    scene_text(scene, FRAME_PHASE, t_ns, "name", "write");
    for (unsigned tick = 0; tick < ticks; tick++) {
        if (scene_random(&seed) % 3 == 0)
            scene_cut(scene);
        t_ns = scene_tick(scene, lanes, t_ns, &seed);
        if (tick % 50 == 20)
            scene_text(scene, FRAME_EVENT, t_ns, "stalled", "nothing moved for 2 s");
        if (tick % 70 == 3)
            scene_text(scene, FRAME_LOG, 0, "text", "a line");
    }
    if (state != RUN_RUNNING)
        scene_end(scene, state, t_ns);
    return t_ns;
}

/* A frame as bytes: equal frames have equal bytes. */
static inline void scene_add_bytes(struct str *into, const struct frame *frame)
{
    static struct packet packet;
    packet.size = 0;
    assert_int_equal(packet_add(&packet, frame), 0);
    str_add_bytes(into, packet.bytes, packet.size);
}

static inline void scene_bytes(const struct scene *scene, struct str *into)
{
    for (size_t i = 0; i < scene->count; i++)
        str_add_bytes(into, scene->packets[i].bytes, scene->packets[i].size);
}

static inline void assert_same_bytes(const struct str *a, const struct str *b)
{
    assert_int_equal(a->size, b->size);
    if (a->size > 0)
        assert_memory_equal(a->text, b->text, a->size);
}

/* A folder of its own for a test's files; scene_remove takes it away with the plain files in it. */
static inline void scene_folder(char into[64])
{
    (void)snprintf(into, 64, "/tmp/iodyno-store-XXXXXX");
    assert_non_null(mkdtemp(into));
}

static inline void scene_remove(const char *folder)
{
    DIR *dir = opendir(folder);
    assert_non_null(dir);
    for (struct dirent *entry = readdir(dir); entry; entry = readdir(dir))
        (void)unlinkat(dirfd(dir), entry->d_name, 0);
    (void)closedir(dir);
    (void)rmdir(folder);
}

/* Number of files in a folder whose name begins so; `ret_name` gets one of them. */
static inline unsigned scene_count(const char *folder, const char *prefix, struct str *ret_name)
{
    unsigned count = 0;
    DIR *dir = opendir(folder);
    assert_non_null(dir);
    for (struct dirent *entry = readdir(dir); entry; entry = readdir(dir)) {
        if (!str_starts(entry->d_name, prefix))
            continue;
        count++;
        str_clear(ret_name);
        str_add(ret_name, entry->d_name);
    }
    (void)closedir(dir);
    return count;
}

#endif
