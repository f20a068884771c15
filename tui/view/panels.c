#include "view/panels.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/str.h"
#include "terminal/canvas.h"
#include "view/caption.h"
#include "view/panel.h"

#define CURVE_ROWS_LEAST 5
#define BARS_ROWS_LEAST 2
#define FIGURES_ALONE 3    /* fewer rows have no chart */
#define SOURCE_COLUMNS 100 /* from here on the source of a peak is named */

bool panels_has(const struct model *model)
{
    const struct panel *own[PANEL_LIST_MOST];
    return panel_list(model, own) > 0;
}

bool panels_has_ceiling(const struct model *model)
{
    const struct panel *own[PANEL_LIST_MOST];
    size_t count = panel_list(model, own);
    bool has_ceiling = false;
    for (size_t i = 0; i < count; i++)
        has_ceiling |= own[i]->has_ceiling;
    return has_ceiling;
}

int panels_stops(const struct model *model)
{
    const struct panel *own[PANEL_LIST_MOST];
    size_t count = panel_list(model, own);
    if (count == 0)
        return 0;
    AUTO_FREE struct panel_data *data = mem_new(1, sizeof *data);
    panel_gather(data, model, panel_main(own, count, model, data));
    return panel_stops(data);
}

static struct quantity quantity_by_key(const struct model *model, const char *key, double largest)
{
    return quantity_of(&model->metrics[panel_metric(model, key)].about, largest);
}

/* "peak 3200"; where there is room with its source. */
static void name_ceiling(const struct verdict *verdict, const struct quantity *quantity,
                         int columns, struct str *into)
{
    str_addf(into, "peak %s", quantity_number(quantity, verdict->ceiling_bps).text);
    if (verdict->ceiling_source[0] && columns >= SOURCE_COLUMNS)
        str_addf(into, " (%s)", verdict->ceiling_source);
}

static void draw_bars(struct rect area, const struct panel *panel, struct panel_data *data,
                      const struct model *model, const struct verdict *verdict, int cursor,
                      enum glyph_tier tier)
{
    struct bars *bars = &data->bars;
    AUTO(str_done) struct str ceiling = {0};
    bool has_ceiling = panel->has_ceiling && verdict && verdict->ceiling_bps > 0;
    struct quantity quantity = quantity_by_key(model, panel->y, points_largest_bar(bars));
    points_show_bars(bars, &quantity);
    bars->unit = quantity.unit;
    bars->cursor = cursor;
    if (has_ceiling) {
        name_ceiling(verdict, &quantity, area.columns, &ceiling);
        bars->ceiling = verdict->ceiling_bps * quantity.factor / quantity.divisor;
        bars->ceiling_label = str_text(&ceiling);
    }
    bars->waiting = "memory is being taken and filled";
    bars_draw(area, bars, tier);
}

/* From the first point to the largest set that is meant to be measured, from the start on: then
 * nothing moves but the points. */
static void bound_x(struct curve *curve, const struct points *points, const struct model *model,
                    enum ticks_kind kind)
{
    const struct curve_point *last = points->count ? &points->items[points->count - 1] : NULL;
    curve->x.kind = kind;
    if (kind != TICKS_BINARY) {
        ticks_around(&curve->x, 0, last ? last->x : 0);
        return;
    }
    const char *set = model_fact(model, "set");
    double planned = set ? points_size(set) : 0;
    curve->x.from = last ? points->items[0].x : 4096;
    curve->x.to = last && last->x > planned ? last->x : planned;
    if (curve->x.to <= curve->x.from)
        curve->x.to = curve->x.from * 2;
}

