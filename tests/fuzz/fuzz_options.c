/* Option values as typed: parsed within their range or refused with a clean sentence. The first
 * byte of the input says the type, the second the range; the rest is the text. */
#include <string.h>

#include "base/str.h"
#include "base/units.h"
#include "catalog/options.h"
#include "fuzz.h"
#include "iodyno/plugin.h"

static const struct {
    uint8_t type, range;
    const char *text;
} SEEDS[] = {
    {DYNO_BOOL, 0, "yes"},         {DYNO_UINT, 1, "12"},          {DYNO_SIZE, 1, "64MiB"},
    {DYNO_SIZE, 2, "1.5G"},        {DYNO_RATE, 1, "2.5 Gbit/s"},  {DYNO_TIME, 1, "1.25ms"},
    {DYNO_CHOICE, 0, "dd-direct"}, {DYNO_TEXT, 0, "Card 1"},      {DYNO_ADDRESS, 0, "fe80::1%eth0"},
    {DYNO_PATH, 0, "/tmp/a b"},    {DYNO_DEVICE, 0, "mmcblk0p1"}, {DYNO_UINT, 0, "-1e400"},
};

static const struct {
    uint64_t min, max;
} RANGES[] = {{0, 0}, {10, 1 << 26}, {1, UINT64_MAX}, {5, 5}};

size_t fuzz_seed(unsigned index, uint8_t *into)
{
    if (index >= sizeof(SEEDS) / sizeof(SEEDS[0]))
        return 0;
    into[0] = SEEDS[index].type;
    into[1] = SEEDS[index].range;
    memcpy(into + 2, SEEDS[index].text, strlen(SEEDS[index].text));
    return 2 + strlen(SEEDS[index].text);
}

static bool is_clean(const char *text)
{
    for (; *text; text++) {
        if ((unsigned char)*text < ' ' || *text == 0x7f)
            return false;
    }
    return true;
}

static void try_option(const struct option *option, const char *text)
{
    struct option_value value = {.number = 77};
    struct str why = {0}, meaning = {0};
    const int code = option_parse(option, text, &value, &why);
    const bool has_range = option->max && option->type >= DYNO_UINT && option->type <= DYNO_TIME;

    if (code < 0) {
        FUZZ_HOLDS(why.size > 0 && is_clean(why.text) && value.number == 77 && !value.text);
        str_done(&why);
        return;
    }
    FUZZ_HOLDS(why.size == 0 && value.is_set == (*text != '\0'));
    FUZZ_HOLDS(!value.is_set || strcmp(value.text, text) == 0);
    FUZZ_HOLDS(!value.is_set || !has_range ||
               (value.number >= option->min && value.number <= option->max));
    option_meaning(option, &value, &meaning);
    FUZZ_HOLDS(is_clean(str_text(&meaning)));
    if (option->type == DYNO_SIZE && value.is_set) {
        uint64_t back = 0;

        FUZZ_HOLDS(units_parse_size(units_size_option(value.number).text, &back) == 0);
        FUZZ_HOLDS(back == value.number);
    }
    option_value_done(&value);
    str_done(&why);
    str_done(&meaning);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    static char key[] = "key", first[] = "dd-fsync", second[] = "dd-direct";
    static char *choices[] = {first, second, NULL};
    struct option option = {.key = key, .choices = choices};
    double number = 0;
    char *text;

    if (size < 2)
        return 0;
    option.type = bytes[0];
    option.min = RANGES[bytes[1] % 4].min;
    option.max = RANGES[bytes[1] % 4].max;
    text = malloc(size - 1);
    FUZZ_HOLDS(text != NULL);
    memcpy(text, bytes + 2, size - 2);
    text[size - 2] = '\0';
    try_option(&option, text);
    for (unsigned unit = 0; unit <= DYNO_PER_S + 1; unit++) {
        if (units_parse_value(text, unit, &number) == 0)
            FUZZ_HOLDS(strlen(units_value(number, unit).text) < UNITS_TEXT_MAX);
    }
    free(text);
    return 0;
}
