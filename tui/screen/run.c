#include "screen/run.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/units.h"
#include "chart/gauge.h"
#include "chart/layout.h"
#include "terminal/canvas.h"
#include "view/flowline.h"
#include "view/lines.h"
#include "view/page.h"
#include "view/poster.h"
#include "view/scene.h"
#include "view/story.h"

#define VERDICT_EACH_NS NS_PER_S
#define EVENT_ROWS_MIN 16 /* from here on a line for the last event is spared */

struct run {
    struct screen_context *context;
    unsigned number;
    struct scene scene;
    struct verdict verdict;
    uint64_t verdict_at_ns; /* model's time */
    bool has_verdict, was_over, is_left_open;
    bool is_big; /* to be read from three metres */
};

enum {
    ACTION_STOP = 1,
    ACTION_BACK,
    ACTION_HOLD,
    ACTION_NEAR,
    ACTION_LEFT,
    ACTION_RIGHT,
    ACTION_DETACH,
    ACTION_RESULT,
    ACTION_BIG,
    ACTION_LANES,
    ACTION_NEXT
};

static const struct key_row keys[] = {
    {{KEY_CODE_ESCAPE}, ACTION_BACK, "esc", "back", "back; the run goes on"},
    {{'x'}, ACTION_STOP, "x", "stop", "stop this run"},
    {{' '}, ACTION_HOLD, "space", "pause", "hold the picture still; the run goes on"},
    {{'z'}, ACTION_NEAR, "z", "zoom", "the newest minute, or the whole run"},
    {{KEY_CODE_RIGHT}, ACTION_RIGHT, "←→", "read out", "read the value of one moment"},
    {{KEY_CODE_LEFT}, ACTION_LEFT, "←", NULL, NULL},
    {{'b'}, ACTION_BIG, "b", "big", "large numbers, to be read from three metres; and back"},
    {{'?'}, -1, "?", "help", "all keys"},
    {{'l'}, ACTION_LANES, "l", "streams", "a row for each stream of a network run; and back"},
    {{'d'}, ACTION_DETACH, "d", "detach", "leave the terminal; all runs go on without it"},
    {{KEY_CODE_TAB}, ACTION_NEXT, "tab", NULL, "the next run"},
    {{KEY_CODE_ENTER}, ACTION_RESULT, "enter", "result", "what the run gave so far"},
    {{0}, 0, NULL, NULL, NULL},
};

/* The footer once the run is over. */
static const struct key_row over_keys[] = {
    {{KEY_CODE_ENTER}, 0, "enter", "result", NULL},
    {{KEY_CODE_ESCAPE}, 0, "esc", "back", NULL},
    {{'z'}, 0, "z", "zoom", NULL},
    {{KEY_CODE_RIGHT}, 0, "←→", "read out", NULL},
    {{'b'}, 0, "b", "big", NULL},
    {{'?'}, 0, "?", "help", NULL},
    {{0}, 0, NULL, NULL, NULL},
};

static struct runner *runner_of(const struct run *run)
{
    return core_run(run->context->core, run->number);
}

static bool is_over(const struct run *run)
{
    const struct runner *runner = runner_of(run);
    return !runner || runner_is_over(runner);
}

static int run_open(struct screen_context *context, const char *argument, void **ret_state,
                    struct str *why)
{
    uint64_t number;
    if (units_parse_u64(argument, &number) < 0 || !core_run(context->core, (unsigned)number)) {
        str_addf(why, "run %s is not here any more", argument);
        return -1;
    }
    struct run *run = mem_new(1, sizeof *run);
    run->context = context;
    run->number = (unsigned)number;
    scene_init(&run->scene);
    run->is_left_open = is_over(run); /* looked at again: stays */
    *ret_state = run;
    return 0;
}

static void run_close(void *state)
{
    struct run *run = state;
    scene_done(&run->scene);
    free(run);
}

