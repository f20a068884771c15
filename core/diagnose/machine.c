#include "diagnose/rules.h"

#include <string.h>

#include "base/units.h"
#include "iodyno/plugin.h"

#define LIMIT_SHARE 0.95  /* the clock's limit fell by more than its steps and rounding */
#define SLOWER_SHARE 0.70 /* of the median of earlier runs */
#define SLOWER_RUNS 2     /* fewer tell nothing */

enum strength machine_stalled(const struct evidence *evidence, struct str *text)
{
    const struct model *model = evidence->model;
    if (!model->stalls)
        return SILENT;
    if (model->is_stalled && !model->has_end) {
        str_addf(text, "nothing has moved for %s",
                 units_duration((double)(model->now_ns - model->last_move_ns) / 1e9).text);
        return MAIN;
    }
    str_addf(text, "%u time%s nothing moved for about two seconds or more", model->stalls,
             model->stalls == 1 ? "" : "s");
    return WARNING;
}

static bool total_of(const struct model *model, const char *key, struct series_total *ret_total)
{
    int metric = model_metric(model, key);
    if (metric < 0 || !model->metrics[metric].sum)
        return false;
    series_total(model->metrics[metric].sum, ret_total);
    return ret_total->count > 1;
}

/* The kernel takes speed away by lowering the limit of the clock; the clock itself also falls for
 * want of work, unless a governor holds it up. */
static bool find_clock(const struct model *model, struct series_total *ret_clock)
{
    if (total_of(model, "cpu_limit", ret_clock) && ret_clock->min < ret_clock->max * LIMIT_SHARE)
        return true;
    const char *held = model_fact(model, "governor");
    if (held && str_starts(held, "held at performance"))
        return total_of(model, "cpu_clock", ret_clock) &&
               ret_clock->min < ret_clock->max * LIMIT_SHARE;
    for (size_t i = 0; i < model->machine_count; i++)
        if (strcmp(model->machine[i].key, "governor") == 0 &&
            strcmp(model->machine[i].value, "performance") == 0)
            return total_of(model, "cpu_clock", ret_clock) &&
                   ret_clock->min < ret_clock->max * LIMIT_SHARE;
    return false;
}

enum strength machine_thermal(const struct evidence *evidence, struct str *text)
{
    struct series_total heat, clock;
    if (!total_of(evidence->model, "temperature", &heat) || !find_clock(evidence->model, &clock))
        return SILENT;
    str_addf(text, "the board slowed down at up to %s: its clock fell from ",
             units_value(heat.max, DYNO_CELSIUS).text);
    str_addf(text, "%s to %s; cool it and run again", units_value(clock.max, DYNO_HERTZ).text,
             units_value(clock.min, DYNO_HERTZ).text);
    return WARNING;
}

void rules_add_clock(const struct evidence *evidence, struct str *text)
{
    struct series_total heat, clock;
    if (total_of(evidence->model, "cpu_clock", &clock))
        str_addf(text, ", at %s", units_value(clock.sum / (double)clock.count, DYNO_HERTZ).text);
    if (total_of(evidence->model, "temperature", &heat))
        str_addf(text, ", at up to %s", units_value(heat.max, DYNO_CELSIUS).text);
}

/* "41200000 B/s, the median of 5 runs" */
static bool read_before(const char *fact, double *ret_rate, unsigned *ret_runs)
{
    static const char words[] = ", the median of ";
    char number[32];
    const char *rest = strstr(fact, words);
    size_t size = strcspn(fact, " ");
    uint64_t runs;
    if (!rest || size >= sizeof number)
        return false;
    memcpy(number, fact, size);
    number[size] = '\0';
    if (units_parse_double(number, ret_rate) < 0 || !(*ret_rate > 0))
        return false;
    rest += strlen(words);
    size = strspn(rest, "0123456789");
    if (size == 0 || size >= sizeof number)
        return false;
    memcpy(number, rest, size);
    number[size] = '\0';
    if (units_parse_u64(number, &runs) < 0 || runs > 1000)
        return false;
    *ret_runs = (unsigned)runs;
    return true;
}

enum strength machine_slower(const struct evidence *evidence, struct str *text)
{
    const struct model *model = evidence->model;
    const char *fact = model_fact(model, "before");
    double before, rate;
    unsigned runs;
    if (!fact || !read_before(fact, &before, &runs) || runs < SLOWER_RUNS ||
        model_result(model, "rate", &rate) < 0 || rate >= before * SLOWER_SHARE)
        return SILENT;
    unsigned unit = model->metrics[model_metric(model, "rate")].about.unit;
    str_addf(text, "%s is %s of the ", units_value(rate, unit).text,
             units_value(rate / before, DYNO_RATIO).text);
    str_addf(text, "%s that this device gave before (the median of %u run%s)",
             units_value(before, unit).text, runs, runs == 1 ? "" : "s");
    rules_add_state(evidence, text);
    str_add(text, "; compare with `iodyno history`");
    return WARNING;
}

enum strength machine_kernel_errors(const struct evidence *evidence, struct str *text)
{
    const struct model *model = evidence->model;
    const char *counted = model_fact(model, "mmc-errors"), *last = NULL;
    unsigned lines = 0;
    for (size_t i = 0; i < model->event_count; i++) {
        if (strcmp(model->events[i].code, "kernel") != 0)
            continue;
        last = model->events[i].text;
        lines++;
    }
    if (!counted && !lines)
        return SILENT;
    if (lines) /* the quote comes last: it may be long */
        str_addf(text, "the kernel wrote %u line%s about this disk during the run", lines,
                 lines == 1 ? "" : "s");
    if (counted)
        str_addf(text, "%sthe host counted %s", lines ? "; " : "", counted);
    if (last)
        str_addf(text, ": \"%s\"", last);
    return WARNING;
}
