#include "diagnose/rules.h"

#include <string.h>

#include "base/cleanup.h"
#include "base/units.h"
#include "iodyno/plugin.h"

#define FILL_MUCH 0.80
#define CACHED_WARN 0.10
#define CACHED_MAIN 0.95
#define OVER_CEILING 1.02 /* clocks and counters are not better than this */
#define OTHER_SHARE 0.05  /* device bytes beyond ours */
#define OTHER_BYTES (8.0 * 1024 * 1024)

void rules_add_rate(const struct evidence *evidence, struct str *text)
{
    str_add(text, units_byte_rate(evidence->rate_bps).text);
    if (evidence->ceiling_bps > 0)
        str_addf(text, " of %s (%s)", units_byte_rate(evidence->ceiling_bps).text,
                 units_value(evidence->rate_bps / evidence->ceiling_bps, DYNO_RATIO).text);
}

void rules_add_source(const struct evidence *evidence, struct str *text)
{
    str_add(text, evidence->ceiling_source[0] ? evidence->ceiling_source : "its bus");
}

/* "93 % of the file system's 29.1 GB in use before"; negative: unknown. */
static double fill_of(const struct model *model)
{
    const char *fact = model_fact(model, "fill");
    size_t size = fact ? strcspn(fact, " ") : 0;
    char number[16];
    double percent;
    if (!fact || size >= sizeof number || !str_starts(fact + size, " % "))
        return -1;
    memcpy(number, fact, size);
    number[size] = '\0';
    return units_parse_double(number, &percent) == 0 ? percent / 100 : -1;
}

/* Flash that is full, or is never told what was deleted, writes slower than when it was new. */
void rules_add_state(const struct evidence *evidence, struct str *text)
{
    const char *discard = model_fact(evidence->model, "discard");
    double fill = fill_of(evidence->model);
    if (evidence->is_read)
        return;
    if (fill >= FILL_MUCH)
        str_addf(text, "; the file system was %s full", units_value(fill, DYNO_RATIO).text);
    if (discard && strstr(discard, "takes no discard"))
        str_addf(text, "%s the disk takes no discard", fill >= FILL_MUCH ? " and" : ";");
}

static void add_way_past_ram(const struct evidence *evidence, struct str *text)
{
    static const struct {
        const char *test, *way;
    } ways[] = {{"storage.read", "; method=dd-cold or dd-direct reads the device"},
                {"storage.write", "; method=dd-direct-fsync writes to the device"},
                {"storage.", "; take a larger size"}};
    for (size_t i = 0; i < ARRAY_SIZE(ways); i++)
        if (str_starts(evidence->model->test, ways[i].test)) {
            str_add(text, ways[i].way);
            return;
        }
}

enum strength storage_over_ceiling(const struct evidence *evidence, struct str *text)
{
    if (evidence->is_memory || evidence->is_network || !evidence->has_rate ||
        evidence->ceiling_bps <= 0 || evidence->rate_bps <= evidence->ceiling_bps * OVER_CEILING)
        return SILENT;
    str_addf(text, "%s is more than the %s that ", units_byte_rate(evidence->rate_bps).text,
             units_byte_rate(evidence->ceiling_bps).text);
    rules_add_source(evidence, text);
    str_add(text, " can carry: an error of method, not the speed of the device");
    add_way_past_ram(evidence, text);
    return MAIN;
}

enum strength storage_in_ram(const struct evidence *evidence, struct str *text)
{
    if (!evidence->place || evidence->place->kind != PLACE_RAM)
        return SILENT;
    str_addf(text, "this is RAM, not a device: %s", evidence->place->note);
    return MAIN;
}

enum strength storage_place(const struct evidence *evidence, struct str *text)
{
    if (!evidence->place || evidence->place->kind == PLACE_RAM)
        return SILENT;
    str_add(text, evidence->place->note);
    return evidence->place->kind == PLACE_REMOTE ? MAIN : WARNING;
}

enum strength storage_cached(const struct evidence *evidence, struct str *text)
{
    if (!evidence->has_cached || evidence->cached < CACHED_WARN)
        return SILENT;
    str_addf(text, "%s of what was read came from RAM, not from the device",
             units_value(evidence->cached, DYNO_RATIO).text);
    add_way_past_ram(evidence, text);
    return evidence->cached >= CACHED_MAIN ? MAIN : WARNING;
}

enum strength storage_not_direct(const struct evidence *evidence, struct str *text)
{
    const char *word = model_fact(evidence->model, "o_direct");
    const char *why = model_fact(evidence->model, "o_direct-why");
    if (!word || strcmp(word, "not honoured") != 0)
        return SILENT;
    str_add(text, "O_DIRECT was not honoured");
    if (why)
        str_addf(text, ": %s", why);
    str_add(text, "; the rate is that of buffered calls");
    return WARNING;
}

static double beyond(double device, double ours)
{
    return device > ours ? device - ours : 0;
}

enum strength storage_other_traffic(const struct evidence *evidence, struct str *text)
{
    double written = evidence->written + evidence->prepared, ours = written + evidence->read;
    double other =
        beyond(evidence->device_written, written) + beyond(evidence->device_read, evidence->read);
    if (!evidence->is_storage || ours <= 0 || other <= OTHER_BYTES || other <= ours * OTHER_SHARE)
        return SILENT;
    str_addf(text, "the disk moved %s more than the test's own %s (", units_bytes(other).text,
             units_bytes(ours).text);
    str_addf(text, "%s): something else used it, stop that and run again",
             units_value(other / ours, DYNO_RATIO).text);
    return WARNING;
}
