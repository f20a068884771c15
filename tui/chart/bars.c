#include "chart/bars.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/str.h"
#include "chart/scale.h"
#include "terminal/canvas.h"

#define LABEL_CELLS_MOST 20
#define NUMBER_CELLS_LEAST 5
#define GAP 2
#define SHARE_CELLS 7 /* "  100 %" */
#define FIELD_CELLS_LEAST 8
#define FAR_TIMES 4 /* a ceiling so many times the largest value would press the bars flat */

struct plan { /* columns of the parts; a width of 0: it is left out */
    int label, number[BARS_VALUES_MAX], field, field_cells, share;
    bool has_names, has_marks;
    int decimals;
    double top; /* at the right end of the field */
};

static double best_of(const struct bars_row *row, size_t count)
{
    double best = 0;
    for (size_t i = 0; i < count; i++)
        if (row->has_value[i] && row->values[i] > best)
            best = row->values[i];
    return best;
}

static double largest_of(const struct bars *bars)
{
    double largest = 0;
    for (size_t i = 0; i < bars->row_count; i++)
        largest = fmax(largest, best_of(&bars->rows[i], bars->value_count));
    return largest;
}

static int number_cells(double largest, int decimals)
{
    char text[48];
    int cells = snprintf(text, sizeof text, "%.*f", decimals, largest);
    return cells > NUMBER_CELLS_LEAST ? cells : NUMBER_CELLS_LEAST;
}

/* The label may not take more than a third. */
static int label_cells(const struct bars *bars, int columns)
{
    int cells = canvas_width(bars->unit);
    for (size_t i = 0; i < bars->row_count; i++) {
        int width = canvas_width(bars->rows[i].label);
        cells = width > cells ? width : cells;
    }
    cells = cells > LABEL_CELLS_MOST ? LABEL_CELLS_MOST : cells;
    return cells > columns / 3 ? columns / 3 : cells;
}

static int name_cells(const struct bars *bars, size_t i)
{
    return bars->names[i][0] ? canvas_width(bars->names[i]) + 2 : 0;
}

/* Widths for the values, with their names or without; the cells that are left for the field. */
static int plan_numbers(const struct bars *bars, struct plan *plan, int room, int cells)
{
    for (size_t i = 0; i < bars->value_count; i++) {
        int name = plan->has_names ? name_cells(bars, i) : 0;
        plan->number[i] = (name > cells ? name : cells) + GAP;
        room -= plan->number[i];
    }
    return room - GAP;
}

static struct plan make_plan(const struct bars *bars, int columns)
{
    double largest = largest_of(bars);
    struct plan plan = {.label = label_cells(bars, columns) + 2,
                        .decimals = largest >= 99.95 ? 0 : 1,
                        .has_names = true,
                        .has_marks = bars->value_count > 1};
    int cells = number_cells(largest, plan.decimals);
    int room = columns - 1 - plan.label;
    plan.share = bars->ceiling > 0 ? SHARE_CELLS : 0;
    plan.field_cells = plan_numbers(bars, &plan, room - plan.share, cells);
    if (plan.field_cells < 2 * FIELD_CELLS_LEAST) {
        plan.has_names = false;
        plan.field_cells = plan_numbers(bars, &plan, room - plan.share, cells);
    }
    if (plan.field_cells < FIELD_CELLS_LEAST && plan.share) {
        plan.field_cells += plan.share;
        plan.share = 0;
    }
    if (plan.field_cells < 2)
        plan.field_cells = 0;
    bool is_far = bars->ceiling > FAR_TIMES * largest;
    double nice = scale_nice_step(largest, 1);
    plan.top = bars->ceiling >= largest && bars->ceiling > 0 && !is_far ? bars->ceiling : nice;
    return plan;
}

static const char *mark_of(size_t value, enum glyph_tier tier)
{
    return value == 0 ? glyph_shade(tier, 3)
                      : glyph_sign(tier, (enum glyph_sign)(GLYPH_MARK_1 + value - 1));
}

static enum theme_role role_of(size_t value)
{
    return (enum theme_role)(ROLE_SERIES_1 + value);
}

/* "DDR4-1600 x16 3200 │" so that its line stands over the line below, or with an arrow. */
static void draw_ceiling_name(const struct bars *bars, const struct plan *plan, struct rect row,
                              int free, int field, enum glyph_tier tier)
{
    AUTO(str_done) struct str text = {0};
    if (!(bars->ceiling > 0) || !bars->ceiling_label)
        return;
    bool is_beyond = bars->ceiling > plan->top;
    str_addf(&text, "%s %s", bars->ceiling_label,
             is_beyond ? "→" : glyph_sign(tier, GLYPH_UPRIGHT));
    int width = canvas_width(str_text(&text));
    double share = is_beyond ? 1 : bars->ceiling / plan->top;
    int at = field + (int)lround(share * (plan->field_cells - 1)) + 1 - width;
    if (at < free)
        return;
    (void)canvas_text(row.row, at, row.column + row.columns - at, ROLE_AXIS, str_text(&text));
}

