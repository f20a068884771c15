#include "chart/plot.h"

#include <math.h>
#include <stdio.h>

#include "chart/axis.h"
#include "chart/legend.h"
#include "chart/phases.h"
#include "terminal/canvas.h"
#include "terminal/term.h"

#define GUTTER_WIDE (AXIS_LABEL_CELLS + 2) /* label, space, axis */
#define GUTTER_NARROW AXIS_LABEL_CELLS     /* a label of four cells, axis */
#define WIDE_COLUMNS 30
#define NARROW_COLUMNS 14
#define MARKER_EVERY 3 /* columns from marker to marker of a line */
#define TICK_APART 9   /* cells between labels of the time axis */

/* The rectangles of a plot's own parts, empty where there is no room. */
struct parts {
    struct rect unit, field, axis, times, phases;
    int gutter; /* columns left of the field, its axis included */
};

static int gutter_of(int columns)
{
    return columns >= WIDE_COLUMNS ? GUTTER_WIDE : columns >= NARROW_COLUMNS ? GUTTER_NARROW : 0;
}

static struct parts divide(struct rect area, const struct plot *plot)
{
    struct parts parts = {.gutter = gutter_of(area.columns)};
    int rows = area.rows;

    if (rows >= 4)
        parts.unit = rect_take_top(&area, 1);
    if (parts.gutter)
        (void)rect_take_left(&parts.unit, 1);
    if (rows >= 7 && plot->phase_count && !plot->hides_times)
        parts.phases = rect_take_bottom(&area, 1);
    if (rows >= 5 && !plot->hides_times)
        parts.times = rect_take_bottom(&area, 1);
    if (rows >= 3)
        parts.axis = rect_take_bottom(&area, 1);
    (void)rect_take_left(&parts.phases, parts.gutter);
    (void)rect_take_left(&area, parts.gutter);
    parts.field = area;
    return parts;
}

int plot_columns(struct rect area)
{
    if (rect_is_empty(area))
        return 0;
    return area.columns - gutter_of(area.columns);
}

int plot_rows(struct rect area, const struct plot *plot)
{
    return divide(area, plot).field.rows;
}

/* Height of a base-unit value in cells of the field. */
static double cells_of(const struct plot *plot, const struct rect *field, double value)
{
    if (!(plot->scale->top > 0) || !(value > 0))
        return 0;
    double cells = value / plot->unit_divisor / plot->scale->top * field->rows;
    return cells < field->rows ? cells : field->rows;
}

/* Screen row of the cell that holds the height. */
static int row_at(const struct rect *field, double cells)
{
    int up = (int)ceil(cells - 1e-9);

    up = up < 1 ? 1 : up > field->rows ? field->rows : up;
    return field->row + field->rows - up;
}

/* Up to the axis; with a blank of the same look, which spares the terminal a change of colour. */
static void draw_value(const struct parts *parts, int row, const char *label)
{
    char text[AXIS_LABEL_SIZE + 1];
    int room = parts->gutter - 1;

    (void)snprintf(text, sizeof(text), room > AXIS_LABEL_CELLS ? "%s " : "%s", label);
    canvas_text_right(row, parts->field.column - parts->gutter, room, ROLE_AXIS, text);
}

static void draw_value_axis(const struct parts *parts, const struct plot *plot,
                            enum glyph_tier tier)
{
    const struct rect *field = &parts->field;
    double top = plot->scale->top, step = plot->scale->step;
    char label[AXIS_LABEL_SIZE];

    if (parts->gutter == 0)
        return;
    for (int i = 0; i < field->rows; i++)
        (void)canvas_text(field->row + i, field->column - 1, 1, ROLE_AXIS,
                          glyph_sign(tier, GLYPH_UPRIGHT));
    for (int i = 1; step > 0 && i * step <= top * 1.0001; i++) {
        int up = (int)lround(i * step / top * field->rows), row = field->row + field->rows - up;
        if (up < 1)
            continue;
        (void)canvas_text(row, field->column - 1, 1, ROLE_AXIS, glyph_sign(tier, GLYPH_TICK_LEFT));
        draw_value(parts, row, axis_number(i * step, step, label));
    }
    if (!rect_is_empty(parts->axis))
        draw_value(parts, parts->axis.row, "0");
}

/* One tick with its label where it does not run into the one before. Returns the first free
 * column of the label row. */
