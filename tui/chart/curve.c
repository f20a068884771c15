#include "chart/curve.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/str.h"
#include "chart/dots.h"
#include "terminal/canvas.h"

#define GUTTER_WIDE (AXIS_LABEL_CELLS + 2)
#define GUTTER_NARROW (AXIS_LABEL_CELLS + 1)
#define WIDE_COLUMNS 60
#define NARROW_COLUMNS 14
#define X_APART 7
#define Y_APART 2
#define MEASURED "▲" /* on the axis: an edge that was measured */

struct parts {
    struct rect unit, field, axis, labels;
    int gutter;
};

static struct parts divide(struct rect area, bool hides_x)
{
    struct parts parts = {.gutter = area.columns >= WIDE_COLUMNS     ? GUTTER_WIDE
                                    : area.columns >= NARROW_COLUMNS ? GUTTER_NARROW
                                                                     : 0};
    int rows = area.rows;
    if (rows >= 4)
        parts.unit = rect_take_top(&area, 1);
    if (parts.gutter)
        (void)rect_take_left(&parts.unit, 1);
    if (rows >= 5 && !hides_x)
        parts.labels = rect_take_bottom(&area, 1);
    if (rows >= 3)
        parts.axis = rect_take_bottom(&area, 1);
    (void)rect_take_left(&area, parts.gutter);
    parts.field = area;
    return parts;
}

/* Column of the field, 0.. */
static int column_of(const struct rect *field, const struct curve *curve, double x)
{
    int column = (int)floor(ticks_place(&curve->x, x) * (field->columns - 1) + 0.5);
    return column < 0 ? 0 : column;
}

static double cells_up(const struct rect *field, const struct curve *curve, double y)
{
    return ticks_place(&curve->y, y) * field->rows;
}

static int row_of(const struct rect *field, const struct curve *curve, double y)
{
    int up = (int)ceil(cells_up(field, curve, y) - 1e-9);
    up = up < 1 ? 1 : up > field->rows ? field->rows : up;
    return field->row + field->rows - up;
}

/* Height of a landscape at a column, in cells; negative: outside its points. */
static double height_at(const struct rect *field, const struct curve *curve,
                        const struct curve_series *series, int column)
{
    double place = field->columns > 1 ? (double)column / (field->columns - 1) : 0;
    for (size_t i = 0; i < series->count; i++) {
        const struct curve_point *at = &series->points[i];
        if (column_of(field, curve, at->x) == column)
            return cells_up(field, curve, at->y);
        if (i == 0)
            continue;
        double left = ticks_place(&curve->x, at[-1].x), right = ticks_place(&curve->x, at->x);
        if (place < left || place > right || right <= left)
            continue;
        double from = cells_up(field, curve, at[-1].y), to = cells_up(field, curve, at->y);
        return from + (to - from) * (place - left) / (right - left);
    }
    return -1;
}

static void draw_filled(const struct rect *field, const struct curve *curve,
                        const struct curve_series *series, enum glyph_tier tier)
{
    for (int column = 0; column < field->columns; column++) {
        double height = height_at(field, curve, series, column);
        int eighths = (int)lround(height * 8);
        if (height < 0)
            continue;
        eighths = eighths < 1 ? 1 : eighths;
        for (int up = 0; up < field->rows && eighths > up * 8; up++) {
            int part = eighths - up * 8;
            (void)canvas_text(field->row + field->rows - 1 - up, field->column + column, 1,
                              series->role, glyph_fill_up(tier, part > 8 ? 8 : part));
        }
    }
}

static void draw_line(const struct rect *field, const struct curve *curve,
                      const struct curve_series *series, enum glyph_tier tier)
{
    enum glyph_sign marker = (enum glyph_sign)(GLYPH_MARK_1 + (series->marker & 7));
    for (size_t i = 1; i < series->count; i++) {
        const struct curve_point *a = &series->points[i - 1], *b = &series->points[i];
        dots_line(*field, ticks_place(&curve->x, a->x), ticks_place(&curve->y, a->y),
                  ticks_place(&curve->x, b->x), ticks_place(&curve->y, b->y), series->role, tier);
    }
    for (size_t i = 0; i < series->count; i++)
        (void)canvas_text(row_of(field, curve, series->points[i].y),
                          field->column + column_of(field, curve, series->points[i].x), 1,
                          series->role, glyph_sign(tier, marker));
}

static bool is_covered(const struct rect *field, const struct curve *curve, int column, int row,
                       enum theme_role *ret_role)
{
    int up = field->row + field->rows - row;
    for (size_t i = 0; i < curve->series_count; i++) {
        const struct curve_series *series = &curve->series[i];
        if (series->is_filled && height_at(field, curve, series, column) * 8 >= up * 8 - 0.5) {
            *ret_role = series->role;
            return true;
        }
    }
    return false;
}

