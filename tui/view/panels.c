#include "view/panels.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/str.h"
#include "base/units.h"
#include "iodyno/plugin.h"
#include "terminal/canvas.h"
#include "view/points.h"

#define CURVE_ROWS_LEAST 5
#define BARS_ROWS_LEAST 2
#define FIGURES_ALONE 3 /* fewer rows have no chart */
#define PANELS_MOST 3
#define SOURCE_COLUMNS 100 /* from here on the source of a peak is named */
#define LABEL_SIZE sizeof(((struct frame_metric *)0)->label)

enum panel_kind {
    PANEL_PHASES, /* bars: rates by phase */
    PANEL_LANES,  /* bars: results by lane */
    PANEL_CURVE
};

struct panel {
    enum panel_kind kind;
    const char *needs;  /* metric that tells that the test is of this kind */
    const char *x, *y;  /* metrics; of bars only y */
    const char *x_name; /* behind the unit of x; NULL: none */
    const char *name;   /* of a lane's row or of a series */
    const char *absent; /* fact that says why there will be none; or NULL */
    enum ticks_kind x_kind, y_kind;
    enum theme_role role;
    bool is_filled, has_edges, has_ceiling;
    bool is_main; /* stays where not all have room */
};

/* A test's panels stand one after the other, from top to bottom. */
static const struct panel panels[] = {
    {.kind = PANEL_PHASES, .needs = "one_rate", .y = "rate", .has_ceiling = true, .is_main = true},
    {.kind = PANEL_CURVE,
     .needs = "stair_size",
     .x = "stair_size",
     .y = "stair_rate",
     .name = "bandwidth",
     .x_kind = TICKS_BINARY,
     .y_kind = TICKS_LOG,
     .role = ROLE_SERIES_1,
     .is_filled = true,
     .has_edges = true,
     .has_ceiling = true,
     .is_main = true},
    {.kind = PANEL_CURVE,
     .needs = "stair_size",
     .x = "stair_size",
     .y = "stair_latency",
     .name = "latency",
     .x_kind = TICKS_BINARY,
     .y_kind = TICKS_LOG,
     .role = ROLE_SERIES_2,
     .is_filled = true,
     .has_edges = true},
    {.kind = PANEL_LANES, .needs = "chain_latency", .y = "chain_latency", .name = "chain"},
    {.kind = PANEL_CURVE,
     .needs = "loaded_rate",
     .x = "loaded_rate",
     .y = "loaded_latency",
     .name = "latency under load",
     .x_name = "load",
     .absent = "loaded",
     .role = ROLE_SERIES_2,
     .is_main = true},
};

/* What one drawing gathers: too large for a stack of frames. */
struct gathered {
    struct points points;
    struct points shown;
    struct bars bars;
    struct curve curve;
};

static int metric_of(const struct model *model, const char *key)
{
    int metric = key ? model_metric(model, key) : -1;
    return metric < 0 ? -1 : metric;
}

static bool applies(const struct panel *panel, const struct model *model)
{
    return metric_of(model, panel->needs) >= 0 && metric_of(model, panel->y) >= 0;
}

static size_t panels_of(const struct model *model, const struct panel *into[PANELS_MOST])
{
    size_t count = 0;
    for (size_t i = 0; i < ARRAY_SIZE(panels); i++)
        if (count < PANELS_MOST && applies(&panels[i], model))
            into[count++] = &panels[i];
    return count;
}

bool panels_has(const struct model *model)
{
    const struct panel *own[PANELS_MOST];
    return panels_of(model, own) > 0;
}

static void gather(struct gathered *gathered, const struct model *model, const struct panel *panel)
{
    memset(&gathered->bars, 0, sizeof gathered->bars);
    gathered->bars.cursor = -1;
    gathered->points.count = 0;
    if (panel->kind == PANEL_PHASES)
        points_phases(&gathered->bars, model);
    else if (panel->kind == PANEL_LANES)
        points_lanes(&gathered->bars, model, metric_of(model, panel->y), panel->name);
    else
        points_gather(&gathered->points, model, metric_of(model, panel->x),
                      metric_of(model, panel->y));
}