static int draw_time(const struct parts *parts, int column, const char *label, int free,
                     enum glyph_tier tier)
{
    int width = canvas_width(label), end = parts->field.column + parts->field.columns;

    if (column > 0 || parts->gutter == 0)
        (void)canvas_text(parts->axis.row, parts->field.column + column, 1, ROLE_AXIS,
                          glyph_sign(tier, GLYPH_TICK_DOWN));
    int at = parts->field.column + column;
    if (rect_is_empty(parts->times) || at < free || at + width > end)
        return free;
    (void)canvas_text(parts->times.row, at, width, ROLE_AXIS, label);
    return at + width + 1;
}

static void draw_time_axis(const struct parts *parts, const struct plot *plot, enum glyph_tier tier)
{
    const struct rect *field = &parts->field;
    double span = plot->to_s - plot->from_s;
    struct axis_time ticks = axis_time(span, field->columns, TICK_APART);
    char number[AXIS_LABEL_SIZE], label[AXIS_LABEL_SIZE + 8];
    int free = 0;

    if (rect_is_empty(parts->axis))
        return;
    canvas_fill(parts->axis.row, field->column, field->columns, ROLE_AXIS, 0,
                glyph_sign(tier, GLYPH_RULE));
    if (parts->gutter)
        (void)canvas_text(parts->axis.row, field->column - 1, 1, ROLE_AXIS,
                          glyph_sign(tier, GLYPH_CORNER));
    if (!(span > 0) || !isfinite(span))
        return;
    double first = ceil(plot->from_s / ticks.step_s - 1e-9);
    for (int i = 0; i <= field->columns; i++) {
        double at = (first + i) * ticks.step_s;
        int column = (int)floor((at - plot->from_s) / span * field->columns + 1e-6);
        if (column >= field->columns)
            break;
        (void)axis_number(at / ticks.divisor_s, ticks.step_s / ticks.divisor_s, number);
        (void)snprintf(label, sizeof(label), i == 0 ? "%s %s" : "%s", number, ticks.unit);
        free = draw_time(parts, column, label, free, tier);
    }
}

static void draw_ceiling_line(const struct rect *field, const struct plot *plot,
                              enum glyph_tier tier)
{
    double value = plot->ceiling / plot->unit_divisor;

    if (value > 0 && value <= plot->scale->top)
        canvas_fill(row_at(field, cells_of(plot, field, plot->ceiling)), field->column,
                    field->columns, ROLE_GRID, 0, glyph_sign(tier, GLYPH_CEILING));
}

/* Height of a filled series at a column; something is more than nothing. */
static int eighths_at(const struct rect *field, const struct plot *plot,
                      const struct plot_series *series, int column)
{
    const struct column *value = &series->columns[column];

    if (!value->has_value || !(value->mean > 0))
        return 0;
    int eighths = (int)lround(cells_of(plot, field, value->mean) * 8);
    return eighths ? eighths : 1;
}

static void draw_filled(const struct rect *field, const struct plot *plot,
                        const struct plot_series *series, enum glyph_tier tier)
{
    for (int column = 0; column < field->columns; column++) {
        int eighths = eighths_at(field, plot, series, column);
        for (int up = 0; up < field->rows && eighths > up * 8; up++) {
            int part = eighths - up * 8;
            (void)canvas_text(field->row + field->rows - 1 - up, field->column + column, 1,
                              series->role, glyph_fill_up(tier, part > 8 ? 8 : part));
        }
    }
}

/* The filled series that covers a whole cell, NULL when none does. */
static const struct plot_series *cover_at(const struct rect *field, const struct plot *plot,
                                          int column, int row)
{
    int up = field->row + field->rows - row; /* cells from the floor to the top of this one */

    for (size_t i = 0; i < plot->series_count; i++) {
        const struct plot_series *series = &plot->series[i];
        if (series->is_filled && eighths_at(field, plot, series, column) >= up * 8)
            return series;
    }
    return NULL;
}

/* Puts a sign; within a filled area it is cut out of it, so that neither hides the other. */
static void put_over(const struct rect *field, const struct plot *plot, int row, int column,
                     enum theme_role role, enum glyph_tier tier, const char *sign)
{
    const struct plot_series *cover =
        tier == GLYPH_ASCII ? NULL : cover_at(field, plot, column, row);

    canvas_fill(row, field->column + column, 1, cover ? cover->role : role,
                cover ? STYLE_REVERSE : 0, sign);
}

