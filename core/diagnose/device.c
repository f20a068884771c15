#include "diagnose/rules.h"

#include <string.h>

#include "base/units.h"
#include "iodyno/plugin.h"

#define CAPABLE_SHARE 0.95 /* a link at less than this runs below what it could */

/* What reached the disk when its counter moved, else what the test wrote. */
static const struct cliff *cliff_of(const struct model *model)
{
    static const char *const keys[] = {"device_written", "written"};
    for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++) {
        int metric = model_metric(model, keys[i]);
        const struct cliff *cliff = metric >= 0 ? model->metrics[metric].cliff : NULL;
        if (cliff && cliff->total > 0)
            return cliff;
    }
    return NULL;
}

enum strength device_cliff(const struct evidence *evidence, struct str *text)
{
    const struct cliff *cliff = cliff_of(evidence->model);
    struct cliff_found found;
    if (!evidence->is_storage || !cliff || !cliff_find(cliff, &found))
        return SILENT;
    str_addf(text, "after %s the disk fell from %s ", units_bytes(found.bytes).text,
             units_byte_rate(found.before_bps).text);
    str_addf(text, "to %s and stayed there: its fast cache was full",
             units_byte_rate(found.after_bps).text);
    rules_add_state(evidence, text);
    str_addf(text, "; reckon with %s for longer writes", units_byte_rate(found.after_bps).text);
    return WARNING;
}

enum strength device_waits(const struct evidence *evidence, struct str *text)
{
    double count, worst;
    if (model_result(evidence->model, "stalls_count", &count) < 0 || count < 1)
        return SILENT;
    str_addf(text, "%.0f call%s took longer than 0.5 s", count, count < 1.5 ? "" : "s");
    if (model_result(evidence->model, "latency_max", &worst) == 0)
        str_addf(text, ", the worst %s", units_duration(worst).text);
    else
        worst = 0;
    if (worst > 0 && evidence->has_rate)
        str_addf(text, ": a recorder at this rate needs a buffer of %s",
                 units_bytes(worst * evidence->rate_bps).text);
    return WARNING;
}

enum strength device_below_capability(const struct evidence *evidence, struct str *text)
{
    const char *source = model_target(evidence->model, "capable_source");
    const char *advice = model_target(evidence->model, "advice");
    if (evidence->ceiling_bps <= 0 ||
        evidence->ceiling_bps >= evidence->capable_bps * CAPABLE_SHARE)
        return SILENT;
    str_add(text, "the link runs at ");
    rules_add_source(evidence, text);
    str_addf(text, " (%s", units_byte_rate(evidence->ceiling_bps).text);
    if (model_target(evidence->model, "mode") && model_target(evidence->model, "ceiling_source"))
        str_addf(text, ", by %s", model_target(evidence->model, "ceiling_source"));
    str_addf(text, "), %s would carry ", source ? source : "but it");
    str_add(text, units_byte_rate(evidence->capable_bps).text);
    if (advice)
        str_addf(text, ": %s", advice);
    return WARNING;
}

static const char *event_text(const struct model *model, const char *code)
{
    for (size_t i = model->event_count; i-- > 0;)
        if (strcmp(model->events[i].code, code) == 0)
            return model->events[i].text;
    return NULL;
}

/* A test that read back what it wrote knows; the card's own data only hint. */
enum strength device_fake_capacity(const struct evidence *evidence, struct str *text)
{
    const char *fact = model_fact(evidence->model, "fake-capacity");
    const char *event = event_text(evidence->model, "fake-capacity");
    const char *doubt = model_target(evidence->model, "doubt");
    if (fact || event) {
        str_addf(text, "the capacity is false: %s; what lies beyond is lost, do not use it",
                 fact ? fact : event);
        return MAIN;
    }
    if (!doubt)
        return SILENT;
    str_addf(text, "this may be a counterfeit: %s; storage.verify proves its capacity", doubt);
    return WARNING;
}
