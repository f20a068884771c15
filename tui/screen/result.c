#include "screen/result.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/units.h"
#include "diagnose/verdict.h"
#include "iodyno/plugin.h"
#include "report/figures.h"
#include "report/soak.h"
#include "report/traffic.h"
#include "terminal/canvas.h"
#include "view/lines.h"
#include "view/page.h"
#include "view/scene.h"
#include "view/story.h"
#include "view/vigil.h"
#include "widget/list.h"

#define LABEL_CELLS 31
#define LABEL_CELLS_HALF 25   /* below 72 columns */
#define LABEL_CELLS_NARROW 18 /* below 56 */
#define SIDE_COLUMNS_MIN 118  /* from here on the picture stands beside the text */
#define BELOW_ROWS_MIN 38     /* and from here on below it */
#define OWN_ROWS_MIN 19 /* a test's own charts are its result: they come on smaller bodies too */
#define OWN_ROWS 13
#define OWN_ROWS_LARGE 18
#define EVENTS_SHOWN 8

struct result {
    struct screen_context *context;
    unsigned number;
    struct lines lines;
    struct scene scene;
    struct history_query *export;
    struct str file, message;
};

enum { ACTION_BACK = 1, ACTION_SAVE, ACTION_PICTURE };

static const struct key_row keys[] = {
    {{KEY_CODE_ESCAPE}, ACTION_BACK, "esc", "back", "back"},
    {{'s'}, ACTION_SAVE, "s", "save", "write the run into a file in the working folder"},
    {{'g', KEY_CODE_ENTER}, ACTION_PICTURE, "g", "picture", "the picture of the run, to read out"},
    {{'r'}, -1, "r", "runs", "the runs of this screen"},
    {{'H'}, -1, "H", "history", "stored runs"},
    {{'?'}, -1, "?", "help", "all keys"},
    LIST_KEYS,
    {{0}, 0, NULL, NULL, NULL},
};

static const struct model *model_of(const struct result *result)
{
    const struct runner *runner = core_run(result->context->core, result->number);
    return runner ? runner_model(runner) : NULL;
}

static int result_open(struct screen_context *context, const char *argument, void **ret_state,
                       struct str *why)
{
    uint64_t number;
    if (units_parse_u64(argument, &number) < 0 || !core_run(context->core, (unsigned)number)) {
        str_addf(why, "run %s is not here any more", argument);
        return -1;
    }
    struct result *result = mem_new(1, sizeof *result);
    result->context = context;
    result->number = (unsigned)number;
    scene_init(&result->scene);
    *ret_state = result;
    return 0;
}

static void result_close(void *state)
{
    struct result *result = state;
    history_free(result->export);
    scene_done(&result->scene);
    lines_done(&result->lines);
    str_done(&result->file);
    str_done(&result->message);
    free(result);
}

/* "out 67.1 Mbit/s      in 940 Mbit/s": a single figure would hide the worse of two. */
static bool add_both_ways(const struct model *model, struct str *into)
{
    struct traffic traffic;
    struct traffic_sum sums[TRAFFIC_WAYS];
    if (!traffic_of(model, &traffic) || !traffic.has[TRAFFIC_OUT] || !traffic.has[TRAFFIC_IN])
        return false;
    for (int way = 0; way < TRAFFIC_WAYS; way++) {
        traffic_sum(model, &traffic, (enum traffic_way)way, &sums[way]);
        if (!sums[way].has_rate)
            return false;
    }
    str_addf(into, "out %s      in %s", units_bit_rate(sums[TRAFFIC_OUT].rate_bps).text,
             units_bit_rate(sums[TRAFFIC_IN].rate_bps).text);
    return true;
}