/* Verdicts read whole series: once a second is enough. */
static void refresh_verdict(struct run *run, const struct model *model)
{
    bool is_fresh = run->has_verdict && run->was_over == model->has_end &&
                    model->now_ns - run->verdict_at_ns < VERDICT_EACH_NS;
    if (is_fresh || !model->has_start)
        return;
    verdict_of(model, &run->verdict);
    run->verdict_at_ns = model->now_ns;
    run->was_over = model->has_end;
    run->has_verdict = true;
}

static void draw_progress(struct rect row, const struct model *model, enum glyph_tier tier)
{
    struct str text AUTO(str_done) = {0}, done AUTO(str_done) = {0};
    double fraction = story_fraction(model), left = story_left(model);
    if (rect_is_empty(row))
        return;
    story_done(model, &done);
    if (fraction >= 0)
        str_addf(&text, "%3.0f %%   ", fraction * 100);
    if (done.size)
        str_addf(&text, "%s   ", done.text);
    if (left >= 0)
        str_addf(&text, "%s left", story_seconds(left).text);
    struct rect bar = rect_inset(row, 0, 1);
    int columns = canvas_width(str_text(&text)) + 2;
    int text_cells = columns > 36 ? columns : 36;
    if (fraction >= 0 && bar.columns - text_cells >= 10) {
        struct rect gauge = rect_take_left(&bar, bar.columns - text_cells);
        gauge_draw(gauge, fraction, ROLE_ACCENT, tier);
        (void)rect_take_left(&bar, 2);
    }
    canvas_text(bar.row, bar.column, bar.columns, ROLE_TEXT, str_text(&text));
}

/* The one sentence under the plot: what matters most now. */
static enum theme_role sentence_of(const struct run *run, const struct model *model,
                                   enum runner_stop stop, struct str *into)
{
    const char *stopping = story_stopping(model, stop);
    if (stopping) {
        str_addf(into, "%s…", stopping);
        return ROLE_WARN;
    }
    if (model->has_end && model->sentence && model->sentence[0]) {
        str_add(into, model->sentence);
        return ROLE_FAIL;
    }
    if (!model->has_end && model->is_stalled) {
        str_addf(into, "stalled: nothing moved for %.0f s",
                 (double)(model->now_ns - model->last_move_ns) / 1e9);
        return ROLE_WARN;
    }
    if (run->has_verdict && scene_is_worth(model, &run->verdict))
        str_add(into, run->verdict.main.text);
    return ROLE_TEXT;
}

/* Without its last clauses when it needs more rows: what breaks off in the middle says nothing. */
static void wrap_clauses(struct lines *lines, enum theme_role role, const char *text, int columns,
                         int rows)
{
    struct str part AUTO(str_done) = {0};
    lines_wrap(lines, NULL, role, text, columns);
    for (size_t end = strlen(text); (int)lines->count > rows && end > 0; end--) {
        if (strncmp(text + end - 1, "; ", 2) != 0)
            continue;
        str_clear(&part);
        str_add_bytes(&part, text, end - 1);
        lines_clear(lines);
        lines_wrap(lines, NULL, role, str_text(&part), columns);
    }
}

/* The sentence in as many rows as there are; a row that is left is for the first warning. */
static void draw_sentence(const struct run *run, struct rect area, enum theme_role role,
                          const char *text)
{
    struct lines lines = {0};
    wrap_clauses(&lines, role, text, area.columns - 2, area.rows);
    if (run->has_verdict && run->verdict.warning_count > 0)
        lines_wrap(&lines, NULL, ROLE_WARN, run->verdict.warnings[0].text, area.columns - 2);
    int rows = area.rows < (int)lines.count ? area.rows : (int)lines.count;
    for (int i = 0; i < rows; i++)
        page_line(rect_take_top(&area, 1), lines.items[i].role, lines.items[i].text);
    lines_done(&lines);
}