/* An upright line over the field, cut out of what is filled. */
static void draw_upright(const struct rect *field, const struct curve *curve, int column,
                         enum theme_role role, enum glyph_tier tier)
{
    for (int row = field->row; row < field->row + field->rows; row++) {
        enum theme_role cover = role;
        bool is_cut = tier != GLYPH_ASCII && is_covered(field, curve, column, row, &cover);
        canvas_fill(row, field->column + column, 1, is_cut ? cover : role,
                    is_cut ? STYLE_REVERSE : 0, glyph_sign(tier, GLYPH_UPRIGHT));
    }
}

static void draw_edges(const struct parts *parts, const struct curve *curve, enum glyph_tier tier)
{
    for (size_t i = 0; i < curve->edge_count; i++) {
        const struct curve_edge *edge = &curve->edges[i];
        if (edge->x < curve->x.from || edge->x > curve->x.to)
            continue;
        int column = column_of(&parts->field, curve, edge->x);
        if (edge->name[0])
            draw_upright(&parts->field, curve, column, ROLE_AXIS, tier);
        else if (!rect_is_empty(parts->axis))
            (void)canvas_text(parts->axis.row, parts->field.column + column, 1, ROLE_ACCENT,
                              MEASURED);
    }
}

static void draw_ceiling_line(const struct rect *field, const struct curve *curve,
                              enum glyph_tier tier)
{
    if (curve->ceiling > 0 && curve->ceiling >= curve->y.from && curve->ceiling <= curve->y.to)
        canvas_fill(row_of(field, curve, curve->ceiling), field->column, field->columns, ROLE_GRID,
                    0, glyph_sign(tier, GLYPH_CEILING));
}

static void draw_label(const struct parts *parts, int row, const char *label)
{
    char text[AXIS_LABEL_SIZE + 1];
    int room = parts->gutter - 1;
    (void)snprintf(text, sizeof text, room > AXIS_LABEL_CELLS ? "%s " : "%s", label);
    canvas_text_right(row, parts->field.column - parts->gutter, room, ROLE_AXIS, text);
}

static void draw_y_axis(const struct parts *parts, const struct curve *curve, enum glyph_tier tier)
{
    const struct rect *field = &parts->field;
    struct tick ticks[TICKS_MAX];
    if (parts->gutter == 0)
        return;
    for (int i = 0; i < field->rows; i++)
        (void)canvas_text(field->row + i, field->column - 1, 1, ROLE_AXIS,
                          glyph_sign(tier, GLYPH_UPRIGHT));
    size_t count = ticks_make(&curve->y, field->rows, Y_APART, ticks);
    for (size_t i = 0; i < count; i++) {
        int up = (int)lround(ticks[i].at * field->rows), row = field->row + field->rows - up;
        if (up == 0 && !rect_is_empty(parts->axis))
            row = parts->axis.row;
        else if (up == 0)
            continue;
        else
            (void)canvas_text(row, field->column - 1, 1, ROLE_AXIS,
                              glyph_sign(tier, GLYPH_TICK_LEFT));
        draw_label(parts, row, ticks[i].label);
    }
}

/* Centred under its tick within [free, end); returns where it begins, `end` when it has no room. */
static int draw_x_label(const struct parts *parts, double at, const char *label, int free, int end)
{
    int width = canvas_width(label);
    int column = parts->field.column + (int)floor(at * (parts->field.columns - 1) + 0.5);
    int first = column - width / 2;
    first = first + width > end ? end - width : first;
    first = first < free && column >= free ? free : first;
    if (rect_is_empty(parts->labels) || first < free || first + width > end)
        return end;
    (void)canvas_text(parts->labels.row, first, width, ROLE_AXIS, label);
    return first;
}

/* The last one first: it has the unit. */
static void draw_x_labels(const struct parts *parts, const struct curve *curve,
                          const struct tick *ticks, size_t count)
{
    char label[AXIS_LABEL_SIZE + CURVE_NAME_MAX];
    int free = parts->field.column - parts->gutter;
    int end = parts->field.column + parts->field.columns;
    if (count == 0)
        return;
    (void)snprintf(label, sizeof label, curve->x_unit ? "%s %s" : "%s", ticks[count - 1].label,
                   curve->x_unit ? curve->x_unit : "");
    end = draw_x_label(parts, ticks[count - 1].at, label, free, end) - 1;
    for (size_t i = 0; i + 1 < count; i++) {
        int first = draw_x_label(parts, ticks[i].at, ticks[i].label, free, end);
        free = first < end ? first + canvas_width(ticks[i].label) + 1 : free;
    }
}

static void draw_x_axis(const struct parts *parts, const struct curve *curve, enum glyph_tier tier)
{
    const struct rect *field = &parts->field;
    struct tick ticks[TICKS_MAX];
    if (rect_is_empty(parts->axis))
        return;
    canvas_fill(parts->axis.row, field->column, field->columns, ROLE_AXIS, 0,
                glyph_sign(tier, GLYPH_RULE));
    if (parts->gutter)
        (void)canvas_text(parts->axis.row, field->column - 1, 1, ROLE_AXIS,
                          glyph_sign(tier, GLYPH_CORNER));
    size_t count = ticks_make(&curve->x, field->columns, X_APART, ticks);
    for (size_t i = 0; i < count; i++)
        (void)canvas_text(parts->axis.row,
                          field->column + (int)floor(ticks[i].at * (field->columns - 1) + 0.5), 1,
                          ROLE_AXIS, glyph_sign(tier, GLYPH_TICK_DOWN));
    draw_x_labels(parts, curve, ticks, count);
}

