#include "run/model.h"

#include <errno.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/str.h"
#include "iodyno/plugin.h"
#include "run/outcome.h"

/* What each frame does to the model. Frames may come from a plugin that writes on the line by
 * itself or from a foreign record, and every text ends before a person: it is cleaned here, once.
 */

#define TEXT_MAX ((size_t)128 << 10) /* bytes of events kept, and of log lines */

static void advance(struct model *model, uint64_t t_ns)
{
    if (t_ns > model->now_ns)
        model->now_ns = t_ns;
}

static void replace_text(char **text, const char *value)
{
    free(*text);
    *text = str_clean_copy(value);
}

static void add_text(struct model_text **texts, size_t *count, const char *key, const char *value)
{
    *texts = mem_grow(*texts, *count + 1, sizeof(**texts));
    (*texts)[(*count)++] = (struct model_text){str_clean_copy(key), str_clean_copy(value)};
}

/* First pair of a frame; false when it has none. */
static bool first_pair(const struct frame *frame, const char **ret_key, const char **ret_value)
{
    size_t pos = 0;
    return frame_pair_next(frame, &pos, ret_key, ret_value);
}

/* --- start --- */

static void add_check(struct model *model, const char *given)
{
    AUTO_FREE char *text = str_clean_copy(given);
    AUTO(str_done) struct str why = {0};
    struct model_check check = {0};
    AUTO_FREE struct frame_metric *metrics = mem_new(model->metric_count + 1, sizeof(*metrics));
    for (size_t i = 0; i < model->metric_count; i++)
        metrics[i] = model->metrics[i].about;
    if (expect_parse(text, metrics, model->metric_count, &check.expect, &why) < 0) {
        /* Refused before the run by whoever asked; in a foreign record it cannot be met. */
        check.expect.text = take_pointer(&text);
        check.expect.metric = MODEL_NO_METRIC;
    }
    model->checks = mem_grow(model->checks, model->check_count + 1, sizeof(*model->checks));
    model->checks[model->check_count++] = check;
}

static void take_single(struct model *model, const char *key, const char *value)
{
    const struct {
        const char *key;
        char **field;
    } fields[] = {
        {"test", &model->test},           {"title", &model->title},
        {"label", &model->label},         {"plugin", &model->plugin},
        {"target.id", &model->target_id}, {"target.path", &model->target_path},
    };
    if (!strcmp(key, "target.kind"))
        model->target_kind = target_kind_from_name(value);
    for (size_t i = 0; i < ARRAY_SIZE(fields); i++) {
        if (!strcmp(key, fields[i].key))
            replace_text(fields[i].field, value);
    }
}

static void take_pair(struct model *model, const char *key, const char *value)
{
    if (str_starts(key, "option."))
        add_text(&model->options, &model->option_count, key + 7, value);
    else if (str_starts(key, "machine."))
        add_text(&model->machine, &model->machine_count, key + 8, value);
    else if (str_starts(key, "target."))
        add_text(&model->target, &model->target_count, key + 7, value);
    else if (!strcmp(key, "expect"))
        add_check(model, value);
    take_single(model, key, value);
}

/* The key is checked by the codec; a cleaned label is never longer. */
static struct frame_metric clean_metric(const struct frame_metric *given)
{
    struct frame_metric metric = *given;
    AUTO_FREE char *label = str_clean_copy(given->label);
    memset(metric.label, 0, sizeof(metric.label));
    memcpy(metric.label, label, strlen(label));
    return metric;
}

