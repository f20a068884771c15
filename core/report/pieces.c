#include "report/pieces.h"

#include <errno.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/str.h"
#include "base/units.h"
#include "diagnose/verdict.h"
#include "iodyno/plugin.h"

#define EXACT_MAX ((uint64_t)1 << 53) /* larger numbers stay text */

static const char *const kinds[] = {
    [DYNO_DELTA] = "delta", [DYNO_GAUGE] = "gauge", [DYNO_TOTAL] = "total"};
static const char *const betters[] = {
    [DYNO_HIGHER] = "higher", [DYNO_LOWER] = "lower", [DYNO_ZERO] = "zero", [DYNO_NONE] = "none"};
static const char *const levels[] = {[DYNO_DEBUG] = "debug",
                                     [DYNO_INFO] = "info",
                                     [DYNO_WARNING] = "warning",
                                     [DYNO_ERROR] = "error"};

static const char *name_of(const char *const *names, size_t count, unsigned number)
{
    return number && number < count ? names[number] : "unknown";
}

static int number_of(const char *const *names, size_t count, const char *name)
{
    for (size_t i = 1; i < count; i++) {
        if (!strcmp(names[i], name))
            return (int)i;
    }
    return -EINVAL;
}

const char *pieces_kind(unsigned kind)
{
    return name_of(kinds, ARRAY_SIZE(kinds), kind);
}

const char *pieces_better(unsigned better)
{
    return name_of(betters, ARRAY_SIZE(betters), better);
}

const char *pieces_level(unsigned level)
{
    return name_of(levels, ARRAY_SIZE(levels), level);
}

int pieces_kind_from(const char *name, uint16_t *ret_kind)
{
    int number = number_of(kinds, ARRAY_SIZE(kinds), name);
    if (number > 0)
        *ret_kind = (uint16_t)number;
    return number > 0 ? 0 : number;
}

int pieces_better_from(const char *name, uint16_t *ret_better)
{
    int number = number_of(betters, ARRAY_SIZE(betters), name);
    if (number > 0)
        *ret_better = (uint16_t)number;
    return number > 0 ? 0 : number;
}

int pieces_level_from(const char *name, uint32_t *ret_level)
{
    int number = number_of(levels, ARRAY_SIZE(levels), name);
    if (number > 0)
        *ret_level = (uint32_t)number;
    return number > 0 ? 0 : number;
}

static bool is_among(const char *key, const char *const *keys, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (str_equal_key(key, keys[i]))
            return true;
    }
    return false;
}

/* A serial of digits only is still text: numbers are those that are known to be. */
static void emit_described(struct emit *emit, const char *key, const char *text)
{
    static const char *const numbers[] = {"size_bytes", "width",         "ceiling",
                                          "clock_hz",   "logical_block", "speed_mbps",
                                          "cpus",       "memory_bytes",  "port_mbps"};
    double number;
    bool is_true = !strcmp(text, "true");
    if (is_among(key, numbers, ARRAY_SIZE(numbers)) && units_parse_double(text, &number) == 0)
        emit_number(emit, key, number);
    else if (is_true || !strcmp(text, "false"))
        emit_bool(emit, key, is_true);
    else
        emit_text(emit, key, text);
}

static void emit_target(struct emit *emit, const struct model *model)
{
    static const char *const done[] = {"id", "kind", "device", "path"};
    const char *device = model_target(model, "device");
    const char *access = target_kind_name(model->target_kind);
    emit_open(emit, "target", '{');
    emit_text(emit, "id", model->target_id);
    emit_text(emit, "kind", device ? device : access);
    emit_text(emit, "access", access);
    emit_text(emit, "path", model->target_path[0] ? model->target_path : NULL);
    for (size_t i = 0; i < model->target_count; i++) {
        const struct model_text *text = &model->target[i];
        if (!is_among(text->key, done, ARRAY_SIZE(done)))
            emit_described(emit, text->key, text->value);
    }
    emit_close(emit);
}

/* Options travel as text; in a file those that read as a size, a bit rate or a time are numbers of
 * their base unit (times in seconds). */
static bool option_number(const char *key, const char *text, double *ret_number)
{
    static const char *const texts[] = {"file", "server", "peer", "data", "cpus", "bind"};
    uint64_t number;
    if (is_among(key, texts, ARRAY_SIZE(texts)))
        return false;
    int code = str_equal_key(key, "bitrate") ? units_parse_rate(text, &number)
                                             : units_parse_size(text, &number);
    if (code == 0 && number <= EXACT_MAX) {
        *ret_number = (double)number;
        return true;
    }
    if (units_parse_time(text, &number) < 0 || number > EXACT_MAX)
        return false;
    *ret_number = (double)number / (double)NS_PER_S;
    return true;
}

