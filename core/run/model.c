#include "run/model.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/str.h"
#include "base/units.h"
#include "iodyno/plugin.h"

#define STALL_NS (2 * NS_PER_S)
#define GRACE_MOST_NS (100 * NS_PER_MS) /* for a sample that is on its way */
#define SHORT_TICK_NS (250 * NS_PER_MS)

struct model *model_new(void)
{
    struct model *model = mem_new(1, sizeof(*model));
    char **const texts[] = {&model->test,      &model->title,       &model->plugin,
                            &model->target_id, &model->target_path, &model->sentence};
    for (size_t i = 0; i < ARRAY_SIZE(texts); i++)
        *texts[i] = mem_copy_text("");
    return model;
}

static void free_texts(struct model_text *texts, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        free(texts[i].key);
        free(texts[i].value);
    }
    free(texts);
}

static void free_metric(struct model_metric *metric)
{
    for (unsigned i = 0; i < MODEL_LANES; i++) {
        if (metric->lanes[i] != metric->sum)
            series_free(metric->lanes[i]);
    }
    series_free(metric->sum);
    free(metric->last_values);
    free(metric->last_t1_ns);
    free(metric->cliff);
    free(metric->lull);
}

struct model *model_free(struct model *model)
{
    if (!model)
        return NULL;
    for (size_t i = 0; i < model->metric_count; i++)
        free_metric(&model->metrics[i]);
    for (size_t i = 0; i < model->phase_count; i++)
        free(model->phases[i].name);
    for (size_t i = 0; i < model->event_count; i++) {
        free(model->events[i].code);
        free(model->events[i].text);
    }
    for (size_t i = 0; i < model->log_count; i++)
        free(model->logs[i].text);
    for (size_t i = 0; i < model->check_count; i++)
        expect_done(&model->checks[i].expect);
    free_texts(model->options, model->option_count);
    free_texts(model->target, model->target_count);
    free_texts(model->machine, model->machine_count);
    free_texts(model->facts, model->fact_count);
    free(model->metrics);
    free(model->events);
    free(model->logs);
    free(model->results);
    free(model->checks);
    free(model->test);
    free(model->title);
    free(model->label);
    free(model->plugin);
    free(model->target_id);
    free(model->target_path);
    free(model->sentence);
    free(model);
    return NULL;
}

static const char *find_text(const struct model_text *texts, size_t count, const char *key)
{
    for (size_t i = 0; i < count; i++) {
        if (str_equal_key(texts[i].key, key))
            return texts[i].value;
    }
    return NULL;
}

/* --- time --- */

static bool has_moving_metric(const struct model *model)
{
    for (size_t i = 0; i < model->metric_count; i++) {
        const struct frame_metric *about = &model->metrics[i].about;
        if (about->kind == DYNO_DELTA && !about->is_host)
            return true;
    }
    return false;
}

/* Whole ticks of silence until it is said. What moved last may have moved at the beginning of its
 * tick, and the news takes a turn of the loop and a drawing: short ticks leave out two, so that a
 * person reads it within two seconds. Long ones cannot be early without crying wolf. */
static uint64_t silence_ns(const struct model *model)
{
    uint64_t ticks = STALL_NS / model->tick_ns;
    if (model->tick_ns <= SHORT_TICK_NS)
        ticks -= 2;
    return (ticks ? ticks : 1) * model->tick_ns;
}

static bool is_overdue(const struct model *model, uint64_t now_ns)
{
    uint64_t due_ns = model->last_move_ns + silence_ns(model);
    if (now_ns < due_ns)
        return false;
    /* Ticks have come in time and all but the last are here: it may be on its way. */
    uint64_t grace_ns = model->tick_ns / 2 < GRACE_MOST_NS ? model->tick_ns / 2 : GRACE_MOST_NS;
    bool is_expected = model->tick_ns > SHORT_TICK_NS &&
                       model->last_tick_ns > model->last_move_ns && model->last_tick_ns < due_ns &&
                       model->last_tick_ns + model->tick_ns >= due_ns;
    return !is_expected || now_ns >= due_ns + grace_ns;
}

/* "stalled", and for how long: the text of the event stays in the model. */
static size_t say_stalled(struct model *model, uint64_t now_ns)
{
    double seconds = (double)(now_ns - model->last_move_ns) / (double)NS_PER_S;
    int size = snprintf(model->stalled_pairs, sizeof(model->stalled_pairs),
                        "stalled%cno data moved for %s", '\0', units_duration(seconds).text);
    return (size_t)size + 1;
}

int model_tick(struct model *model, uint64_t now_ns, struct frame *ret_event)
{
    if (!model->has_start || model->has_end)
        return 0;
    if (now_ns > model->now_ns)
        model->now_ns = now_ns;
    /* A test without an end may wait for its peers as long as it likes, others until they came. */
    bool is_waiting = (model->flags & DYNO_NEEDS_PEER) && !model->has_moved;
    if (is_waiting || model->is_stalled || model->flags & DYNO_ENDLESS ||
        !has_moving_metric(model) || !is_overdue(model, now_ns))
        return 0;
    size_t pairs_size = say_stalled(model, now_ns);
    *ret_event = (struct frame){
        .type = FRAME_EVENT,
        .flags = FRAME_OWNER,
        .event = {.t_ns = now_ns},
        .pairs = model->stalled_pairs,
        .pairs_size = pairs_size,
    };
    return 1;
}