static int apply_start(struct model *model, const struct frame *frame)
{
    const struct frame_start *start = &frame->start;
    if (model->has_start)
        return -EPROTO;
    model->has_start = true;
    model->flags = start->flags;
    model->tick_ns = start->tick_ns ? start->tick_ns : NS_PER_S;
    model->report_ns = start->report_ns ? start->report_ns : model->tick_ns;
    model->zero_ns = model->last_move_ns = start->mono_ns;
    model->wall_ns = start->wall_ns;
    advance(model, start->mono_ns);
    model->metric_count = start->metric_count;
    model->metrics = mem_new(model->metric_count + 1, sizeof(*model->metrics));
    for (size_t i = 0; i < model->metric_count; i++)
        model->metrics[i].about = clean_metric(&frame->metrics[i]);

    size_t pos = 0;
    const char *key, *value;
    while (frame_pair_next(frame, &pos, &key, &value))
        take_pair(model, key, value);
    return 0;
}

/* --- samples --- */

static int find_lane(const struct model_metric *metric, uint16_t lane)
{
    unsigned known = metric->lane_count < MODEL_LANES ? metric->lane_count : MODEL_LANES;
    for (unsigned i = 0; i < known; i++) {
        if (metric->lane_numbers[i] == lane)
            return (int)i;
    }
    return -1;
}

static bool is_writing(const struct frame_metric *about)
{
    return about->kind == DYNO_DELTA && about->unit == DYNO_BYTE && !about->is_host &&
           str_ends(about->key, "written");
}

/* What a network test sends or receives. */
static bool is_traffic(const struct frame_metric *about)
{
    return about->kind == DYNO_DELTA && about->unit == DYNO_BYTE && !about->is_host &&
           (!strcmp(about->key, "sent") || !strcmp(about->key, "received"));
}

/* Of one direction after the other, or while the peer is waited for, nothing is meant to move. */
static bool is_meant_to_move(const struct model *model, const struct model_metric *metric)
{
    static const struct {
        const char *phase, *metric; /* NULL: neither */
    } rests[] = {{"in", "sent"},    {"out", "received"}, {"wait", NULL}, {"waiting", NULL},
                 {"connect", NULL}, {"omit", NULL},      {"busy", NULL}};
    const char *name = model->phase_count ? model->phases[model->phase_count - 1].name : "";
    for (size_t i = 0; i < ARRAY_SIZE(rests); i++) {
        if (!strcmp(name, rests[i].phase) &&
            (!rests[i].metric || !strcmp(metric->about.key, rests[i].metric)))
            return false;
    }
    return true;
}

/* While a metric has a single lane, its series is also the sum. */
static void add_lane(const struct model *model, struct model_metric *metric, uint16_t lane)
{
    unsigned kind = metric->about.kind, place = metric->lane_count++;
    if (place == 0) {
        /* What the host reads once a second is little. */
        metric->sum = metric->lanes[0] =
            metric->about.is_host ? series_new_lane(kind) : series_new(kind);
        if (is_writing(&metric->about))
            metric->cliff = mem_new(1, sizeof(*metric->cliff));
        if (is_traffic(&metric->about)) {
            metric->lull = mem_new(1, sizeof(*metric->lull));
            lull_begin(metric->lull, model->zero_ns, model->report_ns);
        }
        metric->last_values = mem_new(DYNO_LANE_MAX + 1, sizeof(*metric->last_values));
        metric->last_t1_ns = mem_new(DYNO_LANE_MAX + 1, sizeof(*metric->last_t1_ns));
    }
    if (place == 1)
        metric->lanes[0] = series_copy_lane(metric->sum);
    if (place >= 1 && place < MODEL_LANES)
        metric->lanes[place] = series_new_lane(kind);
    if (place < MODEL_LANES)
        metric->lane_numbers[place] = lane;
}

/* Of states the "sum" over lanes is their mean. */
static double mean_of_lanes(const struct model_metric *metric)
{
    double sum = 0;
    unsigned count = 0;
    for (unsigned i = 0; i <= DYNO_LANE_MAX; i++) {
        if (metric->last_t1_ns[i]) {
            sum += metric->last_values[i];
            count++;
        }
    }
    return sum / count;
}

