#include "run/outcome.h"

#include <string.h>

#include "base/cleanup.h"
#include "base/str.h"
#include "iodyno/plugin.h"
#include "run/model.h"

static bool has_samples(const struct model *model)
{
    for (size_t i = 0; i < model->metric_count; i++) {
        if (model->metrics[i].sum && !model->metrics[i].about.is_host)
            return true;
    }
    return false;
}

/* What such tests moved until they broke off was really moved; what a disk accepted before an
 * error may be lost. */
static bool has_honest_mean(const struct model *model)
{
    return str_starts(model->test, "network.") || str_starts(model->test, "memory.");
}

static bool is_partial(const struct model *model)
{
    if (!has_samples(model))
        return false;
    return model->state == RUN_CANCELLED || model->flags & DYNO_ENDLESS ||
           (model->state != RUN_DONE && has_honest_mean(model));
}

static bool is_headline_rate(const struct model *model, const struct model_result *result)
{
    static const char *const keys[] = {"rate",     "rate_dd", "rate_best",
                                       "rate_out", "rate_in", "iops"};
    for (size_t i = 0; i < ARRAY_SIZE(keys); i++) {
        if (result->lane == DYNO_LANE_ALL &&
            str_equal_key(model->metrics[result->metric].about.key, keys[i]))
            return true;
    }
    return false;
}

static void drop_rates(struct model *model)
{
    size_t kept = 0;
    for (size_t i = 0; i < model->result_count; i++) {
        if (!is_headline_rate(model, &model->results[i]))
            model->results[kept++] = model->results[i];
    }
    model->result_count = kept;
}

/* The result of the whole test; of an amount without one, its total. */
static bool find_value(const struct model *model, unsigned number, double *ret_value)
{
    if (number >= model->metric_count)
        return false;
    for (size_t i = 0; i < model->result_count; i++) {
        const struct model_result *result = &model->results[i];
        if (result->metric == number && result->lane == DYNO_LANE_ALL) {
            *ret_value = result->value;
            return true;
        }
    }
    const struct model_metric *metric = &model->metrics[number];
    if (metric->about.kind != DYNO_DELTA || !metric->sum)
        return false;
    struct series_total total;
    series_total(metric->sum, &total);
    *ret_value = total.sum;
    return true;
}

void outcome_settle(struct model *model)
{
    model->is_partial = is_partial(model);
    bool is_good = model->state == RUN_DONE || model->state == RUN_CANCELLED;
    if (!is_good && !has_honest_mean(model))
        drop_rates(model);
    for (size_t i = 0; i < model->check_count; i++) {
        struct model_check *check = &model->checks[i];
        check->has_value = find_value(model, check->expect.metric, &check->value);
        check->pass = check->has_value && model->state == RUN_DONE &&
                      expect_holds(&check->expect, check->value);
    }
}
