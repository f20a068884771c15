/* story: the frames of a small storage run, as one fake for the tests of this room. */
#ifndef TEST_STORY_H
#define TEST_STORY_H

#include <string.h>

#include "base/str.h"
#include "iodyno/plugin.h"
#include "wire/frame.h"

#define MS 1000000ull
#define S (1000 * MS)
#define STORY_ZERO (123456789ull * MS)
#define STORY_WALL 1769850000000000000ull /* 2026-01-31T09:00:00Z */

enum { WRITTEN, DEVICE_WRITTEN, REQUESTS, RATE, REAL_TIME, SYNC_TIME, TEMPERATURE };
static const struct frame_metric story_metrics[] = {
    {DYNO_BYTE, DYNO_DELTA, DYNO_HIGHER, 0, "written", "Written"},
    {DYNO_BYTE, DYNO_DELTA, DYNO_NONE, 0, "device_written", "Written by the disk"},
    {DYNO_COUNT, DYNO_DELTA, DYNO_NONE, 0, "requests", "Requests"},
    {DYNO_BYTE_PER_S, DYNO_TOTAL, DYNO_HIGHER, 0, "rate", "Rate"},
    {DYNO_SECOND, DYNO_TOTAL, DYNO_LOWER, 0, "real_time", "Real time"},
    {DYNO_SECOND, DYNO_TOTAL, DYNO_LOWER, 0, "sync_time", "Sync time"},
    {DYNO_CELSIUS, DYNO_GAUGE, DYNO_LOWER, 1, "temperature", "Temperature, \"die\""},
};

typedef void (*story_fn)(void *user, const struct frame *frame);

struct story {
    story_fn fn;
    void *user;
};

static inline void story_pair(const struct story *story, struct frame *frame, const char *key,
                              const char *value)
{
    struct str pairs = {0};
    str_add_pair(&pairs, key, value);
    frame->pairs = pairs.text;
    frame->pairs_size = pairs.size;
    story->fn(story->user, frame);
    str_done(&pairs);
}

static inline void story_start(const struct story *story)
{
    static const char pairs[] = "plugin\0/usr/lib/storage.so\0"
                                "test\0storage.write\0"
                                "title\0Sequential write\0"
                                "label\0Card 1\0"
                                "target.kind\0block\0"
                                "target.id\0mmcblk1p1\0"
                                "target.path\0/media/card\0"
                                "target.device\0partition\0"
                                "target.name\0SN32G\0"
                                "target.cid\000123456789\0"
                                "target.mode\0SDR104\0"
                                "target.width\0004\0"
                                "target.ceiling\000104000000\0"
                                "target.ceiling_source\0debugfs\0"
                                "option.method\0dd-fsync\0"
                                "option.bs\0001M\0"
                                "option.count\0008\0"
                                "option.time\000500ms\0"
                                "option.file\000007\0"
                                "option.data\0\0"
                                "machine.board\0A | board\0"
                                "machine.clock_set\0true\0"
                                "machine.cpus\0002\0"
                                "expect\0rate >= 60MB/s\0"
                                "expect\0sync_time < 1 s";
    struct frame frame = {
        .type = FRAME_START,
        .start = {.flags = DYNO_WRITES | DYNO_EXCLUSIVE,
                  .tick_ns = 500 * MS,
                  .report_ns = S,
                  .mono_ns = STORY_ZERO,
                  .wall_ns = STORY_WALL,
                  .metric_count = sizeof(story_metrics) / sizeof(story_metrics[0])},
        .metrics = story_metrics,
        .pairs = pairs,
        .pairs_size = sizeof(pairs),
    };
    story->fn(story->user, &frame);
}

static inline void story_sample(const struct story *story, unsigned metric, unsigned tick,
                                double value, uint32_t merged)
{
    /* A plugin's clock does not start at the very zero, and its times are not round. */
    uint64_t offset = STORY_ZERO + 3000001;
    struct frame frame = {.type = FRAME_SAMPLE,
                          .sample = {.metric = (uint16_t)metric,
                                     .merged = merged,
                                     .t0_ns = offset + tick * 500 * MS,
                                     .t1_ns = offset + (tick + 1) * 500 * MS,
                                     .value = value}};
    story->fn(story->user, &frame);
}

static inline void story_result(const struct story *story, unsigned metric, double value)
{
    struct frame frame = {
        .type = FRAME_RESULT,
        .result = {.metric = (uint16_t)metric, .lane = DYNO_LANE_ALL, .value = value}};
    story->fn(story->user, &frame);
}

/* Eight requests of 1 MiB, one in each tick of half a second: two in an interval, so widened. */
static inline void story_tell(const struct story *story, unsigned state, const char *sentence)
{
    story_start(story);
    struct frame frame = {.type = FRAME_PHASE, .phase = {STORY_ZERO + 3000001}};
    story_pair(story, &frame, "name", "write");
    frame = (struct frame){.type = FRAME_FACT};
    story_pair(story, &frame, "by-hand", "dd if=/dev/zero of=FILE bs=1M count=8 conv=fsync");
    story_pair(story, &frame, "o_direct", "not asked");
    for (unsigned tick = 0; tick < 9; tick++) {
        story_sample(story, REQUESTS, tick, tick < 8, 0);
        story_sample(story, WRITTEN, tick, tick < 8 ? 1048576 : 0, tick == 5 ? 2 : 0);
        story_sample(story, DEVICE_WRITTEN, tick, tick ? 1048576 : 0, 0);
        story_sample(story, TEMPERATURE, tick, 41.7 + tick * 0.1, 0);
    }
    frame = (struct frame){
        .type = FRAME_EVENT, .flags = FRAME_OWNER, .event = {STORY_ZERO + 3200 * MS}};
    story_pair(story, &frame, "mark", "line one\nline \"two\"");
    frame = (struct frame){.type = FRAME_PHASE, .phase = {STORY_ZERO + 4000 * MS}};
    story_pair(story, &frame, "name", "fsync");
    frame = (struct frame){.type = FRAME_LOG, .log = {.level = DYNO_WARNING}};
    story_pair(story, &frame, "text", "a line of the plugin");
    story_result(story, RATE, 8388608 / 4.5);
    story_result(story, REAL_TIME, 4.500000123);
    story_result(story, SYNC_TIME, 3.5);
    frame = (struct frame){.type = FRAME_END,
                           .end = {.state = state,
                                   .code = state == RUN_DONE ? 0 : -5,
                                   .t_ns = STORY_ZERO + 4503 * MS}};
    story_pair(story, &frame, "sentence", sentence);
}

#endif