static bool has_data(const struct gathered *gathered)
{
    return gathered->bars.row_count || gathered->points.count;
}

/* Number of what the panel shows. */
static int stops_of(const struct gathered *gathered)
{
    return (int)(gathered->bars.row_count + gathered->points.count);
}

/* The panel the cursor moves on: the main one, or the one that has something. */
static const struct panel *main_panel(const struct panel *const own[], size_t count,
                                      const struct model *model, struct gathered *gathered)
{
    const struct panel *best = NULL;
    for (size_t i = 0; i < count; i++) {
        gather(gathered, model, own[i]);
        if (has_data(gathered) && (!best || own[i]->is_main))
            best = own[i];
        if (has_data(gathered) && own[i]->is_main)
            break;
    }
    return best ? best : own[0];
}

bool panels_has_ceiling(const struct model *model)
{
    const struct panel *own[PANELS_MOST];
    size_t count = panels_of(model, own);
    bool has_ceiling = false;
    for (size_t i = 0; i < count; i++)
        has_ceiling |= own[i]->has_ceiling;
    return has_ceiling;
}

int panels_stops(const struct model *model)
{
    const struct panel *own[PANELS_MOST];
    size_t count = panels_of(model, own);
    if (count == 0)
        return 0;
    AUTO_FREE struct gathered *gathered = mem_new(1, sizeof *gathered);
    gather(gathered, model, main_panel(own, count, model, gathered));
    return stops_of(gathered);
}

static struct quantity quantity_by_key(const struct model *model, const char *key, double largest)
{
    return quantity_of(&model->metrics[metric_of(model, key)].about, largest);
}

/* "peak 3200"; where there is room with its source. */
static void name_ceiling(const struct verdict *verdict, const struct quantity *quantity,
                         int columns, struct str *into)
{
    str_addf(into, "peak %s", quantity_number(quantity, verdict->ceiling_bps).text);
    if (verdict->ceiling_source[0] && columns >= SOURCE_COLUMNS)
        str_addf(into, " (%s)", verdict->ceiling_source);
}

