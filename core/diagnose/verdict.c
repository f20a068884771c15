#include "diagnose/verdict.h"

#include <stdio.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/str.h"
#include "base/units.h"
#include "diagnose/evidence.h"
#include "iodyno/plugin.h"

#define CACHED_WARN 0.10
#define CACHED_MAIN 0.95
#define OVER_CEILING 1.02 /* clocks and counters are not better than this */
#define BUS_SHARE 0.80    /* of the ceiling; protocols leave 71 to 89 % */
#define SYNC_SHARE 0.5    /* of the time, for a write that the disk held up */
#define OTHER_SHARE 0.05  /* device bytes beyond ours */
#define OTHER_BYTES (8.0 * 1024 * 1024)

enum strength { SILENT, WARNING, MAIN };
enum role { WARNS, EXPLAINS }; /* an explanation that comes second is left out */

struct rule {
    const char *code;
    enum role role;
    enum strength (*find)(const struct evidence *evidence, struct str *text);
};

static const char *verb(const struct evidence *evidence)
{
    return evidence->is_read ? "read" : "written";
}

/* "4.8 of 104 MB/s (5 %), SDR104" when the ceiling is known. */
static void add_rate(const struct evidence *evidence, struct str *text)
{
    str_add(text, units_byte_rate(evidence->rate_bps).text);
    if (evidence->ceiling_bps > 0)
        str_addf(text, " of %s (%s)", units_byte_rate(evidence->ceiling_bps).text,
                 units_value(evidence->rate_bps / evidence->ceiling_bps, DYNO_RATIO).text);
}

static void add_source(const struct evidence *evidence, struct str *text)
{
    str_add(text, evidence->ceiling_source[0] ? evidence->ceiling_source : "its bus");
}

static enum strength find_over_ceiling(const struct evidence *evidence, struct str *text)
{
    if (!evidence->has_rate || evidence->ceiling_bps <= 0 ||
        evidence->rate_bps <= evidence->ceiling_bps * OVER_CEILING)
        return SILENT;
    str_addf(text, "%s is more than the %s that ", units_byte_rate(evidence->rate_bps).text,
             units_byte_rate(evidence->ceiling_bps).text);
    add_source(evidence, text);
    str_add(text, " can carry: this is not the speed of the device");
    return MAIN;
}

static enum strength find_cached(const struct evidence *evidence, struct str *text)
{
    if (!evidence->has_cached || evidence->cached < CACHED_WARN)
        return SILENT;
    str_addf(text, "%s of what was read came from RAM, not from the device",
             units_value(evidence->cached, DYNO_RATIO).text);
    return evidence->cached >= CACHED_MAIN ? MAIN : WARNING;
}

static enum strength find_not_direct(const struct evidence *evidence, struct str *text)
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

static enum strength find_other_traffic(const struct evidence *evidence, struct str *text)
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

static enum strength find_stalled(const struct evidence *evidence, struct str *text)
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

static enum strength find_bus_limited(const struct evidence *evidence, struct str *text)
{
    if (!evidence->has_rate || evidence->ceiling_bps <= 0 ||
        evidence->rate_bps < evidence->ceiling_bps * BUS_SHARE)
        return SILENT;
    str_add(text, "the bus is the limit: ");
    add_rate(evidence, text);
    str_add(text, ", as ");
    add_source(evidence, text);
    str_add(text, " allows");
    return MAIN;
}

static bool is_from_device(const struct evidence *evidence)
{
    return evidence->is_read && evidence->has_cached && evidence->cached < CACHED_WARN;
}

static enum strength find_device_limited(const struct evidence *evidence, struct str *text)
{
    if (!evidence->is_storage || !evidence->has_rate)
        return SILENT;
    double share = evidence->seconds > 0 ? evidence->sync_s / evidence->seconds : 0;
    bool is_synced = !evidence->is_read && share >= SYNC_SHARE;
    if (!is_synced && !model_is_direct(evidence->model) && !is_from_device(evidence))
        return SILENT;
    str_add(text, "the disk is the limit: ");
    add_rate(evidence, text);
    if (is_synced)
        str_addf(text, ", with %s of the time spent in sync",
                 units_value(share > 1 ? 1 : share, DYNO_RATIO).text);
    else if (model_is_direct(evidence->model))
        str_addf(text, ", %s without the page cache", verb(evidence));
    else
        str_addf(text, ", %s came from RAM", units_value(evidence->cached, DYNO_RATIO).text);
    return MAIN;
}