static int apply_sample(struct model *model, const struct frame_sample *sample)
{
    if (sample->metric >= model->metric_count || sample->lane > DYNO_LANE_MAX ||
        sample->t1_ns <= sample->t0_ns)
        return -EPROTO;
    struct model_metric *metric = &model->metrics[sample->metric];
    unsigned kind = metric->about.kind;
    if (kind == DYNO_TOTAL)
        return -EPROTO;
    uint64_t last_ns = metric->last_t1_ns ? metric->last_t1_ns[sample->lane] : 0;
    if (sample->t0_ns < last_ns)
        return -EPROTO;
    if (!last_ns)
        add_lane(model, metric, sample->lane);
    metric->last_values[sample->lane] = sample->value;
    metric->last_t1_ns[sample->lane] = sample->t1_ns;

    int place = find_lane(metric, sample->lane);
    if (place >= 0)
        series_push(metric->lanes[place], sample->t0_ns, sample->t1_ns, sample->value);
    if (metric->lane_count > 1)
        series_add(metric->sum, sample->t0_ns, sample->t1_ns,
                   kind == DYNO_DELTA ? sample->value : mean_of_lanes(metric));

    if (metric->cliff)
        cliff_push(metric->cliff, sample->t0_ns, sample->t1_ns, sample->value);
    if (metric->lull && is_meant_to_move(model, metric))
        lull_push(metric->lull, sample->t0_ns, sample->t1_ns, sample->value);
    model->merged += sample->merged;
    advance(model, sample->t1_ns);
    if (kind != DYNO_DELTA || metric->about.is_host)
        return 0;
    if (sample->t1_ns > model->last_tick_ns)
        model->last_tick_ns = sample->t1_ns;
    if (sample->value != 0) {
        if (sample->t1_ns > model->last_move_ns)
            model->last_move_ns = sample->t1_ns;
        model->is_stalled = false;
        model->has_moved = true;
    }
    return 0;
}

/* --- what is told --- */

static int apply_fact(struct model *model, const struct frame *frame)
{
    const char *key, *value;
    if (!first_pair(frame, &key, &value))
        return -EPROTO;
    for (size_t i = 0; i < model->fact_count; i++) {
        struct model_text *fact = &model->facts[i];
        if (!strcmp(fact->key, key)) {
            replace_text(&fact->value, value);
            return 0;
        }
    }
    if (model->fact_count < MODEL_FACTS)
        add_text(&model->facts, &model->fact_count, key, value);
    return 0;
}

static void close_phase(struct model *model, uint64_t t_ns)
{
    if (!model->phase_count || model->phases_missed)
        return;
    struct model_phase *last = &model->phases[model->phase_count - 1];
    if (!last->t1_ns)
        last->t1_ns = t_ns > last->t0_ns ? t_ns : last->t0_ns;
}

static int apply_phase(struct model *model, const struct frame *frame)
{
    const char *name = frame_pair(frame, "name");
    uint64_t t_ns = frame->phase.t_ns;
    if (!name)
        return -EPROTO;
    close_phase(model, t_ns);
    advance(model, t_ns);
    for (size_t i = 0; i < model->metric_count && !strstr(name, "sync"); i++)
        if (model->metrics[i].cliff)
            cliff_restart(model->metrics[i].cliff);
    if (model->phase_count == MODEL_PHASES)
        model->phases_missed++;
    else
        model->phases[model->phase_count++] =
            (struct model_phase){.name = str_clean_copy(name), .t0_ns = t_ns};
    return 0;
}

static int apply_result(struct model *model, const struct frame_result *result)
{
    if (result->metric >= model->metric_count ||
        (result->lane > DYNO_LANE_MAX && result->lane != DYNO_LANE_ALL))
        return -EPROTO;
    struct model_result made = {result->metric, result->lane, result->value};
    for (size_t i = 0; i < model->result_count; i++) {
        struct model_result *known = &model->results[i];
        if (known->metric == made.metric && known->lane == made.lane) {
            *known = made;
            return 0;
        }
    }
    if (model->result_count == MODEL_RESULTS)
        return 0;
    model->results = mem_grow(model->results, model->result_count + 1, sizeof(*model->results));
    model->results[model->result_count++] = made;
    return 0;
}

