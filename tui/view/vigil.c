#include "view/vigil.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/str.h"
#include "base/units.h"
#include "chart/bigword.h"
#include "iodyno/plugin.h"
#include "terminal/canvas.h"
#include "view/points.h"
#include "view/story.h"

#define TIMES_ENOUGH 10 /* each byte moved so often: patterns have gone through all of it */
#define LABEL_CELLS 13
#define TWO_COLUMNS 72     /* from here on the figures stand in two */
#define WORD_ROWS_LEAST 12 /* of the area, for letters of five rows */
#define ERROR_CODE "memory-error"

bool vigil_has(const struct model *model)
{
    return model_metric(model, "errors") >= 0 && model_metric(model, "passes") >= 0 &&
           model_metric(model, "drift") >= 0;
}

static bool result_of(const struct model *model, const char *key, double *ret_value)
{
    int metric = model_metric(model, key);
    return metric >= 0 && points_value(model, metric, DYNO_LANE_ALL, ret_value);
}

/* Totals of a live metric; count 0: no sample. */
static struct series_total total_of(const struct model *model, const char *key)
{
    struct series_total total = {0};
    int metric = model_metric(model, key);
    if (metric >= 0 && model->metrics[metric].sum)
        series_total(model->metrics[metric].sum, &total);
    return total;
}

static const struct model_event *last_error(const struct model *model)
{
    for (size_t i = model->event_count; i > 0; i--)
        if (strcmp(model->events[i - 1].code, ERROR_CODE) == 0)
            return &model->events[i - 1];
    return NULL;
}

double vigil_errors(const struct model *model)
{
    double errors;
    unsigned told = 0;
    for (size_t i = 0; i < model->event_count; i++)
        told += strcmp(model->events[i].code, ERROR_CODE) == 0;
    if (!result_of(model, "errors", &errors))
        errors = total_of(model, "errors").max;
    return errors > told ? errors : told;
}

/* Bytes under test; 0: not known yet. */
static double size_of(const struct model *model)
{
    double size;
    if (result_of(model, "size", &size))
        return size;
    return total_of(model, "taken").sum;
}

static double times_over(const struct model *model)
{
    double size = size_of(model);
    return size > 0 ? total_of(model, "moved").sum / size : 0;
}

static bool has_gone_through(const struct model *model)
{
    double passes;
    struct series_total live = total_of(model, "passes");
    if (result_of(model, "passes", &passes))
        return passes >= 1;
    if (live.count > 0)
        return live.last >= 1;
    return times_over(model) >= TIMES_ENOUGH;
}

const char *vigil_word(const struct model *model, enum theme_role *ret_role)
{
    bool is_ended_well =
        !model->has_end || model->state == RUN_DONE || model->state == RUN_CANCELLED;
    if (vigil_errors(model) > 0) {
        *ret_role = ROLE_FAIL;
        return "ERRORS";
    }
    if (!is_ended_well)
        return story_word(model, RUNNER_GOING, ret_role);
    if (model->is_stalled && !model->has_end) {
        *ret_role = ROLE_WARN;
        return "STALLED";
    }
    if (has_gone_through(model)) {
        *ret_role = ROLE_OK;
        return "STABLE";
    }
    *ret_role = ROLE_ACCENT;
    return model->has_end ? "TOO SHORT" : "TESTING";
}

/* The word once more as a sentence, with its figures. */
static void add_sentence(const struct model *model, struct str *into)
{
    double errors = vigil_errors(model);
    const char *elapsed = story_seconds(story_elapsed(model)).text;
    const struct model_event *error = last_error(model);
    if (errors > 0) {
        str_addf(into, "%.0f wrong word%s in %s", errors, errors > 1 ? "s" : "", elapsed);
        if (error)
            str_addf(into, ", the last known after %s",
                     story_seconds(model_seconds(model, error->t_ns)).text);
    } else if (!has_gone_through(model)) {
        str_addf(into, "no wrong word yet; not all memory has been gone through");
    } else {
        str_addf(into, "no wrong word in %s", elapsed);
    }
}

/* --- figures --- */

struct sheet { /* writes label and value, in one or two columns */
    struct rect area;
    int across, count;
};

static void put(struct sheet *sheet, const char *label, enum theme_role role, const char *value)
{
    int width = sheet->area.columns / sheet->across;
    int row = sheet->area.row + sheet->count / sheet->across;
    int column = sheet->area.column + 1 + sheet->count % sheet->across * width;
    if (row >= sheet->area.row + sheet->area.rows)
        return;
    (void)canvas_text(row, column, LABEL_CELLS - 1, ROLE_DIM, label);
    (void)canvas_text(row, column + LABEL_CELLS, width - LABEL_CELLS - 2, role, value);
    sheet->count++;
}

static void put_elapsed(struct sheet *sheet, const struct model *model)
{
    AUTO(str_done) struct str text = {0};
    double planned = story_planned(model);
    str_add(&text, story_seconds(story_elapsed(model)).text);
    if (planned > 0)
        str_addf(&text, " of %s", story_seconds(planned).text);
    put(sheet, "elapsed", ROLE_TEXT, str_text(&text));
}

static void put_errors(struct sheet *sheet, const struct model *model)
{
    char text[32];
    double errors = vigil_errors(model);
    (void)snprintf(text, sizeof text, "%.0f", errors);
    put(sheet, "errors", errors > 0 ? ROLE_FAIL : ROLE_OK, text);
}

