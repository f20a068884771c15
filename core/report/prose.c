#include "report/prose.h"

#include <stdio.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/str.h"
#include "base/units.h"
#include "diagnose/verdict.h"
#include "iodyno/plugin.h"
#include "report/figures.h"
#include "report/soak.h"

/* A row of two columns, once as text with blanks and once as a table. */
struct sheet {
    struct str *into;
    bool is_markdown;
    int width; /* of the first column, plain */
};

/* Foreign text: no control bytes, and in a table no bar that would end its cell. */
static void add_cell(const struct sheet *sheet, const char *text, int width)
{
    AUTO(str_done) struct str clean = {0};
    str_add_clean(&clean, text, strlen(text));
    if (!sheet->is_markdown) {
        str_addf(sheet->into, "%-*s", width, str_text(&clean));
        return;
    }
    for (const char *at = str_text(&clean); *at; at++)
        str_addf(sheet->into, "%s%c", *at == '|' || *at == '\\' ? "\\" : "", *at);
}

static void add_row(const struct sheet *sheet, const char *name, const char *text)
{
    str_add(sheet->into, sheet->is_markdown ? "| " : "  ");
    add_cell(sheet, name, sheet->width);
    str_add(sheet->into, sheet->is_markdown ? " | " : "  ");
    add_cell(sheet, text, 0);
    str_add(sheet->into, sheet->is_markdown ? " |\n" : "\n");
}

static void add_title(struct sheet *sheet, const char *title, const char *left, const char *right,
                      int width)
{
    sheet->width = width;
    if (sheet->is_markdown)
        str_addf(sheet->into, "\n## %s\n\n| %s | %s |\n|---|---|\n", title, left, right);
    else
        str_addf(sheet->into, "%s:\n", title);
}

static int longer(int width, const char *text)
{
    int size = (int)strnlen(text, 40);
    return size > width ? size : width;
}

static const char *metric_name(const struct model *model, unsigned metric)
{
    const struct frame_metric *about = &model->metrics[metric].about;
    return about->label[0] ? about->label : about->key;
}

static void add_results(const struct model *model, struct sheet *sheet)
{
    int width = 0;
    size_t count = 0;
    for (size_t i = 0; i < model->result_count; i++) {
        bool is_shown = sheet->is_markdown || model->results[i].lane == DYNO_LANE_ALL;
        width = is_shown ? longer(width, metric_name(model, model->results[i].metric)) : width;
        count += is_shown;
    }
    if (!count)
        return;
    add_title(sheet, "Results", "result", "value", width);
    for (size_t i = 0; i < model->result_count; i++) {
        const struct model_result *result = &model->results[i];
        if (result->lane != DYNO_LANE_ALL && !sheet->is_markdown)
            continue;
        AUTO(str_done) struct str name = {0}, value = {0};
        str_add(&name, metric_name(model, result->metric));
        if (result->lane != DYNO_LANE_ALL)
            str_addf(&name, ", lane %u", result->lane);
        figures_value(result->value, model->metrics[result->metric].about.unit, &value);
        add_row(sheet, str_text(&name), str_text(&value));
    }
}

static void add_seconds(struct str *into, double seconds)
{
    long long hundredths = (long long)(seconds * 100 + (seconds < 0 ? -0.5 : 0.5));
    long long size = hundredths < 0 ? -hundredths : hundredths;
    str_addf(into, "%s%lld.%02lld", hundredths < 0 ? "-" : "", size / 100, size % 100);
}

static void add_phases(const struct model *model, struct sheet *sheet)
{
    int width = 0;
    for (size_t i = 0; i < model->phase_count; i++)
        width = longer(width, model->phases[i].name);
    if (!model->phase_count)
        return;
    add_title(sheet, "Phases", "phase", "time", width);
    for (size_t i = 0; i < model->phase_count; i++) {
        const struct model_phase *phase = &model->phases[i];
        uint64_t t1_ns = phase->t1_ns ? phase->t1_ns : model->now_ns;
        double t0 = model_seconds(model, phase->t0_ns), t1 = model_seconds(model, t1_ns);
        AUTO(str_done) struct str text = {0};
        add_seconds(&text, t0);
        str_add(&text, " to ");
        add_seconds(&text, t1);
        str_addf(&text, " s (%s)", units_duration(t1 > t0 ? t1 - t0 : 0).text);
        add_row(sheet, phase->name, str_text(&text));
    }
}

