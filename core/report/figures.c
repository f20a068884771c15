#include "report/figures.h"

#include <string.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/str.h"
#include "base/units.h"
#include "diagnose/verdict.h"
#include "iodyno/plugin.h"

void figures_value(double value, unsigned unit, struct str *into)
{
    str_add(into, units_value(value, unit).text);
    if (unit == DYNO_BYTE_PER_S)
        str_addf(into, " (%s)", units_byte_rate_binary(value).text);
}

bool figures_leading(const struct model *model, struct model_result *ret_result)
{
    static const char *const keys[] = {"rate", "iops", "latency"};
    double value;
    for (size_t i = 0; i < ARRAY_SIZE(keys); i++) {
        if (model_result(model, keys[i], &value) < 0)
            continue;
        *ret_result = (struct model_result){.metric = (uint16_t)model_metric(model, keys[i]),
                                            .lane = DYNO_LANE_ALL,
                                            .value = value};
        return true;
    }
    return false;
}

bool figures_headline(const struct model *model, struct model_result *ret_result)
{
    if (figures_leading(model, ret_result))
        return true;
    for (size_t i = 0; i < model->result_count; i++) {
        if (model->results[i].lane != DYNO_LANE_ALL)
            continue;
        *ret_result = model->results[i];
        return true;
    }
    return false;
}

/* A plugin marks what it moves besides, to prepare, as neither better nor worse. */
double figures_amount(const struct model *model)
{
    for (size_t i = 0; i < model->metric_count; i++) {
        const struct model_metric *metric = &model->metrics[i];
        if (!metric->sum || metric->about.is_host || metric->about.kind != DYNO_DELTA ||
            metric->about.unit != DYNO_BYTE || metric->about.better != DYNO_HIGHER)
            continue;
        struct series_total total;
        series_total(metric->sum, &total);
        if (total.sum > 0)
            return total.sum;
    }
    return 0;
}

bool figures_add_headline(const struct model *model, struct str *into)
{
    struct model_result result = {0};
    if (!figures_headline(model, &result))
        return false;
    bool is_broken = model->has_end && model->state != RUN_DONE && model->state != RUN_CANCELLED;
    if (is_broken && model_metric(model, "rate") != (int)result.metric)
        return false; /* what is left of a run that broke is no headline */
    const struct frame_metric *about = &model->metrics[result.metric].about;
    double amount = figures_amount(model);
    double seconds = model_seconds(model, model->has_end ? model->end_ns : model->now_ns);
    bool is_rate = about->unit == DYNO_BYTE_PER_S || about->unit == DYNO_BIT_PER_S;
    if (!is_rate)
        str_addf(into, "%s ", about->label[0] ? about->label : about->key);
    figures_value(result.value, about->unit, into);
    /* The rate has a clock of its own, as dd's: without the opening of the file. */
    if (about->unit == DYNO_BYTE_PER_S && result.value > 0 && amount > 0)
        seconds = amount / result.value;
    if (is_rate && amount > 0)
        str_addf(into, ": %s in %s", units_bytes(amount).text, units_duration(seconds).text);
    else
        str_addf(into, " in %s", units_duration(seconds).text);
    if (model->is_partial)
        str_add(into, " (partial: the mean until it ended)");
    return true;
}

static bool is_network(const struct model *model)
{
    return str_starts(model->test, "network.");
}

const char *figures_ceiling_name(const struct model *model)
{
    return is_network(model) ? "ceiling of the line" : "ceiling of the bus";
}

bool figures_add_ceiling(const struct model *model, const struct verdict *verdict, struct str *into)
{
    static const char *const telling[] = {"device-limited", "bus-limited", "link-limited"};
    bool is_told = false;
    for (size_t i = 0; i < sizeof(telling) / sizeof(telling[0]); i++)
        is_told = is_told || strcmp(verdict->main.code, telling[i]) == 0;
    if (verdict->ceiling_bps <= 0 || is_told)
        return false;
    str_add(into, is_network(model) ? units_bit_rate(verdict->ceiling_bps).text
                                    : units_byte_rate(verdict->ceiling_bps).text);
    if (verdict->ceiling_source[0])
        str_addf(into, " (%s)", verdict->ceiling_source);
    if (verdict->fraction > 0)
        str_addf(into, ", %s of it reached", units_value(verdict->fraction, DYNO_RATIO).text);
    return true;
}

static struct units_text spread_text(const struct frame_metric *about, double value)
{
    static const struct {
        unsigned amount, rate;
    } rates[] = {
        {DYNO_BYTE, DYNO_BYTE_PER_S}, {DYNO_BIT, DYNO_BIT_PER_S}, {DYNO_COUNT, DYNO_PER_S}};
    unsigned unit = about->unit;
    /* What a network test moved is bytes in the record and bits to the eye. */
    if (about->kind == DYNO_DELTA && unit == DYNO_BYTE &&
        (strcmp(about->key, "sent") == 0 || strcmp(about->key, "received") == 0))
        return units_value(value * 8, DYNO_BIT_PER_S);
    for (size_t i = 0; about->kind == DYNO_DELTA && i < sizeof(rates) / sizeof(rates[0]); i++)
        unit = about->unit == rates[i].amount ? rates[i].rate : unit;
    return units_value(value, unit);
}

bool figures_add_spread(const struct model *model, struct str *into)
{
    unsigned number;
    if (model_headline(model, &number) < 0 || !model->metrics[number].sum)
        return false;
    const struct model_metric *metric = &model->metrics[number];
    bool is_amount = metric->about.kind == DYNO_DELTA;
    struct series_total total;
    series_total(metric->sum, &total);
    struct series_bucket all;
    series_columns(metric->sum, total.t0_ns, total.t1_ns, 1, &all);
    double seconds = (double)(total.t1_ns - total.t0_ns) / (double)NS_PER_S;
    double mean = is_amount ? total.sum / seconds : all.sum / (double)all.count;
    const struct {
        const char *name;
        double value;
    } figures[] = {{"min", total.min},
                   {"mean", mean},
                   {"p95", series_percentile(metric->sum, 0.95)},
                   {"max", total.max}};
    str_addf(into, "%s: ", metric->about.label[0] ? metric->about.label : metric->about.key);
    for (size_t i = 0; i < sizeof(figures) / sizeof(figures[0]); i++)
        str_addf(into, "%s%s %s", i ? ", " : "", figures[i].name,
                 spread_text(&metric->about, figures[i].value).text);
    return true;
}