static void put_passes(struct sheet *sheet, const struct model *model)
{
    AUTO(str_done) struct str text = {0};
    struct series_total live = total_of(model, "passes");
    double passes, times = times_over(model);
    bool is_told = result_of(model, "passes", &passes);
    if (is_told || live.count)
        str_addf(&text, "%.0f", is_told ? passes : live.last);
    if (times > 0)
        str_addf(&text, "%s%.0f times over", text.size ? ", " : "", times);
    put(sheet, "passes", ROLE_TEXT, text.size ? str_text(&text) : "none yet");
}

static void put_tested(struct sheet *sheet, const struct model *model)
{
    double size = size_of(model);
    double moved = total_of(model, "moved").sum;
    put(sheet, "memory", ROLE_TEXT, size > 0 ? units_bytes(size).text : "being taken");
    put(sheet, "tested", ROLE_TEXT, units_bytes(moved).text);
}

static void put_gauge(struct sheet *sheet, const struct model *model, const char *key,
                      const char *label)
{
    AUTO(str_done) struct str text = {0};
    struct series_total total = total_of(model, key);
    int metric = model_metric(model, key);
    if (total.count == 0)
        return;
    unsigned unit = model->metrics[metric].about.unit;
    str_add(&text, units_value(total.last, unit).text);
    if (total.max > total.min)
        str_addf(&text, ", most %s", units_value(total.max, unit).text);
    put(sheet, label, ROLE_TEXT, str_text(&text));
}

/* --- the last error --- */

/* "address A: expected E, got G, read again R, bits B, CPU 0": its parts below each other, so that
 * the eye finds the bit. */
static const struct {
    const char *before, *label;
    enum theme_role role;
} error_parts[] = {
    {"address ", "address", ROLE_TEXT}, {"expected ", "expected", ROLE_TEXT},
    {", got ", "got", ROLE_FAIL},       {"read again ", "read again", ROLE_TEXT},
    {"bits ", "bits wrong", ROLE_FAIL},
};

static int put_error_parts(struct rect area, const char *text)
{
    int used = 0;
    for (size_t i = 0; i < ARRAY_SIZE(error_parts) && used < area.rows; i++) {
        const char *at = strstr(text, error_parts[i].before);
        if (!at)
            continue;
        at += strlen(error_parts[i].before);
        AUTO(str_done) struct str value = {0};
        str_add_bytes(&value, at, strcspn(at, i == 0 ? ":" : ","));
        int row = area.row + used++, column = area.column + 1;
        (void)canvas_text(row, column, LABEL_CELLS - 1, ROLE_DIM, error_parts[i].label);
        (void)canvas_text(row, column + LABEL_CELLS, area.columns - LABEL_CELLS - 2,
                          error_parts[i].role, str_text(&value));
    }
    return used;
}

static void draw_error(struct rect *area, const struct model *model)
{
    const struct model_event *error = last_error(model);
    if (!error || area->rows < 1)
        return;
    if (area->rows > (int)ARRAY_SIZE(error_parts))
        (void)rect_take_top(area, 1);
    int used = put_error_parts(*area, error->text);
    if (used == 0 && area->rows > 0) {
        (void)canvas_text(area->row, area->column + 1, area->columns - 2, ROLE_FAIL, error->text);
        used = 1;
    }
    (void)rect_take_top(area, used);
}

static void draw_word(struct rect *area, const struct model *model, enum glyph_tier tier)
{
    enum theme_role role;
    AUTO(str_done) struct str sentence = {0};
    const char *word = vigil_word(model, &role);
    bool is_big = area->rows >= WORD_ROWS_LEAST && bigword_columns(word, area->columns - 2) > 0;
    if (is_big)
        (void)rect_take_top(area, 1);
    struct rect rows = rect_take_top(area, is_big ? BIGWORD_ROWS : 1);
    rows = rect_inset(rows, 0, 1);
    add_sentence(model, &sentence);
    if (is_big) {
        bigword_draw(rows, word, role, tier);
        (void)rect_take_top(area, 1);
        rows = rect_inset(rect_take_top(area, 1), 0, 1);
        (void)canvas_text(rows.row, rows.column, rows.columns, ROLE_TEXT, str_text(&sentence));
        (void)rect_take_top(area, 1);
        return;
    }
    int used = canvas_text(rows.row, rows.column, rows.columns, role, word) + 2;
    if (used < rows.columns)
        (void)canvas_text(rows.row, rows.column + used, rows.columns - used, ROLE_TEXT,
                          str_text(&sentence));
}

struct rect vigil_draw(struct rect area, const struct model *model, enum glyph_tier tier)
{
    if (rect_is_empty(area))
        return area;
    draw_word(&area, model, tier);
    struct sheet sheet = {.area = area, .across = area.columns >= TWO_COLUMNS ? 2 : 1};
    put_errors(&sheet, model);
    put_elapsed(&sheet, model);
    put_tested(&sheet, model);
    put_passes(&sheet, model);
    put_gauge(&sheet, model, "temperature", "temperature");
    put_gauge(&sheet, model, "cpu_clock", "CPU clock");
    put_gauge(&sheet, model, "dram_clock", "DRAM clock");
    const char *counted = model_fact(model, "edac-errors");
    if (counted)
        put(&sheet, "EDAC", ROLE_WARN, counted);
    (void)rect_take_top(&area, (sheet.count + sheet.across - 1) / sheet.across);
    draw_error(&area, model);
    return area;
}