static const struct rule rules[] = {
    {"stalled", WARNS, find_stalled},
    {"over-ceiling", WARNS, find_over_ceiling},
    {"cached", WARNS, find_cached},
    {"direct-not-honoured", WARNS, find_not_direct},
    {"other-traffic", WARNS, find_other_traffic},
    {"bus-limited", EXPLAINS, find_bus_limited},
    {"device-limited", EXPLAINS, find_device_limited},
};

static void set_item(struct verdict_item *item, const char *code, const struct str *text)
{
    const size_t size = str_cut_size(str_text(text), text->size, sizeof(item->text) - 1);
    item->code = code;
    memcpy(item->text, str_text(text), size);
    item->text[size] = '\0';
}

static void apply_rules(const struct evidence *evidence, struct verdict *verdict)
{
    for (size_t i = 0; i < ARRAY_SIZE(rules); i++) {
        const struct rule *rule = &rules[i];
        AUTO(str_done) struct str text = {0};
        enum strength strength = rule->find(evidence, &text);
        if (strength == SILENT)
            continue;
        if (strength == MAIN && !verdict->main.code) {
            set_item(&verdict->main, rule->code, &text);
            verdict->is_warning = rule->role == WARNS;
        } else if (rule->role == WARNS && verdict->warning_count < VERDICT_WARNINGS_MAX) {
            set_item(&verdict->warnings[verdict->warning_count++], rule->code, &text);
        }
    }
}

/* What a run that did not come to its end says instead. */
static void explain_end(const struct model *model, struct verdict *verdict)
{
    static const char *const reasons[RUN_STATES] = {
        [RUN_FAILED] = "the run failed",
        [RUN_CANCELLED] = "the run was cancelled",
        [RUN_REFUSED] = "the run was refused",
        [RUN_REMOVED] = "the device was removed",
        [RUN_ABANDONED] = "the run was given up, stuck in the kernel",
        [RUN_INTERRUPTED] = "the record breaks off",
    };
    AUTO(str_done) struct str text = {0};
    const char *reason = model->state < RUN_STATES ? reasons[model->state] : NULL;
    str_addf(&text, "no verdict: %s", reason ? reason : "the run did not end");
    if (model->state == RUN_CANCELLED && model->has_start)
        str_addf(&text, " after %s", units_duration(model_seconds(model, model->end_ns)).text);
    if (model->sentence[0])
        str_addf(&text, ": %s", model->sentence);
    set_item(&verdict->main, "unknown", &text);
}

static void say_unknown(const struct evidence *evidence, struct verdict *verdict)
{
    AUTO(str_done) struct str text = {0};
    bool is_running = !evidence->model->has_end;
    if (is_running && !evidence->has_rate)
        str_add(&text, "nothing has been measured yet");
    else if (evidence->is_storage && evidence->has_rate && evidence->is_read &&
             !evidence->has_cached)
        str_add(&text, is_running ? "how much of this comes from RAM is known only at the end"
                                  : "unknown limit: nothing tells how much of this came from RAM");
    else if (evidence->is_storage && evidence->has_rate)
        str_addf(&text, "unknown limit: %s of %s were spent in sync, the rest with RAM between",
                 units_duration(evidence->sync_s).text, units_duration(evidence->seconds).text);
    else
        str_add(&text, "unknown limit: no figure of this run tells what held it back");
    set_item(&verdict->main, "unknown", &text);
}

void verdict_of(const struct model *model, struct verdict *ret_verdict)
{
    struct evidence evidence;
    struct verdict verdict = {0};
    evidence_gather(model, &evidence);
    verdict.ceiling_bps = evidence.ceiling_bps;
    if (evidence.ceiling_bps > 0) {
        (void)snprintf(verdict.ceiling_source, sizeof(verdict.ceiling_source), "%s",
                       evidence.ceiling_source);
        if (evidence.has_rate)
            verdict.fraction = evidence.rate_bps / evidence.ceiling_bps;
    }
    apply_rules(&evidence, &verdict);
    if (model->has_end && model->state != RUN_DONE) {
        if (verdict.is_warning && verdict.warning_count < VERDICT_WARNINGS_MAX)
            verdict.warnings[verdict.warning_count++] = verdict.main;
        verdict.is_warning = false;
        explain_end(model, &verdict);
    } else if (!verdict.main.code) {
        say_unknown(&evidence, &verdict);
    }
    *ret_verdict = verdict;
}