double model_seconds(const struct model *model, uint64_t t_ns)
{
    if (t_ns < model->zero_ns)
        return -(double)(model->zero_ns - t_ns) / (double)NS_PER_S;
    return (double)(t_ns - model->zero_ns) / (double)NS_PER_S;
}

/* --- questions --- */

int model_metric(const struct model *model, const char *key)
{
    for (size_t i = 0; i < model->metric_count; i++) {
        if (str_equal_key(model->metrics[i].about.key, key))
            return (int)i;
    }
    return -ENOENT;
}

int model_result(const struct model *model, const char *key, double *ret_value)
{
    int metric = model_metric(model, key);
    for (size_t i = 0; metric >= 0 && i < model->result_count; i++) {
        const struct model_result *result = &model->results[i];
        if (result->metric == metric && result->lane == DYNO_LANE_ALL) {
            *ret_value = result->value;
            return 0;
        }
    }
    return -ENOENT;
}

const char *model_fact(const struct model *model, const char *key)
{
    return find_text(model->facts, model->fact_count, key);
}

const char *model_option(const struct model *model, const char *key)
{
    return find_text(model->options, model->option_count, key);
}

const char *model_target(const struct model *model, const char *key)
{
    return find_text(model->target, model->target_count, key);
}

bool model_is_direct(const struct model *model)
{
    const char *method = model_option(model, "method"), *honoured = model_fact(model, "o_direct");
    if (honoured && !strcmp(honoured, "not honoured"))
        return false;
    if (!method)
        return honoured && !strcmp(honoured, "honoured");
    return strstr(method, "direct") || !strcmp(method, "queue");
}

/* --- what to draw first --- */

static int sampled_metric(const struct model *model, const char *key)
{
    int metric = model_metric(model, key);
    return metric >= 0 && model->metrics[metric].sum ? metric : -ENOENT;
}

static bool has_moved(const struct model *model, const char *key)
{
    int metric = sampled_metric(model, key);
    struct series_total total = {0};
    if (metric >= 0)
        series_total(model->metrics[metric].sum, &total);
    return total.sum > 0;
}

/* Reading or writing, as far as the run has shown it. */
static bool is_reading(const struct model *model)
{
    const char *mode = model_option(model, "mode");
    bool is_read = !strcmp(model->test, "storage.read") || (mode && !strcmp(mode, "read")) ||
                   model_metric(model, "written") < 0;
    if (model_metric(model, "read") < 0)
        return false;
    return is_read || (has_moved(model, "read") && !has_moved(model, "written"));
}

int model_headline(const struct model *model, unsigned *ret_metric)
{
    /* What a buffered write hands to the kernel is the speed of memory; the device's own counter
     * shows what becomes of it. */
    bool is_read = is_reading(model);
    int metric = -ENOENT;
    if (!is_read && !model_is_direct(model))
        metric = sampled_metric(model, "device_written");
    static const char *const reads[] = {"read", "written"}, *const writes[] = {"written", "read"};
    for (unsigned i = 0; i < 2 && metric < 0; i++)
        metric = model_metric(model, is_read ? reads[i] : writes[i]);
    const char *direction = model_option(model, "direction");
    static const char *const others[] = {"moved", "sent", "received"};
    if (metric < 0 && direction && !strcmp(direction, "in"))
        metric = model_metric(model, "received");
    for (size_t i = 0; i < ARRAY_SIZE(others) && metric < 0; i++)
        metric = model_metric(model, others[i]);
    static const unsigned kinds[] = {DYNO_DELTA, DYNO_GAUGE};
    for (size_t k = 0; k < ARRAY_SIZE(kinds); k++) {
        for (size_t i = 0; i < model->metric_count && metric < 0; i++) {
            const struct frame_metric *about = &model->metrics[i].about;
            if (about->kind == kinds[k] && !about->is_host)
                metric = (int)i;
        }
    }
    if (metric < 0)
        return -ENOENT;
    *ret_metric = (unsigned)metric;
    return 0;
}

int model_companion(const struct model *model, unsigned *ret_metric)
{
    static const char *const couples[][2] = {{"written", "device_written"},
                                             {"read", "device_read"},
                                             {"device_written", "written"},
                                             {"sent", "received"},
                                             {"received", "sent"}};
    unsigned headline;
    if (model_headline(model, &headline) < 0)
        return -ENOENT;
    for (size_t i = 0; i < ARRAY_SIZE(couples); i++) {
        int metric = sampled_metric(model, couples[i][1]);
        if (metric >= 0 && str_equal_key(model->metrics[headline].about.key, couples[i][0])) {
            *ret_metric = (unsigned)metric;
            return 0;
        }
    }
    return -ENOENT;
}