static void draw_event(const struct runner *runner, const struct model *model, struct rect row)
{
    if (rect_is_empty(row))
        return;
    if (runner_record_state(runner) == RUNNER_NOT_RECORDED) {
        struct str text AUTO(str_done) = {0};
        const char *reason = runner_record_text(runner);
        str_addf(&text, "not recorded: %s", reason ? reason : "the store went away");
        page_line(row, ROLE_WARN, str_text(&text));
        return;
    }
    if (model->event_count) {
        const struct model_event *event = &model->events[model->event_count - 1];
        canvas_textf(row.row, row.column + 1, row.columns - 2, ROLE_DIM, "%.1f s  %s: %s",
                     model_seconds(model, event->t_ns), event->code, event->text);
    } else if (model->log_count) {
        page_line(row, ROLE_DIM, model->logs[model->log_count - 1].text);
    }
}

static void state_text(const struct run *run, const struct model *model, enum runner_stop stop,
                       struct str *into, enum theme_role *ret_role)
{
    if (run->scene.picture.held_ns)
        str_add(into, "picture held · ");
    str_addf(into, "%s %s", story_word(model, stop, ret_role),
             story_seconds(story_elapsed(model)).text);
}

/* What matters most in one line: for screens too small for a plot. */
static void draw_status(struct rect area, const struct model *model, enum runner_stop stop)
{
    struct str text AUTO(str_done) = {0};
    enum theme_role role;
    int filled, line;
    double fraction = story_fraction(model);
    const char *word = story_word(model, stop, &role);
    struct traffic traffic;
    story_series(model, &filled, &line);
    if (traffic_of(model, &traffic)) {
        flowline_add_short(model, &traffic, &text);
        str_add(&text, text.size ? " " : "");
    } else if (filled >= 0 && model->metrics[filled].sum) {
        struct quantity quantity = picture_quantity(model, filled);
        struct series_total total;
        series_total(model->metrics[filled].sum, &total);
        str_addf(&text, "%s %s ", quantity_number(&quantity, total.last).text, quantity.unit);
    }
    if (fraction >= 0)
        str_addf(&text, "%.0f%% ", fraction * 100);
    str_addf(&text, "%s %s · %s", word, story_seconds(story_elapsed(model)).text,
             model->target_id ? model->target_id : "");
    (void)page_small(area, str_text(&text), role);
}

static void draw_parts(struct run *run, struct rect area, const struct runner *runner,
                       const struct model *model)
{
    struct str title AUTO(str_done) = {0}, target AUTO(str_done) = {0};
    struct str state AUTO(str_done) = {0}, sentence AUTO(str_done) = {0};
    enum runner_stop stop = runner_stop_state(runner);
    enum glyph_tier tier = run->context->glyphs;
    struct layout_run layout;
    enum theme_role role;
    struct rect event = {0};
    int rows = area.rows;
    if (rows >= EVENT_ROWS_MIN)
        rows--;
    layout_run(rows, area.columns, &layout);
    if (rows < area.rows && !rect_is_empty(layout.footer)) {
        event = layout.footer;
        layout.footer.row++;
    }
    story_title(model, &title);
    story_target(model, &target);
    state_text(run, model, stop, &state, &role);
    if (page_is_small(area))
        draw_status(layout.title, model, stop);
    else
        page_title(layout.title, str_text(&title), str_text(&target), str_text(&state), role);
    if (!rect_is_empty(layout.rule))
        canvas_rule(layout.rule.row, layout.rule.column, layout.rule.columns);
    struct rect middle = rect_is_empty(layout.plot) ? layout.readout : layout.plot;
    if (!rect_is_empty(layout.plot))
        middle.rows += layout.readout.rows; /* right below it */
    scene_draw(&run->scene, model, run->has_verdict ? &run->verdict : NULL, middle,
               layout.readout.rows, tier);
    draw_progress(layout.progress, model, tier);
    enum theme_role sentence_role = sentence_of(run, model, stop, &sentence);
    draw_sentence(run, layout.verdict, sentence_role, str_text(&sentence));
    draw_event(runner, model, event);
    page_footer(layout.footer, runner_is_over(runner) ? over_keys : keys);
}

