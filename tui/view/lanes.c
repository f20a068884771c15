#include "view/lanes.h"

#include <math.h>
#include <stdio.h>

#include "base/cleanup.h"
#include "base/str.h"
#include "chart/columns.h"
#include "iodyno/plugin.h"
#include "terminal/canvas.h"
#include "view/quantity.h"

#define LANES_MOST (2 * MODEL_LANES)
#define HEIGHT_MOST 4
#define LABEL_CELLS 11
#define LABEL_CELLS_NARROW 7
#define FIGURE_CELLS 39 /* "now 34.9   mean 35.1   retr 12" */
#define FIGURE_CELLS_NARROW 8
#define WIDE_COLUMNS 70
#define LEAST_COLUMNS 24

struct lane {
    enum traffic_way way;
    unsigned number;
    const struct series *series;
    uint16_t lane;
};

struct bundle {
    struct lane lanes[LANES_MOST];
    int count;
    unsigned without; /* more than have a series */
};

static void gather(struct bundle *bundle, const struct model *model, const struct traffic *traffic)
{
    *bundle = (struct bundle){0};
    for (int way = 0; way < TRAFFIC_WAYS; way++) {
        int metric = traffic->moved[way];
        const struct model_metric *moved = metric >= 0 ? &model->metrics[metric] : NULL;
        if (!traffic->has[way] || !moved || !moved->sum)
            continue;
        for (unsigned i = 0; i < moved->lane_count && i < MODEL_LANES; i++) {
            struct lane *lane = &bundle->lanes[bundle->count];
            if (!moved->lanes[i])
                continue;
            *lane = (struct lane){.way = (enum traffic_way)way,
                                  .series = moved->lanes[i],
                                  .lane = moved->lane_numbers[i]};
            (void)traffic_lane(traffic, lane->lane, &lane->number);
            bundle->count++;
        }
        if (moved->lane_count > MODEL_LANES)
            bundle->without += moved->lane_count - MODEL_LANES;
    }
}

int lanes_count(const struct model *model, const struct traffic *traffic)
{
    struct bundle bundle;
    gather(&bundle, model, traffic);
    return bundle.count;
}

static double largest_of(const struct bundle *bundle)
{
    double largest = 0;
    for (int i = 0; i < bundle->count; i++) {
        struct series_total total;
        series_total(bundle->lanes[i].series, &total);
        largest = fmax(largest, total.max);
    }
    return largest;
}

static void draw_spark(struct rect area, const struct lane *lane, const struct picture *picture,
                       double top, enum theme_role role, enum glyph_tier tier)
{
    if (rect_is_empty(area) || picture->to_ns <= picture->from_ns)
        return;
    size_t count = (size_t)area.columns;
    AUTO_FREE struct column *columns = mem_new(count, sizeof *columns);
    columns_make(lane->series, picture->from_ns, picture->to_ns, 1, count, columns);
    for (size_t i = 0; i < count; i++) {
        if (!columns[i].has_value || !(columns[i].mean > 0) || !(top > 0))
            continue;
        int eighths = (int)lround(fmin(columns[i].mean / top, 1) * area.rows * 8);
        eighths = eighths ? eighths : 1;
        for (int up = 0; up < area.rows && eighths > up * 8; up++) {
            int part = eighths - up * 8 > 8 ? 8 : eighths - up * 8;
            (void)canvas_text(area.row + area.rows - 1 - up, area.column + (int)i, 1, role,
                              glyph_fill_up(tier, part));
        }
    }
}

/* Retransmits, lost or out of order of this one. */
static bool lost_of(const struct model *model, const struct traffic *traffic,
                    const struct lane *lane, double *ret_lost)
{
    int metric = traffic->loss[lane->way].lost;
    const struct model_metric *lost = metric >= 0 ? &model->metrics[metric] : NULL;
    for (unsigned i = 0; lost && lost->sum && i < lost->lane_count && i < MODEL_LANES; i++)
        if (lost->lane_numbers[i] == lane->lane && lost->lanes[i]) {
            struct series_total total;
            series_total(lost->lanes[i], &total);
            *ret_lost = total.sum;
            return true;
        }
    return false;
}