static void add_checks(const struct model *model, struct sheet *sheet)
{
    int width = 0;
    for (size_t i = 0; i < model->check_count; i++)
        width = longer(width, model->checks[i].expect.text);
    if (!model->check_count)
        return;
    add_title(sheet, "Expectations", "expected", "got", width);
    for (size_t i = 0; i < model->check_count; i++) {
        const struct model_check *check = &model->checks[i];
        AUTO(str_done) struct str text = {0};
        if (check->has_value)
            figures_value(check->value, model->metrics[check->expect.metric].about.unit, &text);
        else
            str_add(&text, "no value");
        str_add(&text, check->pass ? ", met" : ", missed");
        add_row(sheet, check->expect.text, str_text(&text));
    }
}

static void add_events(const struct model *model, struct sheet *sheet)
{
    if (!model->event_count)
        return;
    add_title(sheet, "Events", "time", "event", 10);
    for (size_t i = 0; i < model->event_count; i++) {
        const struct model_event *event = &model->events[i];
        AUTO(str_done) struct str time = {0}, text = {0};
        add_seconds(&time, model_seconds(model, event->t_ns));
        str_add(&time, " s");
        str_addf(&text, "%s: %s", event->code, event->text);
        add_row(sheet, str_text(&time), str_text(&text));
    }
}

/* Lines with a place of their own. */
static bool is_line(const char *key)
{
    return str_equal_key(key, "dd-line") || str_equal_key(key, "by-hand");
}

static void add_texts(const struct model_text *texts, size_t count, const char *title,
                      struct sheet *sheet)
{
    int width = 0;
    size_t shown = 0;
    for (size_t i = 0; i < count; i++) {
        bool is_shown = !is_line(texts[i].key) && texts[i].value[0];
        width = is_shown ? longer(width, texts[i].key) : width;
        shown += is_shown;
    }
    if (!shown)
        return;
    add_title(sheet, title, "what", "value", width);
    for (size_t i = 0; i < count; i++) {
        if (!is_line(texts[i].key) && texts[i].value[0])
            add_row(sheet, texts[i].key, texts[i].value);
    }
}

static void add_line(const struct model *model, const char *key, const char *before,
                     const struct sheet *sheet)
{
    const char *text = model_fact(model, key);
    if (!text)
        return;
    AUTO(str_done) struct str clean = {0};
    str_add_clean(&clean, text, strlen(text));
    if (sheet->is_markdown)
        str_addf(sheet->into, "\n%s:\n\n    %s\n", before, str_text(&clean));
    else
        str_addf(sheet->into, "%s: %s\n", before, str_text(&clean));
}

static void add_subject(const struct model *model, struct str *into)
{
    const char *name = model_target(model, "name");
    str_add(into, model->test[0] ? model->test : "a run that did not start");
    if (model->target_id[0]) {
        str_add(into, " on ");
        str_add_clean(into, model->target_id, strlen(model->target_id));
    }
    if (name) {
        str_add(into, " (");
        str_add_clean(into, name, strlen(name));
        str_add(into, ")");
    }
}

static void add_warnings(const struct verdict *verdict, const char *before, struct str *into)
{
    if (verdict->is_warning)
        str_addf(into, "%s%s\n", before, verdict->main.text);
    for (unsigned i = 0; i < verdict->warning_count; i++)
        str_addf(into, "%s%s\n", before, verdict->warnings[i].text);
}