/* Nothing but the numbers, and one sentence. */
static void draw_big(const struct run *run, struct rect area, const struct model *model,
                     enum runner_stop stop)
{
    struct str sentence AUTO(str_done) = {0};
    enum theme_role role = sentence_of(run, model, stop, &sentence);
    if (sentence.size == 0)
        state_text(run, model, stop, &sentence, &role);
    poster_draw(area, model, run->has_verdict ? &run->verdict : NULL, role, str_text(&sentence),
                run->context->glyphs);
}

static void run_draw(void *state, struct rect area)
{
    struct run *run = state;
    const struct runner *runner = runner_of(run);
    if (!runner) {
        (void)page_small(area, "this run is not here any more", ROLE_DIM);
        return;
    }
    const struct model *model = runner_model(runner);
    refresh_verdict(run, model);
    if (run->is_big && model->has_start)
        draw_big(run, area, model, runner_stop_state(runner));
    else
        draw_parts(run, area, runner, model);
}

static struct outcome show_result(const struct run *run)
{
    return outcome_to(OUTCOME_REPLACE, SCREEN_RESULT, "%u", run->number);
}

static struct outcome next_run(const struct run *run)
{
    const struct core *core = run->context->core;
    unsigned count = core_run_count(core), index = 0;
    while (index < count && core_run_at(core, index) != run->number)
        index++;
    if (count < 2)
        return outcome_of(OUTCOME_STAY);
    unsigned next = core_run_at(core, (index + 1) % count);
    return outcome_to(OUTCOME_REPLACE, SCREEN_RUN, "%u", next);
}

static struct outcome run_key(void *state, int key)
{
    struct run *run = state;
    struct runner *runner = runner_of(run);
    int action = keys_action(keys, key);
    switch (action) {
    case ACTION_BACK:
        if (run->is_big) {
            run->is_big = false;
            break;
        }
        return outcome_of(OUTCOME_BACK);
    case ACTION_BIG:
        run->is_big = !run->is_big;
        break;
    case ACTION_LANES:
        if (runner)
            (void)scene_by_lane(&run->scene, runner_model(runner));
        break;
    case ACTION_STOP:
        if (runner && !runner_is_over(runner))
            runner_stop(runner);
        break;
    case ACTION_HOLD:
        if (runner)
            picture_hold(&run->scene.picture, runner_model(runner));
        break;
    case ACTION_NEAR:
        if (runner)
            scene_zoom(&run->scene, runner_model(runner));
        break;
    case ACTION_LEFT:
    case ACTION_RIGHT:
        if (runner)
            scene_move_cursor(&run->scene, runner_model(runner), action == ACTION_LEFT ? -1 : 1);
        break;
    case ACTION_DETACH:
        return outcome_of(OUTCOME_DETACH);
    case ACTION_RESULT:
        return show_result(run);
    case ACTION_NEXT:
        return next_run(run);
    default:
        return outcome_ignored();
    }
    return outcome_of(OUTCOME_STAY);
}

/* The result comes by itself, unless the picture is being held or read, or was asked for again. */
static struct outcome run_changed(void *state, enum core_event event, unsigned number)
{
    struct run *run = state;
    if (event != CORE_RUN || number != run->number)
        return outcome_ignored();
    if (is_over(run) && !run->is_left_open && !run->is_big && !scene_is_in_use(&run->scene))
        return show_result(run);
    return outcome_of(OUTCOME_STAY);
}

static struct outcome run_tick(void *state)
{
    (void)state;
    return outcome_of(OUTCOME_STAY);
}

static bool run_is_live(const void *state)
{
    return !is_over(state);
}

const struct screen run_screen = {
    .name = "Run",
    .keys = keys,
    .open = run_open,
    .draw = run_draw,
    .key = run_key,
    .changed = run_changed,
    .tick = run_tick,
    .is_live = run_is_live,
    .close = run_close,
};
