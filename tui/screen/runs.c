#include "screen/runs.h"

#include <stdlib.h>

#include "base/cleanup.h"
#include "base/units.h"
#include "terminal/canvas.h"
#include "view/page.h"
#include "view/picture.h"
#include "view/story.h"
#include "widget/list.h"

struct runs {
    struct screen_context *context;
    struct list list;
    unsigned selected; /* run number */
};

enum { ACTION_OPEN = 1, ACTION_STOP, ACTION_BACK, ACTION_DROP };

static const struct key_row keys[] = {
    {{KEY_CODE_ENTER},
     ACTION_OPEN,
     "enter",
     "open",
     "the picture of a live run, the result of another"},
    {{'x'}, ACTION_STOP, "x", "stop", "stop the run"},
    {{'c'}, ACTION_DROP, "c", "clear", "take a run that is over off this list"},
    {{KEY_CODE_ESCAPE, 'r'}, ACTION_BACK, "esc", "back", "back"},
    {{'?'}, -1, "?", "help", "all keys"},
    LIST_KEYS,
    {{0}, 0, NULL, NULL, NULL},
};

static unsigned number_at(const struct runs *runs, int index)
{
    return index < 0 ? 0 : core_run_at(runs->context->core, (unsigned)index);
}

static void rebuild(struct runs *runs)
{
    const struct core *core = runs->context->core;
    list_set_count(&runs->list, (int)core_run_count(core));
    for (int i = 0; i < runs->list.count; i++)
        if (runs->selected && core_run_at(core, (unsigned)i) == runs->selected)
            list_select(&runs->list, i);
    runs->selected = number_at(runs, runs->list.selected);
}

static int runs_open(struct screen_context *context, const char *argument, void **ret_state,
                     struct str *why)
{
    struct runs *runs = mem_new(1, sizeof *runs);
    (void)argument;
    (void)why;
    runs->context = context;
    runs->selected = core_run_at(context->core, core_run_count(context->core) - 1);
    rebuild(runs);
    *ret_state = runs;
    return 0;
}

static void draw_row(void *user, int index, struct rect row, bool is_selected)
{
    const struct runs *runs = user;
    const struct runner *runner = core_run(runs->context->core, number_at(runs, index));
    (void)is_selected;
    if (!runner)
        return;
    const struct model *model = runner_model(runner);
    struct str title AUTO(str_done) = {0};
    enum theme_role role;
    const char *word = story_word(model, runner_stop_state(runner), &role);
    story_title(model, &title);
    struct rect number = rect_take_left(&row, 4), state = rect_take_left(&row, 13);
    canvas_textf(number.row, number.column, 3, ROLE_DIM, "%2u", number_at(runs, index));
    canvas_text(state.row, state.column, 12, role, word);
    struct str numbers AUTO(str_done) = {0};
    int filled, line;
    double fraction = story_fraction(model);
    story_series(model, &filled, &line);
    int headline = model->has_end ? model_metric(model, "rate") : -1;
    double rate;
    if (headline >= 0 && model_result(model, "rate", &rate) == 0) {
        str_addf(&numbers, "%s  ", units_value(rate, model->metrics[headline].about.unit).text);
    } else if (filled >= 0 && model->metrics[filled].sum) {
        struct series_total total;
        struct quantity quantity = picture_quantity(model, filled);
        series_total(model->metrics[filled].sum, &total);
        str_addf(&numbers, "%s %s  ", quantity_number(&quantity, total.last).text, quantity.unit);
    }
    if (fraction >= 0 && !model->has_end)
        str_addf(&numbers, "%3.0f %%  ", fraction * 100);
    str_addf(&numbers, "%8s", story_seconds(story_elapsed(model)).text);
    struct rect right = rect_take_right(&row, row.columns > 40 ? 32 : 0);
    canvas_textf(row.row, row.column, row.columns - 1, ROLE_TEXT, "%s   %s", str_text(&title),
                 model->target_id ? model->target_id : "");
    canvas_text_right(right.row, right.column, right.columns, ROLE_TEXT, str_text(&numbers));
}

static void runs_draw(void *state, struct rect area)
{
    struct runs *runs = state;
    rebuild(runs);
    if (page_is_small(area)) {
        struct str text AUTO(str_done) = {0};
        str_addf(&text, "› run %u of %d", runs->selected, runs->list.count);
        list_draw(page_small(area, str_text(&text), ROLE_TEXT), &runs->list, runs->context->glyphs,
                  draw_row, runs);
        return;
    }
    struct page page = page_begin(area, "Runs", "of this screen", NULL, ROLE_TEXT);
    (void)rect_take_top(&page.body, 1);
    if (runs->list.count == 0)
        canvas_text(page.body.row, page.body.column + 3, page.body.columns - 4, ROLE_DIM,
                    "None yet: choose a device and a test.");
    list_draw(page.body, &runs->list, runs->context->glyphs, draw_row, runs);
    screen_note(runs->context, page.note, NULL, ROLE_TEXT);
    page_footer(page.footer, keys);
}

static struct outcome runs_key(void *state, int key)
{
    struct runs *runs = state;
    int action = keys_action(keys, key);
    if (list_move(&runs->list, action)) {
        runs->selected = number_at(runs, runs->list.selected);
        return outcome_of(OUTCOME_STAY);
    }
    if (action == ACTION_BACK)
        return outcome_of(OUTCOME_BACK);
    struct runner *runner = core_run(runs->context->core, runs->selected);
    if (!runner)
        return outcome_ignored();
    bool is_over = runner_is_over(runner);
    switch (action) {
    case ACTION_OPEN:
        return outcome_to(OUTCOME_OPEN, is_over ? SCREEN_RESULT : SCREEN_RUN, "%u", runs->selected);
    case ACTION_STOP:
        if (!is_over)
            runner_stop(runner);
        return outcome_of(OUTCOME_STAY);
    case ACTION_DROP:
        if (is_over)
            core_drop(runs->context->core, runs->selected);
        runs->selected = 0;
        return outcome_of(OUTCOME_STAY);
    default:
        return outcome_ignored();
    }
}

static struct outcome runs_changed(void *state, enum core_event event, unsigned run)
{
    (void)state;
    (void)run;
    return event == CORE_RUN ? outcome_of(OUTCOME_STAY) : outcome_ignored();
}

static struct outcome runs_tick(void *state)
{
    (void)state;
    return outcome_of(OUTCOME_STAY);
}

static bool runs_is_live(const void *state)
{
    const struct runs *runs = state;
    return screen_live_runs(runs->context->core) > 0;
}

const struct screen runs_screen = {
    .name = "Runs",
    .keys = keys,
    .open = runs_open,
    .draw = runs_draw,
    .key = runs_key,
    .changed = runs_changed,
    .tick = runs_tick,
    .is_live = runs_is_live,
    .close = free,
};