static void add_way(struct lines *lines, const struct model *model, const struct traffic *traffic,
                    enum traffic_way way, int columns)
{
    struct str lost AUTO(str_done) = {0};
    struct traffic_sum sum;
    bool is_two = traffic->has[TRAFFIC_OUT] && traffic->has[TRAFFIC_IN];
    const char *before = is_two ? traffic_way(way) : "", *comma = is_two ? ", " : "";
    char label[48];
    for (int i = 0; i < 2; i++) {
        struct str end AUTO(str_done) = {0};
        (void)snprintf(label, sizeof label, "%s%s%s", before, comma, i ? "receiver" : "sender");
        if (traffic_add_end(model, traffic, way, i == 0, &end))
            lines_wrap(lines, label, ROLE_TEXT, end.text, columns);
    }
    traffic_sum(model, traffic, way, &sum);
    if (!sum.has_lost)
        return;
    traffic_add_lost(&sum, &lost);
    if (sum.share >= 0 && sum.lost > 0)
        str_addf(&lost, " of the %s", traffic->loss[way].units);
    (void)snprintf(label, sizeof label, "%s%s%s", before, comma, traffic->loss[way].name);
    lines_wrap(lines, label, sum.lost > 0 ? ROLE_WARN : ROLE_TEXT, str_text(&lost), columns);
}

/* What each end says, what was lost, and the line that is looked for after a night. */
static void add_traffic(struct lines *lines, const struct model *model, int columns, int wide)
{
    struct traffic traffic;
    struct str soak AUTO(str_done) = {0};
    if (!traffic_of(model, &traffic))
        return;
    for (int way = 0; way < TRAFFIC_WAYS; way++)
        if (traffic.has[way])
            add_way(lines, model, &traffic, (enum traffic_way)way, columns);
    if (soak_add(model, &soak))
        lines_wrap(lines, NULL, ROLE_TEXT, str_text(&soak), wide);
}

static void add_headline(struct lines *lines, const struct model *model, int columns)
{
    struct str text AUTO(str_done) = {0};
    struct model_result leading;
    enum theme_role role;
    const char *word = story_word(model, RUNNER_GOING, &role);
    if (!figures_leading(model, &leading)) {
        str_addf(&text, "  %s", word);
        lines_add(lines, role, str_text(&text));
        if (model->sentence && model->sentence[0])
            lines_wrap(lines, NULL, ROLE_TEXT, model->sentence, columns);
        return;
    }
    if (vigil_has(model)) { /* whether it is stable, not how fast */
        str_addf(&text, "  %s", vigil_word(model, &role));
        lines_add(lines, role, str_text(&text));
        return;
    }
    unsigned unit = model->metrics[leading.metric].about.unit;
    str_add(&text, "  ");
    if (!add_both_ways(model, &text))
        str_add(&text, units_value(leading.value, unit).text);
    if (unit == DYNO_BYTE_PER_S)
        str_addf(&text, "      %s", units_byte_rate_binary(leading.value).text);
    if (model->is_partial)
        str_add(&text, "      so far");
    lines_add(lines, ROLE_ACCENT, str_text(&text));
    if (model->state != RUN_DONE) {
        str_clear(&text);
        str_addf(&text, "  %s%s%s", word, model->sentence && model->sentence[0] ? ": " : "",
                 model->sentence ? model->sentence : "");
        lines_wrap(lines, NULL, role, str_text(&text), columns);
    }
}

/* An unknown limit is worth a line only where nothing else says what happened. */
static void add_verdict(struct lines *lines, const struct model *model,
                        const struct verdict *verdict, int columns)
{
    bool is_said = model->has_end && model->state != RUN_DONE && model->sentence &&
                   model->sentence[0] && strcmp(verdict->main.code, "unknown") == 0;
    if (!scene_is_worth(model, verdict) || is_said)
        return;
    lines_wrap(lines, NULL, ROLE_TEXT, verdict->main.text, columns);
    lines_add(lines, ROLE_TEXT, "");
}

static void add_checks(struct lines *lines, const struct model *model, int columns)
{
    for (size_t i = 0; i < model->check_count; i++) {
        const struct model_check *check = &model->checks[i];
        struct str text AUTO(str_done) = {0};
        str_addf(&text, "%s: %s", check->expect.text,
                 !check->has_value ? "no value"
                 : check->pass     ? "met"
                                   : "missed");
        lines_wrap(lines, "expected", check->pass ? ROLE_OK : ROLE_FAIL, str_text(&text), columns);
    }
}