static int apply_event(struct model *model, const struct frame *frame)
{
    const char *code, *text;
    if (!first_pair(frame, &code, &text))
        return -EPROTO;
    bool is_owner = frame->flags & FRAME_OWNER;
    if (is_owner && !strcmp(code, "stalled")) {
        model->is_stalled = true;
        model->stalls++;
    }
    struct model_event made = {frame->event.t_ns, str_clean_copy(code), str_clean_copy(text),
                               is_owner};
    size_t drop = 0;
    model->event_bytes += strlen(made.code) + strlen(made.text);
    while (drop < model->event_count &&
           (model->event_count - drop == MODEL_EVENTS || model->event_bytes > TEXT_MAX)) {
        struct model_event *oldest = &model->events[drop++];
        model->event_bytes -= strlen(oldest->code) + strlen(oldest->text);
        free(oldest->code);
        free(oldest->text);
    }
    model->event_count -= drop;
    if (drop)
        memmove(model->events, model->events + drop, model->event_count * sizeof(*model->events));
    model->events = mem_grow(model->events, model->event_count + 1, sizeof(*model->events));
    model->events[model->event_count++] = made;
    advance(model, frame->event.t_ns);
    return 0;
}

static int apply_log(struct model *model, const struct frame *frame)
{
    const char *text = frame_pair(frame, "text");
    size_t drop = 0;
    if (!text)
        return -EPROTO;
    struct model_log made = {frame->log.level, str_clean_copy(text)};
    model->log_bytes += strlen(made.text);
    while (drop < model->log_count &&
           (model->log_count - drop == MODEL_LOGS || model->log_bytes > TEXT_MAX)) {
        struct model_log *oldest = &model->logs[drop++];
        model->log_bytes -= strlen(oldest->text);
        free(oldest->text);
    }
    model->log_count -= drop;
    if (drop)
        memmove(model->logs, model->logs + drop, model->log_count * sizeof(*model->logs));
    model->logs = mem_grow(model->logs, model->log_count + 1, sizeof(*model->logs));
    model->logs[model->log_count++] = made;
    return 0;
}

static int apply_end(struct model *model, const struct frame *frame)
{
    const struct frame_end *end = &frame->end;
    if (end->state == RUN_RUNNING || end->state >= RUN_STATES)
        return -EPROTO;
    const char *sentence = frame_pair(frame, "sentence");
    close_phase(model, end->t_ns);
    advance(model, end->t_ns);
    replace_text(&model->sentence, sentence ? sentence : "");
    model->has_end = true;
    model->state = end->state;
    model->code = end->code;
    model->signal = end->signal;
    model->end_ns = end->t_ns;
    outcome_settle(model);
    return 0;
}

/* A run that was refused may end without having started. */
static bool may_come_first(unsigned type)
{
    return type == FRAME_START || type == FRAME_LOG || type == FRAME_END;
}

int model_apply(struct model *model, const struct frame *frame)
{
    if (frame->type == FRAME_RECORDED) {
        model->run_id = frame->recorded.id;
        return 0;
    }
    if (model->has_end || (!model->has_start && !may_come_first(frame->type)))
        return -EPROTO;
    switch (frame->type) {
    case FRAME_START:
        return apply_start(model, frame);
    case FRAME_FACT:
        return apply_fact(model, frame);
    case FRAME_PHASE:
        return apply_phase(model, frame);
    case FRAME_SAMPLE:
        return apply_sample(model, &frame->sample);
    case FRAME_PROGRESS:
        model->done = frame->progress.done;
        model->total = frame->progress.total;
        return 0;
    case FRAME_RESULT:
        return apply_result(model, &frame->result);
    case FRAME_EVENT:
        return apply_event(model, frame);
    case FRAME_LOG:
        return apply_log(model, frame);
    case FRAME_END:
        return apply_end(model, frame);
    default:
        return -EPROTO;
    }
}
