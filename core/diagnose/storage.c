#include "diagnose/rules.h"

#include <string.h>

#include "base/units.h"
#include "iodyno/plugin.h"

#define CACHED_WARN 0.10
#define CACHED_MAIN 0.95
#define OVER_CEILING 1.02 /* clocks and counters are not better than this */
#define SYNC_SHARE 0.5    /* of the time, for a write that the disk held up */
#define OTHER_SHARE 0.05  /* device bytes beyond ours */
#define OTHER_BYTES (8.0 * 1024 * 1024)

static const char *verb(const struct evidence *evidence)
{
    return evidence->is_read ? "read" : "written";
}

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

enum strength storage_over_ceiling(const struct evidence *evidence, struct str *text)
{
    if (evidence->is_memory || !evidence->has_rate || evidence->ceiling_bps <= 0 ||
        evidence->rate_bps <= evidence->ceiling_bps * OVER_CEILING)
        return SILENT;
    str_addf(text, "%s is more than the %s that ", units_byte_rate(evidence->rate_bps).text,
             units_byte_rate(evidence->ceiling_bps).text);
    rules_add_source(evidence, text);
    str_add(text, " can carry: an error of method, not the speed of the device");
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
    return WARNING;
}

static double beyond(double device, double ours)
{
    return device > ours ? device - ours : 0;
}

enum strength storage_other_traffic(const struct evidence *evidence, struct str *text)
{
    double ours = evidence->written + evidence->read;
    double other = beyond(evidence->device_written, evidence->written) +
                   beyond(evidence->device_read, evidence->read);
    if (!evidence->is_storage || ours <= 0 || other <= OTHER_BYTES || other <= ours * OTHER_SHARE)
        return SILENT;
    str_addf(text, "the disk moved %s more than the test's own %s: something else used it",
             units_bytes(other).text, units_bytes(ours).text);
    return WARNING;
}

enum strength storage_bus_limited(const struct evidence *evidence, struct str *text)
{
    if (evidence->is_memory || !evidence->has_rate || evidence->ceiling_bps <= 0 ||
        evidence->rate_bps < evidence->ceiling_bps * evidence->bus_share)
        return SILENT;
    str_add(text, "the bus is the limit: ");
    rules_add_rate(evidence, text);
    str_add(text, ", as ");
    rules_add_source(evidence, text);
    str_add(text, " allows");
    return MAIN;
}

static bool is_from_device(const struct evidence *evidence)
{
    return evidence->is_read && evidence->has_cached && evidence->cached < CACHED_WARN;
}

enum strength storage_device_limited(const struct evidence *evidence, struct str *text)
{
    if (!evidence->is_storage || !evidence->has_rate)
        return SILENT;
    double share = evidence->seconds > 0 ? evidence->sync_s / evidence->seconds : 0;
    bool is_synced = !evidence->is_read && share >= SYNC_SHARE;
    if (!is_synced && !model_is_direct(evidence->model) && !is_from_device(evidence))
        return SILENT;
    str_add(text, "the disk is the limit: ");
    rules_add_rate(evidence, text);
    if (is_synced)
        str_addf(text, ", with %s of the time spent in sync",
                 units_value(share > 1 ? 1 : share, DYNO_RATIO).text);
    else if (model_is_direct(evidence->model))
        str_addf(text, ", %s without the page cache", verb(evidence));
    else
        str_addf(text, ", %s came from RAM", units_value(evidence->cached, DYNO_RATIO).text);
    return MAIN;
}
