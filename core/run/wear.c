#include "run/wear.h"

#include <string.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/str.h"
#include "base/units.h"
#include "iodyno/plugin.h"

/* The text of an option, as given or its default; NULL when it has none. */
static const char *text_of(const struct catalog_test *test, const char *const *given,
                           const char *key)
{
    const struct option *option = catalog_option(test, key);
    const char *text = option ? option->def : NULL;
    size_t size = strlen(key);
    for (size_t i = 0; option && given && given[i]; i++)
        if (strcspn(given[i], "=") == size && given[i][size] == '=') {
            AUTO_FREE char *name = mem_copy_text(given[i]);
            name[size] = '\0';
            if (str_equal_key(name, key))
                text = given[i] + size + 1;
        }
    return text && text[0] ? text : NULL;
}

/* As the option itself is read; 0 when it is unset or no number. */
static double number_of(const struct catalog_test *test, const char *const *given, const char *key)
{
    const char *text = text_of(test, given, key);
    AUTO(str_done) struct str why = {0};
    struct option_value value = {0};
    double number = 0;
    if (text && option_parse(catalog_option(test, key), text, &value, &why) == 0)
        number = value.is_set ? (double)value.number : 0;
    option_value_done(&value);
    return number;
}

static double times_of(const struct catalog_test *test, const char *const *given)
{
    static const char *const keys[] = {"passes", "loops", "repeat"};
    double times = 1;
    for (size_t i = 0; i < ARRAY_SIZE(keys); i++) {
        double number = number_of(test, given, keys[i]);
        times *= number > 1 ? number : 1;
    }
    return times;
}

bool wear_plan(const struct catalog_test *test, const char *const *given, uint64_t capacity_bytes,
               double ceiling_bps, struct wear *ret_wear)
{
    struct wear wear = {.capacity = (double)capacity_bytes};
    double seconds = number_of(test, given, "time") / (double)NS_PER_S;
    double count = number_of(test, given, "count");
    if (!(test->flags & DYNO_WRITES) || capacity_bytes == 0)
        return false;
    wear.bytes = count > 0 ? count * number_of(test, given, "bs") : number_of(test, given, "size");
    if (wear.bytes > wear.capacity) /* the guard will refuse it and name what fits */
        return false;
    wear.bytes *= times_of(test, given);
    if (seconds > 0 && ceiling_bps > 0) { /* writes over the same room until the time is up */
        wear.seconds = seconds;
        wear.rate_bps = ceiling_bps;
        wear.bytes = seconds * ceiling_bps;
    }
    wear.drive_writes = wear.bytes / wear.capacity;
    if (wear.bytes <= 0)
        return false;
    *ret_wear = wear;
    return true;
}

void wear_explain(const struct wear *wear, struct str *into)
{
    if (wear->seconds > 0)
        str_addf(into, "%s at up to %s are ", units_duration(wear->seconds).text,
                 units_byte_rate(wear->rate_bps).text);
    else
        str_add(into, "this writes ");
    str_addf(into, "%s, ", units_bytes(wear->bytes).text);
    str_addf(into, wear->drive_writes < 10 ? "%.1f" : "%.0f", wear->drive_writes);
    str_addf(into, " drive writes, %s of a nominal %d",
             units_value(wear->drive_writes / WEAR_CYCLES, DYNO_RATIO).text, WEAR_CYCLES);
}