static void emit_options(struct emit *emit, const struct model *model)
{
    emit_open(emit, "options", '{');
    for (size_t i = 0; i < model->option_count; i++) {
        const struct model_text *option = &model->options[i];
        double number;
        if (option_number(option->key, option->value, &number))
            emit_number(emit, option->key, number);
        else
            emit_text(emit, option->key, option->value[0] ? option->value : NULL);
    }
    emit_close(emit);
}

void pieces_origin(struct emit *emit, const struct model *model)
{
    emit_open(emit, "machine", '{');
    for (size_t i = 0; i < model->machine_count; i++)
        emit_described(emit, model->machine[i].key, model->machine[i].value);
    emit_close(emit);
    emit_target(emit, model);
    emit_options(emit, model);
    char started[CLOCK_ISO_MAX];
    emit_text(emit, "started",
              model->wall_ns >= NS_PER_S ? clock_iso(model->wall_ns, started) : NULL);
    emit_number(emit, "interval_s", (double)model->report_ns / (double)NS_PER_S);
}

void pieces_metrics(struct emit *emit, const struct model *model)
{
    emit_open(emit, "metrics", '[');
    for (size_t i = 0; i < model->metric_count; i++) {
        const struct frame_metric *about = &model->metrics[i].about;
        emit_open(emit, NULL, '{');
        emit_text(emit, "key", about->key);
        emit_text(emit, "unit", units_symbol(about->unit));
        emit_text(emit, "kind", pieces_kind(about->kind));
        emit_text(emit, "better", pieces_better(about->better));
        emit_text(emit, "label", about->label);
        if (about->is_host)
            emit_bool(emit, "host", true);
        emit_close(emit);
    }
    emit_close(emit);
}

void pieces_interval(struct emit *emit, const struct model *model, const struct interval *interval)
{
    emit_text(emit, "metric", model->metrics[interval->metric].about.key);
    emit_number(emit, "lane", interval->lane);
    emit_number(emit, "t0_s", model_seconds(model, interval->t0_ns));
    emit_number(emit, "t1_s", model_seconds(model, interval->t1_ns));
    emit_number(emit, "value", interval->value);
    if (interval->is_widened)
        emit_bool(emit, "widened", true);
    if (interval->merged)
        emit_number(emit, "merged", interval->merged);
}

void pieces_result(struct emit *emit, const struct model *model, const struct model_result *result)
{
    const struct frame_metric *about = &model->metrics[result->metric].about;
    emit_text(emit, "metric", about->key);
    if (result->lane == DYNO_LANE_ALL)
        emit_null(emit, "lane");
    else
        emit_number(emit, "lane", result->lane);
    emit_number(emit, "value", result->value);
    emit_text(emit, "unit", units_symbol(about->unit));
    emit_text(emit, "better", pieces_better(about->better));
}

static void emit_positive(struct emit *emit, const char *key, double value)
{
    if (value > 0)
        emit_number(emit, key, value);
    else
        emit_null(emit, key);
}

void pieces_verdict(struct emit *emit, const struct model *model)
{
    struct verdict verdict;
    verdict_of(model, &verdict);
    emit_open(emit, "verdict", '{');
    emit_text(emit, "code", verdict.main.code);
    emit_text(emit, "text", verdict.main.text);
    emit_positive(emit, "ceiling", verdict.ceiling_bps);
    emit_text(emit, "ceiling_source", verdict.ceiling_source[0] ? verdict.ceiling_source : NULL);
    emit_positive(emit, "fraction", verdict.fraction);
    emit_open(emit, "warnings", '[');
    for (unsigned i = 0; i < verdict.warning_count; i++) {
        emit_open(emit, NULL, '{');
        emit_text(emit, "code", verdict.warnings[i].code);
        emit_text(emit, "text", verdict.warnings[i].text);
        emit_close(emit);
    }
    emit_close(emit);
    emit_close(emit);
}

void pieces_checks(struct emit *emit, const struct model *model)
{
    emit_open(emit, "checks", '[');
    for (size_t i = 0; i < model->check_count; i++) {
        const struct model_check *check = &model->checks[i];
        emit_open(emit, NULL, '{');
        emit_text(emit, "expect", check->expect.text);
        if (check->has_value)
            emit_number(emit, "value", check->value);
        else
            emit_null(emit, "value");
        emit_bool(emit, "pass", check->pass);
        emit_close(emit);
    }
    emit_close(emit);
}