static void add_state(const struct model *model, const char *after, struct str *into)
{
    if (!model->has_end || model->state == RUN_DONE)
        return;
    str_add(into, run_state_name(model->state));
    if (model->sentence[0]) {
        str_add(into, ": ");
        str_add_clean(into, model->sentence, strlen(model->sentence));
    }
    str_add(into, after);
}

/* What ended a run is said with its state; a verdict would only repeat it. */
static bool has_verdict(const struct model *model, const struct verdict *verdict)
{
    bool is_said = model->has_end && model->state != RUN_DONE && model->sentence[0];
    return !verdict->is_warning && !(is_said && str_equal_key(verdict->main.code, "unknown"));
}

void prose_plain(const struct model *model, struct str *into)
{
    struct sheet sheet = {.into = into};
    struct verdict verdict;
    verdict_of(model, &verdict);
    add_subject(model, into);
    str_add(into, "\n");
    add_warnings(&verdict, "warning: ", into);
    add_state(model, "\n", into);
    if (figures_add_headline(model, into))
        str_add(into, "\n");
    if (has_verdict(model, &verdict))
        str_addf(into, "%s\n", verdict.main.text);
    AUTO(str_done) struct str spread = {0};
    if (figures_add_spread(model, &spread))
        str_addf(into, "over time, %s\n", str_text(&spread));
    AUTO(str_done) struct str soak = {0};
    if (soak_add(model, &soak))
        str_addf(into, "intervals: %s\n", str_text(&soak));
    AUTO(str_done) struct str ceiling = {0};
    if (figures_add_ceiling(model, &verdict, &ceiling))
        str_addf(into, "%s: %s\n", figures_ceiling_name(model), str_text(&ceiling));
    add_results(model, &sheet);
    add_phases(model, &sheet);
    add_checks(model, &sheet);
    add_texts(model->facts, model->fact_count, "Facts", &sheet);
    if (model->merged)
        str_addf(into, "%llu samples were added into later ones; the sums are exact\n",
                 (unsigned long long)model->merged);
    add_line(model, "dd-line", "dd would say", &sheet);
    add_line(model, "by-hand", "same by hand", &sheet);
}

void prose_markdown(const struct model *model, struct str *into)
{
    struct sheet sheet = {.into = into, .is_markdown = true};
    struct verdict verdict;
    verdict_of(model, &verdict);
    str_add(into, "# ");
    add_subject(model, into);
    if (model->label) {
        str_add(into, ": ");
        str_add_clean(into, model->label, strlen(model->label));
    }
    str_add(into, "\n\n");
    add_warnings(&verdict, "- **Warning:** ", into);
    if (verdict.is_warning || verdict.warning_count)
        str_add(into, "\n");
    add_state(model, "\n\n", into);
    AUTO(str_done) struct str headline = {0}, spread = {0};
    if (figures_add_headline(model, &headline))
        str_addf(into, "**%s**\n\n", str_text(&headline));
    if (has_verdict(model, &verdict))
        str_addf(into, "%s\n", verdict.main.text);
    if (figures_add_spread(model, &spread))
        str_addf(into, "\nOver time, %s.\n", str_text(&spread));
    AUTO(str_done) struct str soak = {0};
    if (soak_add(model, &soak))
        str_addf(into, "\nIntervals: %s.\n", str_text(&soak));
    AUTO(str_done) struct str ceiling = {0};
    if (figures_add_ceiling(model, &verdict, &ceiling))
        str_addf(into, "\nC%s: %s.\n", figures_ceiling_name(model) + 1, str_text(&ceiling));
    add_results(model, &sheet);
    add_phases(model, &sheet);
    add_checks(model, &sheet);
    add_events(model, &sheet);
    add_texts(model->options, model->option_count, "Options", &sheet);
    add_texts(model->target, model->target_count, "Target", &sheet);
    add_texts(model->machine, model->machine_count, "Machine", &sheet);
    add_texts(model->facts, model->fact_count, "Facts", &sheet);
    add_line(model, "dd-line", "dd would say", &sheet);
    add_line(model, "by-hand", "Same by hand", &sheet);
}