static void add_method(struct lines *lines, const struct model *model, int columns)
{
    struct str target AUTO(str_done) = {0}, options AUTO(str_done) = {0};
    char started[CLOCK_ISO_MAX];
    story_target(model, &target);
    for (size_t i = 0; i < model->option_count; i++)
        if (model->options[i].value && model->options[i].value[0])
            str_addf(&options, "%s%s=%s", options.size ? "  " : "", model->options[i].key,
                     model->options[i].value);
    struct str took AUTO(str_done) = {0};
    str_addf(&took, "%s, started %s", units_duration(story_elapsed(model)).text,
             clock_iso(model->wall_ns, started));
    lines_wrap(lines, "target", ROLE_TEXT, str_text(&target), columns);
    lines_wrap(lines, "options", ROLE_TEXT, str_text(&options), columns);
    lines_pair(lines, "took", ROLE_TEXT, str_text(&took));
    if (model->label && model->label[0])
        lines_wrap(lines, "label", ROLE_TEXT, model->label, columns);
}

static void add_phases(struct lines *lines, const struct model *model)
{
    for (size_t i = 0; i < model->phase_count; i++) {
        const struct model_phase *phase = &model->phases[i];
        uint64_t end_ns = phase->t1_ns ? phase->t1_ns : model->now_ns;
        struct str text AUTO(str_done) = {0}, label AUTO(str_done) = {0};
        str_addf(&label, "phase %s", phase->name);
        str_addf(&text, "%.2f s, from %.2f s on", (double)(end_ns - phase->t0_ns) / 1e9,
                 model_seconds(model, phase->t0_ns));
        lines_pair(lines, str_text(&label), ROLE_TEXT, str_text(&text));
    }
}

static void add_results(struct lines *lines, const struct model *model)
{
    bool has_heading = false;
    for (size_t i = 0; i < model->result_count; i++) {
        const struct model_result *item = &model->results[i];
        if (item->metric >= model->metric_count || item->lane != DYNO_LANE_ALL)
            continue;
        const struct frame_metric *about = &model->metrics[item->metric].about;
        if (!has_heading) {
            lines_add(lines, ROLE_TEXT, "");
            lines_add(lines, ROLE_DIM, "FIGURES");
            has_heading = true;
        }
        lines_pair(lines, about->label[0] ? about->label : about->key, ROLE_TEXT,
                   units_value(item->value, about->unit).text);
    }
}

static bool is_line(const char *key)
{
    return strcmp(key, "by-hand") == 0 || strcmp(key, "dd-line") == 0;
}

static void add_facts(struct lines *lines, const struct model *model, int columns)
{
    bool has_heading = false;
    for (size_t i = 0; i < model->fact_count; i++) {
        const struct model_text *fact = &model->facts[i];
        if (is_line(fact->key))
            continue;
        if (!has_heading) {
            lines_add(lines, ROLE_TEXT, "");
            lines_add(lines, ROLE_DIM, "FACTS");
            has_heading = true;
        }
        lines_wrap(lines, fact->key, ROLE_TEXT, fact->value, columns);
    }
}

static void add_spread(struct lines *lines, const struct model *model,
                       const struct verdict *verdict, int columns)
{
    struct str text AUTO(str_done) = {0}, ceiling AUTO(str_done) = {0};
    if (figures_add_spread(model, &text))
        lines_wrap(lines, "over time", ROLE_TEXT, str_text(&text), columns);
    if (figures_add_ceiling(model, verdict, &ceiling))
        lines_wrap(lines, figures_ceiling_name(model), ROLE_TEXT, str_text(&ceiling), columns);
}

/* Over the whole width: it is there to be copied. */
static void add_by_hand(struct lines *lines, const struct model *model, int columns)
{
    struct str text AUTO(str_done) = {0};
    const char *command = model_fact(model, "by-hand"), *answer = model_fact(model, "dd-line");
    if (!command)
        return;
    str_addf(&text, "same by hand: %s", command);
    lines_add(lines, ROLE_TEXT, "");
    lines_wrap(lines, NULL, ROLE_TEXT, str_text(&text), columns);
    if (answer)
        lines_wrap(lines, NULL, ROLE_DIM, answer, columns);
}

