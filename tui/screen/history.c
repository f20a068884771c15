#include "screen/history.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/units.h"
#include "terminal/canvas.h"
#include "view/page.h"
#include "widget/line.h"
#include "widget/list.h"

#define ROWS_ASKED "1000"
#define ROWS_MAX 1000
#define REPLAY_S 10.0 /* a longer run is replayed in this time */

struct stored { /* one run of the record, as texts to show and search */
    char id[24], started[24], test[64], target[64], label[64], state[16], rate[32];
    double duration_s;
};

struct history {
    struct screen_context *context;
    struct history_query *query;
    struct stored *rows;
    int count;
    int *shown; /* indices of the rows that the filter lets through */
    struct list list;
    struct line filter;
    bool is_typing, is_complete;
    struct str problem;
};

enum { ACTION_REPLAY = 1, ACTION_SEARCH, ACTION_BACK, ACTION_AGAIN };

static const struct key_row keys[] = {
    {{KEY_CODE_ENTER}, ACTION_REPLAY, "enter", "replay", "show the run again"},
    {{'/'},
     ACTION_SEARCH,
     "/",
     "search",
     "show only runs that hold a text; enter keeps, esc clears"},
    {{'u'}, ACTION_AGAIN, "u", "look again", "ask the record again"},
    {{KEY_CODE_ESCAPE, 'H'}, ACTION_BACK, "esc", "back", "back"},
    {{'?'}, -1, "?", "help", "all keys"},
    LIST_KEYS,
    {{0}, 0, NULL, NULL, NULL},
};

static bool holds(const struct stored *row, const char *text)
{
    const char *const fields[] = {row->id,     row->started, row->test,
                                  row->target, row->label,   row->state};
    for (size_t i = 0; i < ARRAY_SIZE(fields); i++)
        if (strcasestr(fields[i], text))
            return true;
    return text[0] == '\0';
}

static void sift(struct history *history)
{
    int kept = 0;
    for (int i = 0; i < history->count; i++)
        if (holds(&history->rows[i], history->filter.text))
            history->shown[kept++] = i;
    list_set_count(&history->list, kept);
}

static void copy(char *into, size_t size, const struct frame *row, const char *key)
{
    const char *text = frame_pair(row, key);
    struct str clean AUTO(str_done) = {0};
    str_add_clean(&clean, text ? text : "", text ? strlen(text) : 0);
    (void)snprintf(into, size, "%s", str_text(&clean));
}

static void take_rate(struct stored *stored, const struct frame *row)
{
    const char *rate = frame_pair(row, "rate"), *unit = frame_pair(row, "unit");
    unsigned number = 0;
    double value;
    if (rate && unit && units_parse_double(rate, &value) == 0 &&
        units_from_symbol(unit, &number) == 0)
        (void)snprintf(stored->rate, sizeof stored->rate, "%s", units_value(value, number).text);
}

static void on_row(void *user, const struct frame *row, const char *problem)
{
    struct history *history = user;
    if (!row) {
        history->is_complete = true;
        if (problem)
            str_add(&history->problem, problem);
        history->context->wake(history->context->user);
        return;
    }
    if (history->count == ROWS_MAX)
        return;
    struct stored *stored = &history->rows[history->count++];
    *stored = (struct stored){0};
    copy(stored->id, sizeof stored->id, row, "id");
    copy(stored->started, sizeof stored->started, row, "started");
    copy(stored->test, sizeof stored->test, row, "test");
    copy(stored->target, sizeof stored->target, row, "target");
    copy(stored->label, sizeof stored->label, row, "label");
    copy(stored->state, sizeof stored->state, row, "state");
    take_rate(stored, row);
    const char *duration = frame_pair(row, "duration_s");
    if (duration)
        (void)units_parse_double(duration, &stored->duration_s);
    sift(history);
}

static void ask(struct history *history)
{
    const char *const arguments[] = {"query",   "list",     core_database(history->context->core),
                                     "--limit", ROWS_ASKED, NULL};
    history->query = history_free(history->query);
    history->count = 0;
    history->is_complete = false;
    str_clear(&history->problem);
    sift(history);
    if (history_ask(core_loop(history->context->core), arguments, on_row, history,
                    &history->query) < 0)
        str_add(&history->problem, "iodyno-store could not be started, so the record is not read.");
}

static int history_open(struct screen_context *context, const char *argument, void **ret_state,
                        struct str *why)
{
    struct history *history = mem_new(1, sizeof *history);
    (void)argument;
    (void)why;
    history->context = context;
    history->rows = mem_new(ROWS_MAX, sizeof *history->rows);
    history->shown = mem_new(ROWS_MAX, sizeof *history->shown);
    ask(history);
    *ret_state = history;
    return 0;
}

static void history_close(void *state)
{
    struct history *history = state;
    history_free(history->query);
    str_done(&history->problem);
    free(history->rows);
    free(history->shown);
    free(history);
}

static enum theme_role role_of(const struct stored *row)
{
    unsigned state;
    if (run_state_from_name(row->state, &state) < 0)
        return ROLE_DIM;
    return state == RUN_DONE                             ? ROLE_OK
           : state == RUN_FAILED || state == RUN_REMOVED ? ROLE_FAIL
           : state == RUN_RUNNING                        ? ROLE_ACCENT
                                                         : ROLE_WARN;
}

static void cell(struct rect *row, int columns, enum theme_role role, const char *text)
{
    struct rect area = rect_take_left(row, columns);
    canvas_text(area.row, area.column, area.columns - 1, role, text);
}