static void draw_heading(const struct bars *bars, const struct plan *plan, struct rect row,
                         enum glyph_tier tier)
{
    int at = row.column + 1;
    (void)canvas_text(row.row, at, plan->label, ROLE_AXIS, bars->unit);
    at += plan->label;
    for (size_t i = 0; i < bars->value_count; i++) {
        const char *name = plan->has_names ? bars->names[i] : "";
        int width = plan->has_marks ? (name[0] ? canvas_width(name) + 2 : 1) : canvas_width(name);
        int left = at + plan->number[i] - GAP - width;
        if (plan->has_marks)
            (void)canvas_text(row.row, left, 1, role_of(i), mark_of(i, tier));
        (void)canvas_text(row.row, left + (plan->has_marks ? 2 : 0), width, ROLE_AXIS, name);
        at += plan->number[i];
    }
    draw_ceiling_name(bars, plan, row, at, at, tier);
}

static int cell_at(const struct plan *plan, double value)
{
    int cell = (int)lround(value / plan->top * plan->field_cells) - 1;
    return cell < 0 ? 0 : cell >= plan->field_cells ? plan->field_cells - 1 : cell;
}

/* The bar; how many cells it stands in, the last perhaps in part. */
static int draw_bar(const struct plan *plan, const struct bars_row *item, int row, int column,
                    enum glyph_tier tier)
{
    if (!item->has_value[0])
        return 0;
    int most = plan->field_cells * 8;
    int eighths = (int)lround(item->values[0] / plan->top * most);
    eighths = eighths > most ? most : eighths;
    if (eighths < 1 && item->values[0] > 0)
        eighths = 1;
    int full = eighths / 8;
    canvas_fill(row, column, full, role_of(0), 0, glyph_fill_right(tier, 8));
    if (eighths % 8)
        (void)canvas_text(row, column + full, 1, role_of(0), glyph_fill_right(tier, eighths % 8));
    return full + (eighths % 8 > 0);
}

static void draw_markers(const struct bars *bars, const struct plan *plan,
                         const struct bars_row *item, int row, int column, int used,
                         enum glyph_tier tier)
{
    int reach = used;
    for (size_t i = 1; i < bars->value_count; i++) {
        if (!item->has_value[i])
            continue;
        int cell = cell_at(plan, item->values[i]);
        bool is_cut = cell < used && tier != GLYPH_ASCII;
        if (cell > reach)
            canvas_fill(row, column + reach, cell - reach, role_of(i), 0,
                        glyph_sign(tier, GLYPH_RULE));
        canvas_fill(row, column + cell, 1, is_cut ? role_of(0) : role_of(i),
                    is_cut ? STYLE_REVERSE : 0, mark_of(i, tier));
        reach = cell + 1 > reach ? cell + 1 : reach;
    }
}

static void draw_row(const struct bars *bars, const struct plan *plan, const struct bars_row *item,
                     struct rect row, bool is_read, enum glyph_tier tier)
{
    int at = row.column + 1, end = row.column + row.columns;
    enum theme_role role = is_read || item->is_active ? ROLE_ACCENT : ROLE_TEXT;
    (void)canvas_text(row.row, at, plan->label - 1, role, item->label);
    at += plan->label;
    for (size_t i = 0; i < bars->value_count; i++) {
        char number[48];
        (void)snprintf(number, sizeof number, "%.*f", plan->decimals, item->values[i]);
        if (item->has_value[i])
            canvas_text_right(row.row, at, plan->number[i] - GAP, role, number);
        at += plan->number[i];
    }
    if (plan->field_cells == 0)
        return;
    if (bars->ceiling > 0 && bars->ceiling <= plan->top)
        (void)canvas_text(row.row, at + cell_at(plan, bars->ceiling), 1, ROLE_GRID,
                          glyph_sign(tier, GLYPH_UPRIGHT));
    int used = draw_bar(plan, item, row.row, at, tier);
    draw_markers(bars, plan, item, row.row, at, used, tier);
    double best = best_of(item, bars->value_count);
    if (plan->share && best > 0) {
        char share[24];
        (void)snprintf(share, sizeof share, "%.0f %%", best / bars->ceiling * 100);
        canvas_text_right(row.row, end - SHARE_CELLS, SHARE_CELLS - 1, role, share);
    }
}

int bars_rows(const struct bars *bars)
{
    return (int)bars->row_count + 1;
}

/* The first row shown where not all have room: the cursor's or the active one stays in sight. */
static size_t first_shown(const struct bars *bars, int rows)
{
    int look = bars->cursor;
    for (size_t i = 0; i < bars->row_count && bars->cursor < 0; i++)
        if (bars->rows[i].is_active)
            look = (int)i;
    return look >= rows ? (size_t)(look - rows + 1) : 0;
}

void bars_draw(struct rect area, const struct bars *bars, enum glyph_tier tier)
{
    if (rect_is_empty(area))
        return;
    if (bars->row_count == 0) {
        const char *text = bars->waiting ? bars->waiting : "no value yet";
        (void)canvas_text(area.row + area.rows / 2, area.column + 1, area.columns - 2, ROLE_DIM,
                          text);
        return;
    }
    struct plan plan = make_plan(bars, area.columns);
    if (area.rows > 1)
        draw_heading(bars, &plan, rect_take_top(&area, 1), tier);
    int apart = area.rows >= 2 * (int)bars->row_count ? 2 : 1;
    if (apart == 2)
        (void)rect_take_top(&area, 1);
    for (size_t i = first_shown(bars, area.rows); i < bars->row_count && area.rows > 0; i++) {
        draw_row(bars, &plan, &bars->rows[i], rect_take_top(&area, 1), bars->cursor == (int)i,
                 tier);
        (void)rect_take_top(&area, apart - 1);
    }
}