static const char *mark_of(const struct curve_series *series, enum glyph_tier tier)
{
    return series->is_filled
               ? glyph_shade(tier, 3)
               : glyph_sign(tier, (enum glyph_sign)(GLYPH_MARK_1 + (series->marker & 7)));
}

/* Unit and legend. Returns the first free column. */
static int draw_legend(const struct rect *row, const struct curve *curve, enum glyph_tier tier)
{
    int at = row->column, end = row->column + row->columns;
    at += canvas_text(row->row, at, end - at, ROLE_AXIS, curve->y_unit) + 2;
    for (size_t i = 0; i < curve->series_count; i++) {
        const struct curve_series *series = &curve->series[i];
        at += canvas_text(row->row, at, end - at, series->role, mark_of(series, tier)) + 1;
        at += canvas_text(row->row, at, end - at, ROLE_AXIS, series->label) + 2;
    }
    return at;
}

/* At the right, with a piece of its line, or an arrow when it lies above the scale. Returns where
 * it begins. */
static int draw_ceiling(const struct rect *row, const struct curve *curve, int free,
                        enum glyph_tier tier)
{
    int end = row->column + row->columns - 1;
    AUTO(str_done) struct str text = {0};
    if (!(curve->ceiling > 0) || !curve->ceiling_label)
        return end;
    str_addf(&text, "%s ", curve->ceiling_label);
    bool is_above = curve->ceiling > curve->y.to;
    for (int i = 0; i < 3 && !is_above; i++)
        str_add(&text, glyph_sign(tier, GLYPH_CEILING));
    if (is_above)
        str_add(&text, "↑");
    int at = end - canvas_width(str_text(&text));
    if (at < free)
        return end;
    (void)canvas_text(row->row, at, end - at, ROLE_AXIS, str_text(&text));
    return at - 1;
}

/* Above their lines, as far as legend and ceiling leave room. */
static void draw_edge_names(const struct parts *parts, const struct curve *curve, int free, int end)
{
    for (size_t i = 0; i < curve->edge_count; i++) {
        const struct curve_edge *edge = &curve->edges[i];
        int width = canvas_width(edge->name);
        if (width == 0 || edge->x < curve->x.from || edge->x > curve->x.to)
            continue;
        int at = parts->field.column + column_of(&parts->field, curve, edge->x) - width / 2;
        if (at + width > end)
            at = end - width;
        if (at < free && at + width > free) /* beside its line's head rather than not at all */
            at = free;
        if (at < free || at + width > end)
            continue;
        (void)canvas_text(parts->unit.row, at, width, ROLE_TEXT, edge->name);
        free = at + width + 2;
    }
}

static bool has_points(const struct curve *curve)
{
    for (size_t i = 0; i < curve->series_count; i++)
        if (curve->series[i].count)
            return true;
    return false;
}

static void draw_waiting(const struct rect *field, const struct curve *curve)
{
    const char *text = curve->waiting ? curve->waiting : "no point yet";
    int width = canvas_width(text), room = field->columns - 2;
    int at = width < room ? (field->columns - width) / 2 : 1;
    (void)canvas_text(field->row + field->rows / 2, field->column + at, width < room ? width : room,
                      ROLE_DIM, text);
}

static void draw_cursor(const struct parts *parts, const struct curve *curve, enum glyph_tier tier)
{
    const struct curve_series *series = &curve->series[0];
    if (curve->series_count == 0 || curve->cursor < 0 || curve->cursor >= (int)series->count)
        return;
    int column = column_of(&parts->field, curve, series->points[curve->cursor].x);
    draw_upright(&parts->field, curve, column, ROLE_ACCENT, tier);
}

void curve_draw(struct rect area, const struct curve *curve, enum glyph_tier tier)
{
    struct parts parts = divide(area, curve->hides_x);
    if (rect_is_empty(parts.field))
        return;
    draw_ceiling_line(&parts.field, curve, tier);
    if (!has_points(curve))
        draw_waiting(&parts.field, curve);
    for (size_t i = 0; i < curve->series_count; i++)
        if (curve->series[i].is_filled)
            draw_filled(&parts.field, curve, &curve->series[i], tier);
    draw_y_axis(&parts, curve, tier);
    draw_x_axis(&parts, curve, tier);
    draw_edges(&parts, curve, tier);
    for (size_t i = 0; i < curve->series_count; i++)
        if (!curve->series[i].is_filled)
            draw_line(&parts.field, curve, &curve->series[i], tier);
    draw_cursor(&parts, curve, tier);
    if (rect_is_empty(parts.unit))
        return;
    int free = draw_legend(&parts.unit, curve, tier);
    int end = draw_ceiling(&parts.unit, curve, free, tier);
    draw_edge_names(&parts, curve, free, end);
}
