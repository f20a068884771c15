#include "chart/legend.h"

#include "base/cleanup.h"
#include "base/str.h"
#include "base/units.h"
#include "terminal/canvas.h"

#define TENTHS_S 600 /* a longer picture is read to the second */

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

/* " up to 503 ↑" behind the name of a line that leaves the scale. */
static void add_above(struct str *into, const struct plot *plot, const struct plot_series *series,
                      int field_columns)
{
    double largest = 0;

    for (int i = 0; i < field_columns; i++) {
        const struct column *column = &series->columns[i];
        if (column->has_value && column->mean > largest)
            largest = column->mean;
    }
    if (series->is_filled || !(largest / plot->unit_divisor > plot->scale->top))
        return;
    str_add(into, ", up to ");
    add_value(into, plot, largest);
    str_add(into, " " PLOT_ABOVE);
}

static int draw_time(int row, int column, int columns, const struct plot *plot, int field_columns)
{
    double span_s = plot->to_s - plot->from_s;
    double at_s = plot->from_s + (plot->cursor + 0.5) / field_columns * span_s;

    if (span_s > TENTHS_S)
        return canvas_textf(row, column, columns, ROLE_ACCENT, "at %s", units_duration(at_s).text);
    return canvas_textf(row, column, columns, ROLE_ACCENT, "at %.1f s", at_s);
}

/* Unit, then the legend, or under a cursor what stands there. Returns the first free column. */
static int draw_names(const struct rect *row, int field_columns, const struct plot *plot,
                      enum glyph_tier tier)
{
    int at = row->column, end = row->column + row->columns;
    bool is_reading = plot->cursor >= 0 && plot->cursor < field_columns;

    at += canvas_text(row->row, at, end - at, ROLE_AXIS, plot->unit) + 2;
    if (is_reading)
        at += draw_time(row->row, at, end - at, plot, field_columns) + 2;
    for (size_t i = 0; i < plot->series_count && (is_reading || plot->series_count > 1); i++) {
        const struct plot_series *series = &plot->series[i];
        AUTO(str_done) struct str text = {0};
        if (plot->series_count > 1) {
            at += canvas_text(row->row, at, end - at, series->role, mark_of(series, tier)) + 1;
            str_add(&text, series->label ? series->label : "");
        }
        if (is_reading)
            add_read_out(&text, plot, &series->columns[plot->cursor]);
        else
            add_above(&text, plot, series, field_columns);
        const char *shown = str_text(&text);
        at += canvas_text(row->row, at, end - at, is_reading ? ROLE_TEXT : ROLE_AXIS,
                          shown[0] == ' ' ? shown + 1 : shown) +
              2;
    }
    return at;
}

/* At the right, with a piece of its line, or an arrow when it lies above the scale. */
static void draw_ceiling(const struct rect *row, const struct plot *plot, int free,
                         enum glyph_tier tier)
{
    bool is_above = plot->ceiling / plot->unit_divisor > plot->scale->top;
    AUTO(str_done) struct str text = {0};

    if (!(plot->ceiling > 0) || !plot->ceiling_label)
        return;
    str_addf(&text, "%s ", plot->ceiling_label);
    for (int i = 0; i < 7 && !is_above; i++)
        str_add(&text, glyph_sign(tier, GLYPH_CEILING));
    if (is_above)
        str_add(&text, PLOT_ABOVE);
    int end = row->column + row->columns - 1, at = end - canvas_width(str_text(&text));
    if (at >= free)
        (void)canvas_text(row->row, at, end - at, ROLE_AXIS, str_text(&text));
}

void legend_draw(struct rect row, int field_columns, const struct plot *plot, enum glyph_tier tier)
{
    draw_ceiling(&row, plot, draw_names(&row, field_columns, plot, tier), tier);
}