static void add_events(struct lines *lines, const struct model *model, int columns)
{
    size_t from = model->event_count > EVENTS_SHOWN ? model->event_count - EVENTS_SHOWN : 0;
    if (model->event_count == 0)
        return;
    lines_add(lines, ROLE_TEXT, "");
    lines_add(lines, ROLE_DIM, "EVENTS");
    for (size_t i = from; i < model->event_count; i++) {
        const struct model_event *event = &model->events[i];
        char label[32];
        struct str text AUTO(str_done) = {0};
        (void)snprintf(label, sizeof label, "%.1f s", model_seconds(model, event->t_ns));
        str_addf(&text, "%s: %s", event->code, event->text);
        lines_wrap(lines, label, ROLE_TEXT, str_text(&text), columns);
    }
}

static void add_record(struct lines *lines, const struct runner *runner)
{
    const struct model *model = runner_model(runner);
    struct str text AUTO(str_done) = {0};
    bool is_lost = runner_record_state(runner) == RUNNER_NOT_RECORDED;
    if (is_lost)
        str_addf(&text, "not recorded: %s",
                 runner_record_text(runner) ? runner_record_text(runner) : "the store went away");
    else if (model->run_id)
        str_addf(&text, "run %llu", (unsigned long long)model->run_id);
    else
        str_add(&text, "not recorded");
    lines_add(lines, ROLE_TEXT, "");
    lines_pair(lines, "record", is_lost ? ROLE_WARN : ROLE_TEXT, str_text(&text));
}

static int label_cells(int columns)
{
    return columns >= 72 ? LABEL_CELLS : columns >= 56 ? LABEL_CELLS_HALF : LABEL_CELLS_NARROW;
}

static void build(struct result *result, const struct runner *runner, const struct model *model,
                  const struct verdict *verdict, int columns)
{
    struct lines *lines = &result->lines;
    int wide = columns - 2, beside = columns - 2 - label_cells(columns);
    bool has_flow = flow_has(model), shows_phases = has_flow || scene_has_own(model);
    lines_clear(lines);
    for (unsigned i = 0; i < verdict->warning_count; i++)
        lines_wrap(lines, NULL, ROLE_WARN, verdict->warnings[i].text, wide);
    lines_add(lines, ROLE_TEXT, "");
    add_headline(lines, model, wide);
    lines_add(lines, ROLE_TEXT, "");
    add_verdict(lines, model, verdict, wide);
    add_checks(lines, model, beside);
    if (has_flow) {
        add_traffic(lines, model, beside, wide);
        add_by_hand(lines, model, wide);
        lines_add(lines, ROLE_TEXT, "");
    }
    add_method(lines, model, beside);
    if (!shows_phases) /* the charts show them */
        add_phases(lines, model);
    add_spread(lines, model, verdict, beside);
    if (!has_flow)
        add_by_hand(lines, model, wide);
    add_results(lines, model);
    add_facts(lines, model, beside);
    add_events(lines, model, beside);
    if (shows_phases) {
        lines_add(lines, ROLE_TEXT, "");
        add_phases(lines, model);
    }
    add_record(lines, runner);
}

static void draw_small(struct rect area, const struct model *model)
{
    struct str text AUTO(str_done) = {0};
    enum theme_role role;
    const char *word = story_word(model, RUNNER_GOING, &role);
    double rate;
    int metric = model_metric(model, "rate");
    if (metric >= 0 && model_result(model, "rate", &rate) == 0)
        str_addf(&text, "%s ", units_value(rate, model->metrics[metric].about.unit).text);
    str_add(&text, word);
    (void)page_small(area, str_text(&text), role);
}

/* Where the picture stands; empty: nowhere. */
static struct rect take_picture(struct rect *body, bool has_own)
{
    if (body->columns >= SIDE_COLUMNS_MIN) {
        struct rect area =
            rect_take_right(body, body->columns - 60 > 120 ? 120 : body->columns / 2);
        return rect_take_top(&area, area.rows > 24 ? 24 : area.rows);
    }
    if (body->rows >= BELOW_ROWS_MIN)
        return rect_take_bottom(body, has_own ? OWN_ROWS_LARGE : 14);
    if (!has_own || body->rows < OWN_ROWS_MIN)
        return (struct rect){0};
    struct rect area = rect_take_bottom(body, OWN_ROWS);
    struct rect rule = rect_take_top(&area, 1);
    canvas_rule(rule.row, rule.column, rule.columns);
    return area;
}

