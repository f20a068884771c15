#include "diagnose/evidence.h"

#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/str.h"
#include "base/units.h"
#include "iodyno/plugin.h"

static struct series_total total_of(const struct model *model, const char *key)
{
    struct series_total total = {0};
    int metric = model_metric(model, key);
    if (metric >= 0 && model->metrics[metric].sum)
        series_total(model->metrics[metric].sum, &total);
    return total;
}

/* The result, or the mean of what is drawn. */
static void find_rate(const struct model *model, struct evidence *evidence)
{
    int metric = model_metric(model, "rate");
    if (metric >= 0 && model->metrics[metric].about.unit == DYNO_BYTE_PER_S &&
        model_result(model, "rate", &evidence->rate_bps) == 0) {
        evidence->has_rate = true;
        return;
    }
    unsigned headline;
    struct series_total total = {0};
    if (model->has_end || model_headline(model, &headline) < 0 ||
        model->metrics[headline].about.unit != DYNO_BYTE || !model->metrics[headline].sum)
        return;
    series_total(model->metrics[headline].sum, &total);
    if (total.sum > 0) {
        evidence->has_rate = true;
        evidence->rate_bps = total.sum * (double)NS_PER_S / (double)(total.t1_ns - total.t0_ns);
    }
}

static double phases_of_sync(const struct model *model)
{
    double seconds = 0;
    for (size_t i = 0; i < model->phase_count; i++) {
        const struct model_phase *phase = &model->phases[i];
        uint64_t end_ns = phase->t1_ns ? phase->t1_ns : model->now_ns;
        if (strstr(phase->name, "sync") && end_ns > phase->t0_ns)
            seconds += (double)(end_ns - phase->t0_ns) / (double)NS_PER_S;
    }
    return seconds;
}

static void find_times(const struct model *model, struct evidence *evidence)
{
    uint64_t end_ns = model->has_end ? model->end_ns : model->now_ns;
    if (model_result(model, "real_time", &evidence->seconds) < 0)
        evidence->seconds = model_seconds(model, end_ns);
    if (model_result(model, "sync_time", &evidence->sync_s) < 0)
        evidence->sync_s = phases_of_sync(model);
}

/* What sets the ceiling, as a person names it: the mode before the file it was read from. */
static void find_source(const struct model *model, struct evidence *evidence)
{
    const char *mode = model_target(model, "mode"), *width = model_target(model, "width");
    const char *source = mode ? mode : model_target(model, "ceiling_source");
    if (source)
        (void)snprintf(evidence->ceiling_source, sizeof(evidence->ceiling_source), "%s%s%s%s",
                       source, mode && width ? ", " : "", mode && width ? width : "",
                       mode && width ? " bit" : "");
}

void evidence_gather(const struct model *model, struct evidence *ret_evidence)
{
    const char *ceiling = model_target(model, "ceiling");
    struct evidence evidence = {
        .model = model,
        .is_storage = str_starts(model->test, "storage."),
        .written = total_of(model, "written").sum,
        .read = total_of(model, "read").sum,
        .device_written = total_of(model, "device_written").sum,
        .device_read = total_of(model, "device_read").sum,
    };
    evidence.is_read = evidence.read > 0;
    evidence.has_cached = model_result(model, "cached", &evidence.cached) == 0;
    if (ceiling &&
        (units_parse_double(ceiling, &evidence.ceiling_bps) < 0 || evidence.ceiling_bps < 0))
        evidence.ceiling_bps = 0;
    find_source(model, &evidence);
    find_rate(model, &evidence);
    find_times(model, &evidence);
    *ret_evidence = evidence;
}
