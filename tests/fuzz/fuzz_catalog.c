/* The catalog: whatever a plugin says of itself, what stands in the catalog is bounded and usable.
 */
#include <string.h>

#include "base/str.h"
#include "catalog/catalog.h"
#include "fuzz.h"
#include "iodyno/plugin.h"

#define PAIRS(text) .pairs = (text), .pairs_size = sizeof(text)

static const struct frame SEED[] = {
    {.type = FRAME_PLUGIN,
     .plugin = {1, 0, 0},
     PAIRS("id\0a\0title\0A\0version\0001\0license\0MIT")},
    {.type = FRAME_TEST, .test = {DYNO_FOLDER, 1}, PAIRS("id\0a.write\0title\0W\0summary\0S")},
    {.type = FRAME_OPTION, .option = {DYNO_SIZE, 0, 512, 1 << 26}, PAIRS("key\0bs\0default\0001M")},
    {.type = FRAME_OPTION,
     .option = {DYNO_CHOICE, 0, 0, 0},
     PAIRS("key\0method\0choice\0dd\0choice\0queue\0default\0dd")},
    {.type = FRAME_OPTION,
     .option = {DYNO_TEXT, 0, 0, 0},
     PAIRS("key\0file\0label\0File\0help\0H")},
    {.type = FRAME_METRIC, .metric = {DYNO_BYTE, DYNO_DELTA, DYNO_HIGHER, 0, "written", "W"}},
    {.type = FRAME_METRIC, .metric = {DYNO_BYTE, DYNO_DELTA, DYNO_HIGHER, 0, "read", "R"}},
    {.type = FRAME_TEST, .test = {DYNO_MEM, 0}, PAIRS("id\0a.read")},
    {.type = FRAME_METRIC, .metric = {DYNO_SECOND, DYNO_TOTAL, DYNO_LOWER, 0, "time", "T"}},
};
static const struct frame REFUSED = {.type = FRAME_REFUSED, PAIRS("path\0/a\0reason\0old")};

static struct packet packet;

size_t fuzz_seed(unsigned index, uint8_t *into)
{
    packet.size = 0;
    if (index > 1)
        return 0;
    for (size_t i = 0; i < sizeof(SEED) / sizeof(SEED[0]); i++)
        FUZZ_HOLDS(packet_add(&packet, &SEED[i]) == 0);
    if (index == 1)
        FUZZ_HOLDS(packet_add(&packet, &REFUSED) == 0);
    memcpy(into, packet.bytes, packet.size);
    return packet.size;
}

static void check_test(const struct catalog *catalog, const struct catalog_test *test)
{
    FUZZ_HOLDS(catalog_find(catalog, test->id) == test);
    FUZZ_HOLDS(str_starts(test->id, "a."));
    FUZZ_HOLDS(test->option_count <= CATALOG_OPTIONS_MAX);
    FUZZ_HOLDS(test->metric_count <= CATALOG_METRICS_MAX);
    for (size_t i = 0; i < test->option_count; i++) {
        const struct option *option = &test->options[i];
        struct option_value value = {0};
        struct str text = {0};

        FUZZ_HOLDS(catalog_option(test, option->key) == option);
        FUZZ_HOLDS(option_parse(option, option->def, &value, &text) == 0);
        option_range(option, &text);
        option_meaning(option, &value, &text);
        option_value_done(&value);
        str_done(&text);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    struct catalog catalog = {0};
    struct frame frame;
    size_t offset = 0;

    if (size > sizeof(packet.bytes))
        return 0;
    memcpy(packet.bytes, bytes, size);
    while (frame_next(packet.bytes, size, &offset, &frame) == 1) {
        const int code = catalog_apply(&catalog, "/a.so", &frame);

        FUZZ_HOLDS(code == 0 || catalog.plugins[0].refused);
    }
    FUZZ_HOLDS(catalog.plugin_count <= 1);
    FUZZ_HOLDS(catalog.plugin_count == 0 || !catalog.plugins[0].refused || catalog.test_count == 0);
    /* A plugin called otherwise is as good, only its tests are not called "a." */
    if (catalog.plugin_count == 1 && catalog.plugins[0].id &&
        strcmp(catalog.plugins[0].id, "a") == 0) {
        for (size_t i = 0; i < catalog.test_count; i++)
            check_test(&catalog, &catalog.tests[i]);
    }
    catalog_done(&catalog);
    return 0;
}