static void draw_picture(struct result *result, const struct model *model,
                         const struct verdict *verdict, struct rect *body)
{
    struct rect area = take_picture(body, scene_has_own(model));
    if (!rect_is_empty(area))
        scene_draw(&result->scene, model, verdict, area, 0, result->context->glyphs);
}

static void result_draw(void *state, struct rect area)
{
    struct result *result = state;
    const struct runner *runner = core_run(result->context->core, result->number);
    if (!runner) {
        (void)page_small(area, "this run is not here any more", ROLE_DIM);
        return;
    }
    const struct model *model = runner_model(runner);
    if (page_is_small(area)) {
        draw_small(area, model);
        return;
    }
    struct str title AUTO(str_done) = {0}, target AUTO(str_done) = {0};
    struct verdict verdict = {.main = {.code = "unknown"}};
    enum theme_role role;
    story_title(model, &title);
    story_target(model, &target);
    if (model->has_start)
        verdict_of(model, &verdict);
    const char *word = story_word(model, RUNNER_GOING, &role);
    struct page page = page_begin(area, str_text(&title), str_text(&target), word, role);
    if (model->has_start)
        draw_picture(result, model, &verdict, &page.body);
    build(result, runner, model, &verdict, page.body.columns);
    lines_draw(page.body, &result->lines, label_cells(page.body.columns));
    screen_note(result->context, page.note, str_text(&result->message), ROLE_OK);
    page_footer(page.footer, keys);
}

static void on_exported(void *user, const struct frame *row, const char *problem)
{
    struct result *result = user;
    const char *file = row ? frame_pair(row, "file") : NULL;
    if (file) {
        str_clear(&result->message);
        str_addf(&result->message, "Saved as %s", file);
    } else if (problem) {
        str_clear(&result->message);
        str_add(&result->message, problem);
    }
    result->context->wake(result->context->user);
}

/* The store writes the file: this process writes none. */
static void save(struct result *result)
{
    const struct model *model = model_of(result);
    struct loop *loop = core_loop(result->context->core);
    str_clear(&result->message);
    if (!model || model->run_id == 0) {
        str_add(&result->message, "This run is not in the record, so there is nothing to save.");
        return;
    }
    char run[32];
    (void)snprintf(run, sizeof run, "%llu", (unsigned long long)model->run_id);
    str_clear(&result->file);
    str_addf(&result->file, "iodyno-run-%s.jsonl", run);
    const char *const arguments[] = {
        "export", core_database(result->context->core), run, "-o", str_text(&result->file), NULL};
    result->export = history_free(result->export);
    if (history_ask(loop, arguments, on_exported, result, &result->export) < 0)
        str_add(&result->message, "iodyno-store could not be started, nothing was saved.");
    else
        str_addf(&result->message, "Saving %s…", str_text(&result->file));
}

static struct outcome result_key(void *state, int key)
{
    struct result *result = state;
    int action = keys_action(keys, key);
    switch (action) {
    case ACTION_BACK:
        return outcome_of(OUTCOME_BACK);
    case ACTION_SAVE:
        save(result);
        return outcome_of(OUTCOME_STAY);
    case ACTION_PICTURE:
        return outcome_to(OUTCOME_REPLACE, SCREEN_RUN, "%u", result->number);
    default:
        break;
    }
    if (action < LIST_UP)
        return outcome_ignored();
    lines_scroll(&result->lines, action);
    return outcome_of(OUTCOME_STAY);
}

static struct outcome result_changed(void *state, enum core_event event, unsigned run)
{
    const struct result *result = state;
    return event == CORE_RUN && run == result->number ? outcome_of(OUTCOME_STAY)
                                                      : outcome_ignored();
}

const struct screen result_screen = {
    .name = "Result",
    .keys = keys,
    .open = result_open,
    .draw = result_draw,
    .key = result_key,
    .changed = result_changed,
    .close = result_close,
};