static void draw_bars(struct rect area, const struct panel *panel, struct gathered *gathered,
                      const struct model *model, const struct verdict *verdict, int cursor,
                      enum glyph_tier tier)
{
    struct bars *bars = &gathered->bars;
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

static void draw_curve(struct rect area, const struct panel *panel, struct gathered *gathered,
                       const struct model *model, const struct verdict *verdict, int cursor,
                       bool hides_x, enum glyph_tier tier)
{
    struct points *points = &gathered->points;
    struct curve *curve = &gathered->curve;
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
    gathered->shown = *points;
    points_show(&gathered->shown, &x, &y);
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
                                             .points = gathered->shown.items,
                                             .count = gathered->shown.count,
                                             .role = panel->role,
                                             .is_filled = panel->is_filled};
    bound_x(curve, &gathered->shown, model, panel->x_kind);
    ticks_around(&curve->y, points_least(&gathered->shown), points_largest(&gathered->shown));
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

/* --- the line of figures --- */

struct pen {
    struct rect row;
    int column;
};

static void put(struct pen *pen, enum theme_role role, const char *text)
{
    int end = pen->row.column + pen->row.columns - 1;
    if (pen->column < end)
        pen->column += canvas_text(pen->row.row, pen->column, end - pen->column, role, text);
}

/* Name and value together, or nothing: a figure that is cut would be another figure. */
static bool put_figure(struct pen *pen, const char *name, const char *value)
{
    int end = pen->row.column + pen->row.columns - 1;
    if (pen->column + canvas_width(name) + 1 + canvas_width(value) > end)
        return false;
    put(pen, ROLE_DIM, name);
    put(pen, ROLE_DIM, " ");
    put(pen, ROLE_ACCENT, value);
    pen->column += 3;
    return true;
}

static struct quantity_text whole(const struct model *model, int metric, double value,
                                  const char **ret_unit)
{
    struct quantity quantity = quantity_of(&model->metrics[metric].about, value);
    *ret_unit = quantity.unit;
    return quantity_number(&quantity, value);
}

static bool put_metric(struct pen *pen, const struct model *model, const char *name, int metric,
                       double value)
{
    const char *unit;
    AUTO(str_done) struct str text = {0};
    struct quantity_text number = whole(model, metric, value, &unit);
    str_addf(&text, "%s %s", number.text, unit);
    return put_figure(pen, name, str_text(&text));
}

/* The curves' values at one point: "at 48K   bandwidth 178 GB/s   latency 2.4 ns". */
static void put_point(struct pen *pen, const struct model *model, const struct panel *const own[],
                      size_t count, const struct panel *main, int at, struct gathered *gathered)
{
    gather(gathered, model, main);
    if (main->kind != PANEL_CURVE || at < 0 || at >= (int)gathered->points.count)
        return;
    double x = gathered->points.items[at].x;
    char label[AXIS_LABEL_SIZE];
    const char *unit = "";
    struct quantity_text number = whole(model, metric_of(model, main->x), x, &unit);
    AUTO(str_done) struct str where = {0};
    if (main->x_kind == TICKS_BINARY)
        str_add(&where, ticks_bytes(x, label));
    else
        str_addf(&where, "%s %s", number.text, unit);
    (void)put_figure(pen, "at", str_text(&where));
    for (size_t i = 0; i < count; i++) {
        bool shares_x = own[i]->kind == PANEL_CURVE && strcmp(own[i]->x, main->x) == 0;
        if (!shares_x)
            continue;
        gather(gathered, model, own[i]);
        if (at < (int)gathered->points.count)
            (void)put_metric(pen, model, own[i]->name, metric_of(model, own[i]->y),
                             gathered->points.items[at].y);
    }
}

/* "Write, around the caches": the first word, or what follows it where that was the one before. */
static void short_name(const char *label, const char *before, char *into, size_t size)
{
    size_t head = strcspn(label, ",");
    bool is_again = label[head] && strncmp(label, before, head) == 0 && before[head] == '\0';
    (void)snprintf(into, size, "%s",
                   is_again ? label + head + 1 + (label[head + 1] == ' ') : label);
    if (!is_again)
        into[head < size ? head : size - 1] = '\0';
}

/* Results of the whole test in the order of its table, as many as fit, those of rates and times. */
static bool put_results(struct pen *pen, const struct model *model)
{
    bool has_any = false;
    char before[LABEL_SIZE] = "";
    for (size_t i = 0; i < model->metric_count; i++) {
        const struct frame_metric *about = &model->metrics[i].about;
        bool is_shown = (about->unit == DYNO_BYTE_PER_S || about->unit == DYNO_SECOND) &&
                        about->better != DYNO_NONE && !about->is_host;
        double value;
        char name[LABEL_SIZE];
        if (!is_shown || !points_value(model, (int)i, DYNO_LANE_ALL, &value))
            continue;
        short_name(about->label, before, name, sizeof name);
        (void)snprintf(before, sizeof before, "%s", name);
        if (!put_metric(pen, model, name, (int)i, value))
            break;
        has_any = true;
    }
    return has_any;
}

/* What is measured now, and what it gives. */
static void put_now(struct pen *pen, const struct model *model)
{
    const struct model_phase *phase =
        model->phase_count ? &model->phases[model->phase_count - 1] : NULL;
    unsigned headline;
    struct series_total total = {0};
    if (!phase)
        return;
    (void)put_figure(pen, "now", phase->name);
    if (model_headline(model, &headline) < 0 || !model->metrics[headline].sum)
        return;
    series_total(model->metrics[headline].sum, &total);
    if (total.count && total.t1_ns >= phase->t0_ns)
        (void)put_metric(pen, model, "moving", (int)headline, total.last);
}

static void draw_figures(struct rect row, const struct model *model,
                         const struct panel *const own[], size_t count, int cursor,
                         struct gathered *gathered)
{
    struct pen pen = {row, row.column + 1};
    const struct panel *main = main_panel(own, count, model, gathered);
    if (rect_is_empty(row))
        return;
    if (cursor >= 0 && main->kind == PANEL_CURVE)
        put_point(&pen, model, own, count, main, cursor, gathered);
    else if (!model->has_end) {
        gather(gathered, model, main);
        int last = (int)gathered->points.count - 1;
        put_now(&pen, model);
        if (main->kind == PANEL_CURVE)
            put_point(&pen, model, own, count, main, last, gathered);
    } else if (!put_results(&pen, model)) {
        gather(gathered, model, main);
        put_point(&pen, model, own, count, main, (int)gathered->points.count - 1, gathered);
    }
}

/* --- division --- */

static int rows_least(const struct panel *panel)
{
    return panel->kind == PANEL_CURVE ? CURVE_ROWS_LEAST : BARS_ROWS_LEAST;
}

/* Those that have room: all, or the one that matters. */
static size_t choose(const struct panel *own[PANELS_MOST], size_t count, int rows,
                     const struct model *model, struct gathered *gathered)
{
    int least = 0;
    for (size_t i = 0; i < count; i++) {
        gather(gathered, model, own[i]);
        least += own[i]->kind == PANEL_CURVE ? rows_least(own[i]) : bars_rows(&gathered->bars);
    }
    if (least <= rows)
        return count;
    own[0] = main_panel(own, count, model, gathered);
    return 1;
}

/* Curves share what the bars leave. */
static int rows_of(const struct panel *const own[], size_t count, size_t index, int rows,
                   const struct model *model, struct gathered *gathered)
{
    int curves = 0, bars = 0;
    for (size_t i = 0; i < count; i++) {
        gather(gathered, model, own[i]);
        curves += own[i]->kind == PANEL_CURVE;
        bars += own[i]->kind == PANEL_CURVE ? 0 : bars_rows(&gathered->bars);
    }
    gather(gathered, model, own[index]);
    if (curves == 0)
        return rows;
    if (own[index]->kind != PANEL_CURVE)
        return bars_rows(&gathered->bars);
    /* The lower one has the labels of both. */
    bool is_last = index + 1 == count;
    return is_last ? rows : (rows - bars) / curves;
}

void panels_draw(struct rect area, const struct model *model, const struct verdict *verdict,
                 int cursor, bool has_figures, enum glyph_tier tier)
{
    const struct panel *own[PANELS_MOST], *all[PANELS_MOST];
    size_t all_count = panels_of(model, all), count = all_count;
    if (count == 0 || rect_is_empty(area))
        return;
    AUTO_FREE struct gathered *gathered = mem_new(1, sizeof *gathered);
    if (has_figures && (area.rows > CURVE_ROWS_LEAST || area.rows < FIGURES_ALONE))
        draw_figures(rect_take_bottom(&area, 1), model, all, all_count, cursor, gathered);
    if (rect_is_empty(area))
        return;
    memcpy(own, all, sizeof own);
    const struct panel *main = main_panel(all, all_count, model, gathered);
    count = choose(own, count, area.rows, model, gathered);
    int rows = area.rows;
    for (size_t i = 0; i < count; i++) {
        bool is_read = own[i] == main || (main->x && own[i]->x && !strcmp(own[i]->x, main->x));
        bool hides_x = i + 1 < count && own[i]->kind == PANEL_CURVE && own[i + 1]->x &&
                       strcmp(own[i]->x, own[i + 1]->x) == 0;
        int height = rows_of(own, count, i, i + 1 == count ? area.rows : rows, model, gathered);
        struct rect part = rect_take_top(&area, height);
        int at = is_read ? cursor : -1;
        if (own[i]->kind == PANEL_CURVE)
            draw_curve(part, own[i], gathered, model, verdict, at, hides_x, tier);
        else
            draw_bars(part, own[i], gathered, model, verdict, at, tier);
    }
}
