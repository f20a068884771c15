/* The frame codec: what it decodes it must encode again, to the same bytes. */
#include <math.h>
#include <string.h>

#include "fuzz.h"
#include "iodyno/plugin.h"
#include "wire/frame.h"

static const struct frame_metric METRICS[] = {
    {DYNO_BYTE, DYNO_DELTA, DYNO_HIGHER, 0, "written", "Written"},
    {DYNO_CELSIUS, DYNO_GAUGE, DYNO_NONE, 1, "temperature", "Temperature"},
};

#define PAIRS(text) .pairs = (text), .pairs_size = sizeof(text)

static const struct frame SEEDS[] = {
    {.type = FRAME_ORDER, .order = {250, 1000}, PAIRS("test\0storage.write\0target.id\0sda")},
    {.type = FRAME_START,
     .start = {65536, 1, 250, 1000, 1, 2, 2, 0},
     .metrics = METRICS,
     PAIRS("test\0storage.write\0label\0")},
    {.type = FRAME_FACT, PAIRS("engine\0plain")},
    {.type = FRAME_PHASE, .phase = {7}, PAIRS("name\0fsync")},
    {.type = FRAME_SAMPLE, .sample = {0, 3, 1, 10, 20, 4096}},
    {.type = FRAME_ROW,
     PAIRS("a-key-of-sixty-four-bytes-a-key-of-sixty-four-bytes-a-key-of-six\0v")},
    {.type = FRAME_PROGRESS, .progress = {1, 2}},
    {.type = FRAME_RESULT, .result = {1, DYNO_LANE_ALL, 0, 4.9e6}},
    {.type = FRAME_EVENT, .flags = FRAME_OWNER, .event = {5}, PAIRS("stalled\0nothing moved")},
    {.type = FRAME_LOG, .log = {DYNO_INFO, 0}, PAIRS("text\0hello")},
    {.type = FRAME_END, .end = {RUN_FAILED, -5, 0, 0, 9}, PAIRS("sentence\0I/O error")},
    {.type = FRAME_PLUGIN, .plugin = {1, 0, 0}, PAIRS("id\0storage\0title\0Storage")},
    {.type = FRAME_TEST, .test = {DYNO_FOLDER, 1}, PAIRS("id\0storage.write")},
    {.type = FRAME_OPTION, .option = {DYNO_SIZE, 0, 1, 9}, PAIRS("key\0bs\0default\0001M")},
    {.type = FRAME_METRIC, .metric = {DYNO_BYTE, DYNO_DELTA, DYNO_ZERO, 0, "lost", "Lost"}},
    {.type = FRAME_REFUSED, PAIRS("path\0/a.so\0reason\0too old")},
    {.type = FRAME_ROW, PAIRS("id\00017\0label\0\0rate\0004893020")},
    {.type = FRAME_RECORDED, .recorded = {17}},
};
#define SEED_COUNT (sizeof(SEEDS) / sizeof(SEEDS[0]))

static struct packet packet, again;

/* One packet for each type, and one that holds them all. */
size_t fuzz_seed(unsigned index, uint8_t *into)
{
    if (index > SEED_COUNT)
        return 0;
    packet.size = 0;
    for (unsigned i = 0; i < SEED_COUNT; i++) {
        if (index == SEED_COUNT || index == i)
            FUZZ_HOLDS(packet_add(&packet, &SEEDS[i]) == 0);
    }
    memcpy(into, packet.bytes, packet.size);
    return packet.size;
}

static void walk_pairs(const struct frame *frame)
{
    const char *key, *value;
    size_t pos = 0, length = 0;

    while (frame_pair_next(frame, &pos, &key, &value)) {
        FUZZ_HOLDS(strlen(key) > 0 && strlen(key) <= FRAME_KEY_MAX);
        FUZZ_HOLDS(frame_pair(frame, key) != NULL);
        length += strlen(key) + strlen(value) + 2;
    }
    FUZZ_HOLDS(length == frame->pairs_size);
}

/* Said a second time, in other words than the codec's. */
static bool is_usable(const struct frame_sample *sample)
{
    return !isnan(sample->value) && !isinf(sample->value) && sample->t0_ns < sample->t1_ns &&
           sample->metric < FRAME_METRICS_MAX && sample->lane < 256;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    struct frame frame;
    size_t offset = 0;
    int code;

    /* Into memory of exactly this size, so that a read beyond it is seen. */
    uint8_t *exact = malloc(size ? size : 1);

    FUZZ_HOLDS(exact != NULL);
    memcpy(exact, bytes, size);
    again.size = 0;
    while ((code = frame_next(exact, size, &offset, &frame)) == 1) {
        FUZZ_HOLDS(frame.type > 0 && frame.type < FRAME_TYPES);
        FUZZ_HOLDS(frame.type != FRAME_SAMPLE || is_usable(&frame.sample));
        walk_pairs(&frame);
        FUZZ_HOLDS(packet_add(&again, &frame) == 0);
        FUZZ_HOLDS(again.size == offset && memcmp(again.bytes, exact, offset) == 0);
    }
    FUZZ_HOLDS(code < 0 || offset == size);
    free(exact);
    return 0;
}