static void draw_figures(struct rect row, const struct model *model, const struct traffic *traffic,
                         const struct lane *lane, const struct quantity *quantity, bool is_wide)
{
    struct series_total total;
    double lost, span;
    AUTO(str_done) struct str text = {0};
    series_total(lane->series, &total);
    span = (double)(total.t1_ns - total.t0_ns) / 1e9;
    double mean = span > 0 ? total.sum / span : 0;
    if (!is_wide) {
        str_addf(&text, "%7s", quantity_number(quantity, model->has_end ? mean : total.last).text);
    } else {
        if (!model->has_end)
            str_addf(&text, "now %-6s ", quantity_number(quantity, total.last).text);
        str_addf(&text, "mean %-6s ", quantity_number(quantity, mean).text);
        if (lost_of(model, traffic, lane, &lost))
            str_addf(&text, "%s %.0f",
                     traffic->is_udp            ? "lost"
                     : lane->way == TRAFFIC_OUT ? "retr"
                                                : "out of order",
                     lost);
    }
    (void)canvas_text(row.row, row.column, row.columns, ROLE_TEXT, str_text(&text));
}

static void draw_lane(struct rect area, const struct model *model, const struct traffic *traffic,
                      const struct lane *lane, const struct picture *picture, double top,
                      const struct quantity *quantity, int index, enum glyph_tier tier)
{
    bool is_wide = area.columns >= WIDE_COLUMNS;
    bool is_two = traffic->has[TRAFFIC_OUT] && traffic->has[TRAFFIC_IN];
    enum theme_role role = (enum theme_role)(ROLE_SERIES_1 + index % 8);
    struct rect label = rect_take_left(&area, is_wide ? LABEL_CELLS : LABEL_CELLS_NARROW);
    struct rect figures = rect_take_right(&area, is_wide ? FIGURE_CELLS : FIGURE_CELLS_NARROW);
    const char *what = traffic->is_server ? "client " : is_two ? "" : is_wide ? "stream " : "";
    int low = label.row + label.rows - 1;
    (void)canvas_textf(low, label.column + 1, label.columns - 1, role, "%s%s%s%u", what,
                       is_two ? traffic_way(lane->way) : "", is_two ? " " : "", lane->number);
    draw_spark(area, lane, picture, top, role, tier);
    figures.row = low;
    figures.rows = 1;
    (void)rect_take_left(&figures, 1);
    draw_figures(figures, model, traffic, lane, quantity, is_wide);
}

static void draw_heading(struct rect row, const struct bundle *bundle,
                         const struct quantity *quantity, double top)
{
    AUTO(str_done) struct str text = {0};
    str_addf(&text, "%s, each row from 0 to %s", quantity->unit,
             quantity_number(quantity, top).text);
    if (bundle->without)
        str_addf(&text, "; %u more have no row", bundle->without);
    (void)canvas_text(row.row, row.column + 1, row.columns - 2, ROLE_AXIS, str_text(&text));
}

void lanes_draw(struct rect area, const struct model *model, const struct traffic *traffic,
                const struct picture *picture, struct scale *scale, enum glyph_tier tier)
{
    struct bundle bundle;
    gather(&bundle, model, traffic);
    if (area.rows < 2 || area.columns < LEAST_COLUMNS || bundle.count == 0)
        return;
    int metric = traffic->moved[bundle.lanes[0].way];
    double largest = largest_of(&bundle);
    struct quantity quantity = quantity_of(&model->metrics[metric].about, largest);
    (void)scale_update(scale, largest * quantity.factor / quantity.divisor, model->now_ns, 4);
    double top = scale->top * quantity.divisor / quantity.factor;
    draw_heading(rect_take_top(&area, 1), &bundle, &quantity, top);
    int height = area.rows / bundle.count;
    height = height < 1 ? 1 : height > HEIGHT_MOST ? HEIGHT_MOST : height;
    for (int i = 0; i < bundle.count && area.rows >= height; i++)
        draw_lane(rect_take_top(&area, height), model, traffic, &bundle.lanes[i], picture, top,
                  &quantity, i, tier);
}