static void draw_curve(struct rect area, const struct panel *panel, struct panel_data *data,
                       const struct model *model, const struct verdict *verdict, int cursor,
                       bool hides_x, enum glyph_tier tier)
{
    struct points *points = &data->points;
    struct curve *curve = &data->curve;
    AUTO(str_done) struct str ceiling = {0};
    struct quantity y = quantity_by_key(model, panel->y, points_largest(points));
    double last_x = points->count ? points->items[points->count - 1].x : 0;
    struct quantity x = panel->x_kind == TICKS_BINARY
                            ? (struct quantity){.unit = NULL, .factor = 1, .divisor = 1}
                            : quantity_by_key(model, panel->x, last_x);
    AUTO(str_done) struct str x_unit = {0};
    if (x.unit)
        str_addf(&x_unit, panel->x_name ? "%s %s" : "%s", x.unit, panel->x_name);
    const char *absent = panel->absent ? model_fact(model, panel->absent) : NULL;
    data->shown = *points;
    points_show(&data->shown, &x, &y);
    *curve = (struct curve){.x_unit = x.unit ? str_text(&x_unit) : NULL,
                            .y_unit = y.unit,
                            .cursor = cursor,
                            .hides_x = hides_x,
                            .waiting = absent ? absent : "the load comes after the chains",
                            .y = {.kind = panel->y_kind},
                            .series_count = 1};
    if (!panel->absent)
        curve->waiting = "no point yet";
    curve->series[0] = (struct curve_series){.label = panel->name,
                                             .points = data->shown.items,
                                             .count = data->shown.count,
                                             .role = panel->role,
                                             .is_filled = panel->is_filled};
    bound_x(curve, &data->shown, model, panel->x_kind);
    ticks_around(&curve->y, points_least(&data->shown), points_largest(&data->shown));
    if (panel->has_edges)
        curve->edge_count = points_edges(curve->edges, model);
    for (size_t i = 0; i < curve->edge_count && !panel->has_ceiling; i++)
        if (curve->edges[i].name[0])
            (void)snprintf(curve->edges[i].name, sizeof curve->edges[i].name, "%s", " ");
    if (panel->has_ceiling && verdict && verdict->ceiling_bps > 0) {
        name_ceiling(verdict, &y, area.columns, &ceiling);
        curve->ceiling = verdict->ceiling_bps * y.factor / y.divisor;
        curve->ceiling_label = str_text(&ceiling);
    }
    curve_draw(area, curve, tier);
}

/* --- division --- */

static int rows_least(const struct panel *panel)
{
    return panel->kind == PANEL_CURVE ? CURVE_ROWS_LEAST : BARS_ROWS_LEAST;
}

/* Those that have room: all, or the one that matters. */
static size_t choose(const struct panel *own[PANEL_LIST_MOST], size_t count, int rows,
                     const struct model *model, struct panel_data *data)
{
    int least = 0;
    for (size_t i = 0; i < count; i++) {
        panel_gather(data, model, own[i]);
        least += own[i]->kind == PANEL_CURVE ? rows_least(own[i]) : bars_rows(&data->bars);
    }
    if (least <= rows)
        return count;
    own[0] = panel_main(own, count, model, data);
    return 1;
}

/* Curves share what the bars leave. */
static int rows_of(const struct panel *const own[], size_t count, size_t index, int rows,
                   const struct model *model, struct panel_data *data)
{
    int curves = 0, bars = 0;
    for (size_t i = 0; i < count; i++) {
        panel_gather(data, model, own[i]);
        curves += own[i]->kind == PANEL_CURVE;
        bars += own[i]->kind == PANEL_CURVE ? 0 : bars_rows(&data->bars);
    }
    panel_gather(data, model, own[index]);
    if (curves == 0)
        return rows;
    if (own[index]->kind != PANEL_CURVE)
        return bars_rows(&data->bars);
    /* The lower one has the labels of both. */
    bool is_last = index + 1 == count;
    return is_last ? rows : (rows - bars) / curves;
}

void panels_draw(struct rect area, const struct model *model, const struct verdict *verdict,
                 int cursor, bool has_figures, enum glyph_tier tier)
{
    const struct panel *own[PANEL_LIST_MOST], *all[PANEL_LIST_MOST];
    size_t all_count = panel_list(model, all), count = all_count;
    if (count == 0 || rect_is_empty(area))
        return;
    AUTO_FREE struct panel_data *data = mem_new(1, sizeof *data);
    if (has_figures && (area.rows > CURVE_ROWS_LEAST || area.rows < FIGURES_ALONE))
        caption_draw(rect_take_bottom(&area, 1), model, all, all_count, cursor, data);
    if (rect_is_empty(area))
        return;
    memcpy(own, all, sizeof own);
    const struct panel *main = panel_main(all, all_count, model, data);
    count = choose(own, count, area.rows, model, data);
    int rows = area.rows;
    for (size_t i = 0; i < count; i++) {
        bool is_read = own[i] == main || (main->x && own[i]->x && !strcmp(own[i]->x, main->x));
        bool hides_x = i + 1 < count && own[i]->kind == PANEL_CURVE && own[i + 1]->x &&
                       strcmp(own[i]->x, own[i + 1]->x) == 0;
        int height = rows_of(own, count, i, i + 1 == count ? area.rows : rows, model, data);
        struct rect part = rect_take_top(&area, height);
        int at = is_read ? cursor : -1;
        if (own[i]->kind == PANEL_CURVE)
            draw_curve(part, own[i], data, model, verdict, at, hides_x, tier);
        else
            draw_bars(part, own[i], data, model, verdict, at, tier);
    }
}
