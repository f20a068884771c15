#include "chart/plot.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/str.h"
#include "chart/axis.h"
#include "terminal/canvas.h"

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

static struct parts divide(struct rect area, size_t phase_count)
{
    struct parts parts = {.gutter = gutter_of(area.columns)};
    int rows = area.rows;

    if (rows >= 4)
        parts.unit = rect_take_top(&area, 1);
    if (rows >= 7 && phase_count)
        parts.phases = rect_take_bottom(&area, 1);
    if (rows >= 5)
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
    return divide(area, plot->phase_count).field.rows;
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

static void draw_value_axis(const struct parts *parts, const struct plot *plot,
                            enum glyph_tier tier)
{
    const struct rect *field = &parts->field;
    int axis = field->column - 1,
        width = parts->gutter == GUTTER_WIDE ? AXIS_LABEL_CELLS : AXIS_LABEL_CELLS - 1;
    char label[AXIS_LABEL_SIZE];

    if (parts->gutter == 0)
        return;
    for (int i = 0; i < field->rows; i++)
        (void)canvas_text(field->row + i, axis, 1, ROLE_AXIS, glyph_sign(tier, GLYPH_UPRIGHT));
    double top = plot->scale->top, step = plot->scale->step;
    for (int i = 1; step > 0 && i * step <= top * 1.0001; i++) {
        int up = (int)lround(i * step / top * field->rows);
        int row = field->row + field->rows - up;
        if (up < 1)
            continue;
        (void)canvas_text(row, axis, 1, ROLE_AXIS, glyph_sign(tier, GLYPH_TICK_LEFT));
        canvas_text_right(row, axis - width - (width == AXIS_LABEL_CELLS), width, ROLE_AXIS,
                          axis_number(i * step, step, label));
    }
    if (!rect_is_empty(parts->axis))
        canvas_text_right(parts->axis.row, axis - width - (width == AXIS_LABEL_CELLS), width,
                          ROLE_AXIS, "0");
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

/* Runs of equal cells go out in one piece: that is most of a plot. */
static void draw_filled(const struct rect *field, const struct plot *plot,
                        const struct plot_series *series, enum glyph_tier tier)
{
    for (int column = 0; column < field->columns; column++) {
        const struct column *value = &series->columns[column];
        if (!value->has_value || !(value->mean > 0))
            continue;
        int eighths = (int)lround(cells_of(plot, field, value->mean) * 8);
        if (eighths == 0)
            eighths = 1; /* something is more than nothing */
        for (int up = 0; up < field->rows && eighths > up * 8; up++) {
            int part = eighths - up * 8;
            (void)canvas_text(field->row + field->rows - 1 - up, field->column + column, 1,
                              series->role, glyph_fill_up(tier, part > 8 ? 8 : part));
        }
    }
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
        (void)canvas_text(row, field->column + column, 1, series->role,
                          glyph_sign(tier, is_marked ? marker : GLYPH_RULE));
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

static void draw_field(const struct parts *parts, const struct plot *plot, enum glyph_tier tier)
{
    static const char nothing[] = "no samples yet";
    const struct rect *field = &parts->field;
    int width = (int)strlen(nothing);

    draw_ceiling_line(field, plot, tier);
    if (!has_samples(plot, field->columns)) {
        if (field->columns > width)
            (void)canvas_text(field->row + field->rows / 2,
                              field->column + (field->columns - width) / 2, width, ROLE_DIM,
                              nothing);
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

static const char *mark_of(const struct plot_series *series, enum glyph_tier tier)
{
    if (series->is_filled)
        return glyph_shade(tier, 3);
    return glyph_sign(tier, (enum glyph_sign)(GLYPH_MARK_1 + (series->marker & 7)));
}

/* "4.93", "71.2", "2120": three digits, as the read-outs beside the plot have them. */
static void add_value(struct str *into, const struct plot *plot, double value)
{
    double shown = value / plot->unit_divisor;

    str_addf(into, "%.*f", shown >= 99.95 ? 0 : shown >= 9.995 ? 1 : 2, shown);
}

static void add_read_out(struct str *into, const struct plot *plot, const struct column *column)
{
    str_add(into, " ");
    if (!column->has_value) {
        str_add(into, "no sample");
        return;
    }
    add_value(into, plot, column->mean);
    if (column->max > column->mean * 1.005 || column->min < column->mean * 0.995) {
        str_add(into, " (");
        add_value(into, plot, column->min);
        str_add(into, " … ");
        add_value(into, plot, column->max);
        str_add(into, ")");
    }
}

static bool has_cursor(const struct parts *parts, const struct plot *plot)
{
    return plot->cursor >= 0 && plot->cursor < parts->field.columns;
}

static double cursor_s(const struct parts *parts, const struct plot *plot)
{
    return plot->from_s + (plot->cursor + 0.5) / parts->field.columns * (plot->to_s - plot->from_s);
}

/* Unit, then the legend, or under a cursor what stands there. Returns the first free column. */
static int draw_legend(const struct parts *parts, const struct plot *plot, enum glyph_tier tier)
{
    const struct rect *row = &parts->unit;
    int at = row->column + (parts->gutter ? 1 : 0), end = row->column + row->columns;
    bool is_reading = has_cursor(parts, plot);

    at += canvas_text(row->row, at, end - at, ROLE_AXIS, plot->unit) + 2;
    if (is_reading)
        at +=
            canvas_textf(row->row, at, end - at, ROLE_ACCENT, "at %.1f s", cursor_s(parts, plot)) +
            2;
    for (size_t i = 0; i < plot->series_count && (is_reading || plot->series_count > 1); i++) {
        const struct plot_series *series = &plot->series[i];
        AUTO(str_done) struct str text = {0};
        if (plot->series_count > 1) {
            at += canvas_text(row->row, at, end - at, series->role, mark_of(series, tier)) + 1;
            str_add(&text, series->label ? series->label : "");
        }
        if (is_reading)
            add_read_out(&text, plot, &series->columns[plot->cursor]);
        const char *shown = str_text(&text);
        at += canvas_text(row->row, at, end - at, is_reading ? ROLE_TEXT : ROLE_AXIS,
                          shown[0] == ' ' ? shown + 1 : shown) +
              2;
    }
    return at;
}

/* At the right, with a piece of its line, or an arrow when it lies above the scale. */
static void draw_ceiling_label(const struct parts *parts, const struct plot *plot, int free,
                               enum glyph_tier tier)
{
    const struct rect *row = &parts->unit;
    bool is_above = plot->ceiling / plot->unit_divisor > plot->scale->top;
    AUTO(str_done) struct str text = {0};

    if (!(plot->ceiling > 0) || !plot->ceiling_label)
        return;
    str_addf(&text, "%s ", plot->ceiling_label);
    for (int i = 0; i < 7 && !is_above; i++)
        str_add(&text, glyph_sign(tier, GLYPH_CEILING));
    if (is_above)
        str_add(&text, "↑");
    int end = row->column + row->columns, at = end - canvas_width(str_text(&text));
    if (at >= free)
        (void)canvas_text(row->row, at, end - at, ROLE_AXIS, str_text(&text));
}

/* A band of shade with its name in the middle; a narrow last one has it at its right. */
static void draw_phase(const struct rect *row, const struct plot *plot, size_t index,
                       enum glyph_tier tier)
{
    const struct plot_phase *phase = &plot->phases[index];
    double from = phase->from > 0 ? phase->from : 0, to = phase->to < 1 ? phase->to : 1;
    int start = (int)lround(from * row->columns), end = (int)lround(to * row->columns);
    int width = canvas_width(phase->name ? phase->name : "") + 2;

    if (!(from < to))
        return;
    if (end == start)
        end++;
    canvas_fill(row->row, row->column + start, end - start, ROLE_DIM, 0,
                glyph_shade(tier, index % 2 ? 1 : 2));
    int at = start + (end - start - width) / 2;
    if (width > end - start) {
        if (index + 1 < plot->phase_count)
            return;
        at = end;
    }
    if (at + width <= row->columns + 1)
        (void)canvas_textf(row->row, row->column + at, row->columns - at, ROLE_TEXT, " %s ",
                           phase->name ? phase->name : "");
}

static void draw_cursor(const struct parts *parts, const struct plot *plot)
{
    int column = parts->field.column + plot->cursor;

    if (!has_cursor(parts, plot))
        return;
    for (int i = 0; i < parts->field.rows; i++)
        canvas_highlight(parts->field.row + i, column, 1, ROLE_SELECT);
    if (!rect_is_empty(parts->axis))
        canvas_highlight(parts->axis.row, column, 1, ROLE_SELECT);
}

void plot_draw(struct rect area, const struct plot *plot, enum glyph_tier tier)
{
    struct parts parts = divide(area, plot->phase_count);

    if (rect_is_empty(parts.field))
        return;
    draw_field(&parts, plot, tier);
    draw_value_axis(&parts, plot, tier);
    draw_time_axis(&parts, plot, tier);
    if (!rect_is_empty(parts.unit))
        draw_ceiling_label(&parts, plot, draw_legend(&parts, plot, tier), tier);
    for (size_t i = 0; i < plot->phase_count && !rect_is_empty(parts.phases); i++)
        draw_phase(&parts.phases, plot, i, tier);
    draw_cursor(&parts, plot);
}