static void draw_line(const struct rect *field, const struct plot *plot,
                      const struct plot_series *series, enum glyph_tier tier)
{
    enum glyph_sign marker = (enum glyph_sign)(GLYPH_MARK_1 + (series->marker & 7));
    int last_row = -1;

    for (int column = 0; column < field->columns; column++) {
        const struct column *value = &series->columns[column];
        if (!value->has_value) {
            last_row = -1;
            continue;
        }
        int row = row_at(field, cells_of(plot, field, value->mean));
        bool is_marked = row != last_row || column % MARKER_EVERY == 0;
        bool is_above = value->mean / plot->unit_divisor > plot->scale->top;
        put_over(field, plot, row, column, series->role, tier,
                 is_above ? PLOT_ABOVE : glyph_sign(tier, is_marked ? marker : GLYPH_RULE));
        last_row = row;
    }
}

/* Columns between samples that hold none: their floor is dotted, a zero leaves it plain. */
static void draw_gaps(const struct rect *field, const struct plot_series *series,
                      enum glyph_tier tier)
{
    int first = 0, last = field->columns - 1;

    while (first <= last && !series->columns[first].has_value)
        first++;
    while (last >= first && !series->columns[last].has_value)
        last--;
    for (int column = first; column <= last; column++) {
        if (!series->columns[column].has_value)
            (void)canvas_text(field->row + field->rows - 1, field->column + column, 1, ROLE_WARN,
                              tier == GLYPH_ASCII ? "?" : glyph_sign(tier, GLYPH_DOT));
    }
}

static bool has_samples(const struct plot *plot, int columns)
{
    for (size_t i = 0; i < plot->series_count; i++) {
        for (int column = 0; column < columns; column++) {
            if (plot->series[i].columns[column].has_value)
                return true;
        }
    }
    return false;
}

static void draw_nothing(const struct rect *field, const struct plot *plot)
{
    const char *nothing = plot->waiting ? plot->waiting : "no samples yet";
    int width = canvas_width(nothing);

    if (field->columns > width)
        (void)canvas_text(field->row + field->rows / 2,
                          field->column + (field->columns - width) / 2, width, ROLE_DIM, nothing);
}

static void draw_field(const struct parts *parts, const struct plot *plot, enum glyph_tier tier)
{
    const struct rect *field = &parts->field;

    draw_ceiling_line(field, plot, tier);
    if (!has_samples(plot, field->columns)) {
        draw_nothing(field, plot);
        return;
    }
    draw_gaps(field, &plot->series[0], tier);
    for (int pass = 1; pass >= 0; pass--) {
        for (size_t i = 0; i < plot->series_count; i++) {
            const struct plot_series *series = &plot->series[i];
            if (series->is_filled && pass == 1)
                draw_filled(field, plot, series, tier);
            else if (!series->is_filled && pass == 0)
                draw_line(field, plot, series, tier);
        }
    }
}

static bool has_cursor(const struct parts *parts, const struct plot *plot)
{
    return plot->cursor >= 0 && plot->cursor < parts->field.columns;
}

static void draw_cursor(const struct parts *parts, const struct plot *plot, enum glyph_tier tier)
{
    const struct rect *field = &parts->field;

    if (!has_cursor(parts, plot))
        return;
    for (int row = field->row; row < field->row + field->rows; row++)
        put_over(field, plot, row, plot->cursor, ROLE_ACCENT, tier,
                 glyph_sign(tier, GLYPH_UPRIGHT));
    if (!rect_is_empty(parts->axis))
        (void)canvas_text(parts->axis.row, field->column + plot->cursor, 1, ROLE_ACCENT,
                          glyph_sign(tier, GLYPH_CORNER));
}

void plot_draw(struct rect area, const struct plot *plot, enum glyph_tier tier)
{
    struct parts parts = divide(area, plot);

    if (rect_is_empty(parts.field))
        return;
    if (term_paper() && !has_samples(plot, parts.field.columns)) {
        draw_nothing(&parts.field,
                     plot); /* no lines for an empty frame, which paper cannot fill later */
        return;
    }
    draw_field(&parts, plot, tier);
    draw_value_axis(&parts, plot, tier);
    draw_time_axis(&parts, plot, tier);
    if (!rect_is_empty(parts.unit))
        legend_draw(parts.unit, parts.field.columns, plot, tier);
    if (!rect_is_empty(parts.phases))
        phases_draw(parts.phases, plot, tier);
    draw_cursor(&parts, plot, tier);
}