static void draw_row(void *user, int index, struct rect row, bool is_selected)
{
    const struct history *history = user;
    const struct stored *stored = &history->rows[history->shown[index]];
    char started[24];
    (void)is_selected;
    (void)snprintf(started, sizeof started, "%.10s %.5s", stored->started,
                   strlen(stored->started) > 16 ? stored->started + 11 : "");
    struct rect rate = rect_take_right(&row, row.columns >= 60 ? 14 : 0);
    cell(&row, 6, ROLE_DIM, stored->id);
    if (row.columns >= 56)
        cell(&row, 18, ROLE_DIM, started);
    cell(&row, 17, ROLE_TEXT, stored->test); /* memory.bandwidth */
    cell(&row, 12, ROLE_TEXT, stored->target);
    cell(&row, 12, role_of(stored), stored->state);
    canvas_text(row.row, row.column, row.columns - 1, ROLE_TEXT, stored->label);
    canvas_text_right(rate.row, rate.column, rate.columns, ROLE_TEXT, stored->rate);
}

static void draw_filter(const struct history *history, struct rect row)
{
    int used = canvas_text(row.row, row.column + 1, row.columns - 2, ROLE_ACCENT, "/");
    used += canvas_text(row.row, row.column + 1 + used, row.columns - 3 - used, ROLE_TEXT,
                        history->filter.text);
    if (history->is_typing)
        canvas_fill(row.row, row.column + 1 + used, 1, ROLE_TEXT, STYLE_REVERSE, " ");
}

static const char *empty_text(const struct history *history)
{
    if (history->problem.size)
        return history->problem.text;
    if (!history->is_complete)
        return "Reading the record…";
    return history->count ? "No run holds this text." : "No run was recorded yet.";
}

static void history_draw(void *state, struct rect area)
{
    struct history *history = state;
    struct str right AUTO(str_done) = {0};
    if (page_is_small(area)) {
        int selected = history->list.selected;
        const struct stored *row = selected < 0 ? NULL : &history->rows[history->shown[selected]];
        struct str text AUTO(str_done) = {0};
        str_addf(&text, "› %s %s %s", row ? row->id : "-", row ? row->rate : "",
                 row ? row->test : "");
        list_draw(page_small(area, str_text(&text), ROLE_TEXT), &history->list,
                  history->context->glyphs, draw_row, history);
        return;
    }
    if (history->is_complete)
        str_addf(&right, "%d of %d", history->list.count, history->count);
    struct page page = page_begin(area, "History", core_database(history->context->core),
                                  str_text(&right), ROLE_DIM);
    if (history->list.count == 0)
        canvas_text(page.body.row, page.body.column + 3, page.body.columns - 4, ROLE_DIM,
                    empty_text(history));
    list_draw(page.body, &history->list, history->context->glyphs, draw_row, history);
    if (history->is_typing || history->filter.size)
        draw_filter(history, page.note);
    else
        screen_note(history->context, page.note, NULL, ROLE_TEXT);
    page_footer(page.footer, keys);
}

static struct outcome type(struct history *history, int key)
{
    if (key == KEY_CODE_ENTER || key == KEY_CODE_ESCAPE) {
        history->is_typing = false;
        if (key == KEY_CODE_ESCAPE)
            line_set(&history->filter, "");
        sift(history);
        return outcome_of(OUTCOME_STAY);
    }
    bool is_arrow = key == KEY_CODE_UP || key == KEY_CODE_DOWN;
    if (is_arrow)
        (void)list_move(&history->list, key == KEY_CODE_UP ? LIST_UP : LIST_DOWN);
    else if (line_key(&history->filter, key))
        sift(history);
    else
        return outcome_ignored();
    return outcome_of(OUTCOME_STAY);
}

static struct outcome replay(struct history *history)
{
    unsigned run;
    if (history->list.selected < 0)
        return outcome_ignored();
    const struct stored *row = &history->rows[history->shown[history->list.selected]];
    char speed[32];
    (void)snprintf(speed, sizeof speed, "%.2f",
                   row->duration_s > REPLAY_S ? row->duration_s / REPLAY_S : 1);
    const char *database = core_database(history->context->core);
    const char *const paced[] = {"replay", "--speed", speed, database, row->id, NULL};
    const char *const as_it_grows[] = {"replay", "--follow", database, row->id, NULL};
    bool is_alive = strcmp(row->state, run_state_name(RUN_RUNNING)) == 0;
    if (core_replay(history->context->core, is_alive ? as_it_grows : paced, &run) < 0) {
        notes_add(history->context->notes, clock_wall_ns(), ROLE_FAIL,
                  "run %s could not be replayed", row->id);
        return outcome_of(OUTCOME_STAY);
    }
    return outcome_to(OUTCOME_OPEN, SCREEN_RUN, "%u", run);
}

static struct outcome history_key(void *state, int key)
{
    struct history *history = state;
    if (history->is_typing)
        return type(history, key);
    int action = keys_action(keys, key);
    if (list_move(&history->list, action))
        return outcome_of(OUTCOME_STAY);
    switch (action) {
    case ACTION_BACK:
        if (history->filter.size == 0 || key != KEY_CODE_ESCAPE)
            return outcome_of(OUTCOME_BACK);
        line_set(&history->filter, "");
        sift(history);
        return outcome_of(OUTCOME_STAY);
    case ACTION_SEARCH:
        history->is_typing = true;
        return outcome_of(OUTCOME_STAY);
    case ACTION_AGAIN:
        ask(history);
        return outcome_of(OUTCOME_STAY);
    case ACTION_REPLAY:
        return replay(history);
    default:
        return outcome_ignored();
    }
}

const struct screen history_screen = {
    .name = "History",
    .keys = keys,
    .open = history_open,
    .draw = history_draw,
    .key = history_key,
    .close = history_close,
};
