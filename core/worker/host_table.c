#include "worker/host_table.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/eventfd.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/str.h"

void host_table_cancel(struct dyno_run *run)
{
    if (!atomic_exchange(&run->is_cancelled, true))
        (void)eventfd_write(run->cancel_fd, 1);
}

/* A frame with one pair of cleaned text, at most `limit` bytes of it. -EINVAL when the key is none;
 * what cannot be sent for other reasons is lost with the line. */
static int send_text(struct dyno_run *run, struct frame *frame, const char *key, const char *text,
                     size_t limit)
{
    if (!atomic_load(&run->is_started))
        return 0;
    AUTO(str_done) struct str pair = {0};
    str_add_clean(&pair, key, strnlen(key, FRAME_KEY_MAX));
    str_add_bytes(&pair, "", 1);
    str_add_clean(&pair, text, strnlen(text, limit));
    str_add_bytes(&pair, "", 1);
    frame->pairs = pair.text;
    frame->pairs_size = pair.size;
    return outlet_send(run->outlet, frame) == -EINVAL ? -EINVAL : 0;
}

/* Takes note of the first breach only: a broken plugin repeats it a million times a second. */
static void blame(struct dyno_run *run, const char *what)
{
    (void)pthread_mutex_lock(&run->lock);
    bool is_first = !run->fault;
    if (is_first)
        run->fault = mem_copy_text(what);
    (void)pthread_mutex_unlock(&run->lock);
    if (!is_first)
        return;
    AUTO(str_done) struct str text = {0};
    str_addf(&text, "the plugin broke its contract: %s", what);
    struct frame frame = {.type = FRAME_LOG, .log = {.level = DYNO_WARNING}};
    (void)send_text(run, &frame, "text", text.text, FRAME_LOG_MAX);
    host_table_cancel(run);
}

static const struct dyno_target *host_target(struct dyno_run *run)
{
    return run->target;
}

static const struct option_value *find_option(const struct dyno_run *run, const char *key)
{
    const struct option *option = key ? catalog_option(run->test, key) : NULL;
    return option ? &run->options[option - run->test->options] : NULL;
}

static uint64_t host_opt_u64(struct dyno_run *run, const char *key)
{
    const struct option_value *value = find_option(run, key);
    return value && value->is_set ? value->number : 0;
}

static const char *host_opt_str(struct dyno_run *run, const char *key)
{
    const struct option_value *value = find_option(run, key);
    return value && value->is_set && value->text ? value->text : "";
}

static uint64_t host_interval_ns(struct dyno_run *run)
{
    return run->tick_ns;
}

static uint64_t host_now_ns(struct dyno_run *run)
{
    (void)run;
    return clock_mono_ns();
}

static int host_cancelled(struct dyno_run *run)
{
    return atomic_load(&run->is_cancelled);
}

static int host_cancel_fd(struct dyno_run *run)
{
    return run->cancel_fd;
}

static void host_phase(struct dyno_run *run, const char *name)
{
    struct frame frame = {.type = FRAME_PHASE, .phase = {.t_ns = clock_mono_ns()}};
    atomic_store(&run->is_under_way, true);
    (void)send_text(run, &frame, "name", name ? name : "", FRAME_KEY_MAX);
}

static void host_progress(struct dyno_run *run, uint64_t done, uint64_t total)
{
    if (atomic_load(&run->is_started))
        outlet_progress(run->outlet, done, total);
}

static void host_sample(struct dyno_run *run, unsigned metric, unsigned lane, uint64_t t0_ns,
                        uint64_t t1_ns, double value)
{
    if (!atomic_load(&run->is_started))
        return;
    atomic_store(&run->is_under_way, true);
    struct str why = {0};
    if (outlet_sample(run->outlet, metric, lane, t0_ns, t1_ns, value, &why) < 0)
        blame(run, str_text(&why));
    str_done(&why);
}

static void host_result(struct dyno_run *run, unsigned metric, unsigned lane, double value)
{
    if (!atomic_load(&run->is_started))
        return;
    atomic_store(&run->is_under_way, true);
    AUTO(str_done) struct str why = {0};
    if (metric >= run->metric_count)
        str_addf(&why, "a result of metric %u, there are %zu", metric, run->metric_count);
    else if (lane > DYNO_LANE_MAX && lane != DYNO_LANE_ALL)
        str_addf(&why, "a result of lane %u, the last one is %d", lane, DYNO_LANE_MAX);
    else if (!isfinite(value))
        str_addf(&why, "a result of %s that is no number", run->test->metrics[metric].key);
    if (why.size) {
        blame(run, str_text(&why));
        return;
    }
    struct frame frame = {
        .type = FRAME_RESULT,
        .result = {.metric = (uint16_t)metric, .lane = (uint16_t)lane, .value = value}};
    (void)outlet_send(run->outlet, &frame);
}

static void host_fact(struct dyno_run *run, const char *key, const char *text)
{
    struct frame frame = {.type = FRAME_FACT};
    if (!key || send_text(run, &frame, key, text ? text : "", FRAME_FACT_MAX) < 0)
        blame(run, "a fact whose key is no plain word");
}

static void host_event(struct dyno_run *run, const char *code, const char *text)
{
    struct frame frame = {.type = FRAME_EVENT, .event = {.t_ns = clock_mono_ns()}};
    if (!code || send_text(run, &frame, code, text ? text : "", FRAME_EVENT_MAX) < 0)
        blame(run, "an event whose code is no plain word");
}

__attribute__((format(printf, 3, 4))) static void host_log(struct dyno_run *run, int level,
                                                           const char *format, ...)
{
    char text[FRAME_LOG_MAX];
    va_list args;
    va_start(args, format);
    (void)vsnprintf(text, sizeof(text), format, args);
    va_end(args);
    bool is_known = level >= DYNO_DEBUG && level <= DYNO_ERROR;
    struct frame frame = {.type = FRAME_LOG,
                          .log = {.level = is_known ? (uint32_t)level : DYNO_INFO}};
    (void)send_text(run, &frame, "text", text, FRAME_LOG_MAX);
}

static void host_explain(struct dyno_run *run, const char *sentence)
{
    if (!sentence)
        return;
    struct str clean = {0};
    str_add_clean(&clean, sentence, strnlen(sentence, FRAME_SENTENCE_MAX - 1));
    (void)pthread_mutex_lock(&run->lock);
    free(run->sentence);
    run->sentence = str_take(&clean);
    (void)pthread_mutex_unlock(&run->lock);
}

const struct dyno_host host_table = {
    .size = sizeof(struct dyno_host),
    .target = host_target,
    .opt_u64 = host_opt_u64,
    .opt_str = host_opt_str,
    .interval_ns = host_interval_ns,
    .now_ns = host_now_ns,
    .cancelled = host_cancelled,
    .cancel_fd = host_cancel_fd,
    .phase = host_phase,
    .progress = host_progress,
    .sample = host_sample,
    .result = host_result,
    .fact = host_fact,
    .event = host_event,
    .log = host_log,
    .explain = host_explain,
};
