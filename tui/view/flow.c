#include "view/flow.h"

#include <math.h>
#include <stdlib.h>

#include "base/cleanup.h"
#include "base/str.h"
#include "chart/plot.h"
#include "report/traffic.h"
#include "terminal/canvas.h"
#include "view/flowline.h"
#include "view/lanes.h"

#define TWO_ROWS 11        /* from here on there is room for two plots */
#define LOST_ROWS_LEAST 5  /* unit, two rows, axis, times */
#define LOST_ROWS_PHASES 7 /* the same with a row for phases */
#define LOST_ROWS_MOST 16
#define PLOTS_LIKE 20 /* rows the plots like to have before the streams get theirs */
#define LANES_ROWS_LEAST 3
#define SHARE_LEAST 1.0 /* percent: the axis of a run that loses nothing */

void flow_done(struct flow *flow)
{
    for (size_t i = 0; i < ARRAY_SIZE(flow->columns); i++)
        free(flow->columns[i]);
    *flow = (struct flow){0};
}

bool flow_has(const struct model *model)
{
    struct traffic traffic;
    return traffic_of(model, &traffic);
}

/* --- what was moved --- */

static void draw_moved(struct picture *picture, const struct model *model,
                       const struct traffic *traffic, struct rect area, bool is_above_another,
                       enum glyph_tier tier)
{
    bool is_two = traffic->has[TRAFFIC_OUT] && traffic->has[TRAFFIC_IN];
    int first = traffic->has[TRAFFIC_OUT] ? TRAFFIC_OUT : TRAFFIC_IN;
    struct picture_look look = {.ceiling = traffic_ceiling(model, traffic),
                                .hides_times = is_above_another,
                                .has_one_scale = true,
                                .has_no_phases = !traffic->is_in_turns,
                                .fills_both = traffic->is_in_turns};
    AUTO(str_done) struct str label = {0};
    if (is_two) {
        look.labels[0] = traffic_way(TRAFFIC_OUT);
        look.labels[1] = traffic_way(TRAFFIC_IN);
    }
    if (look.ceiling > 0 && traffic->moved[first] >= 0) {
        struct quantity quantity = picture_quantity(model, traffic->moved[first]);
        str_addf(&label, "%s at most %s", traffic->is_udp ? "UDP" : "TCP",
                 quantity_number(&quantity, look.ceiling / quantity.factor).text);
        look.ceiling_label = str_text(&label);
    }
    picture_draw_as(picture, model, &look, area, tier);
}

/* --- what was lost --- */

static void reserve(struct flow *flow, size_t count)
{
    if (count <= flow->capacity)
        return;
    for (size_t i = 0; i < ARRAY_SIZE(flow->columns); i++)
        flow->columns[i] = mem_grow(flow->columns[i], count, sizeof(struct column));
    flow->capacity = count;
}

/* Percent of what it is a share of, column by column. False: nothing is known of it yet. */
static bool make_share(struct flow *flow, const struct picture *picture, const struct model *model,
                       const struct traffic_loss *loss, size_t count, struct column *into)
{
    if (loss->lost < 0 || loss->of < 0 || !model->metrics[loss->lost].sum ||
        !model->metrics[loss->of].sum)
        return false;
    struct column *of = flow->columns[2];
    columns_make(model->metrics[loss->lost].sum, picture->from_ns, picture->to_ns,
                 100 * loss->unit_size, count, into);
    columns_make(model->metrics[loss->of].sum, picture->from_ns, picture->to_ns, 1, count, of);
    for (size_t i = 0; i < count; i++) {
        /* A share of nothing is none: a moment without new data is a gap here and a zero above. */
        bool is_known = into[i].has_value && of[i].has_value && of[i].mean > 0;
        double share = is_known ? fmin(into[i].mean / of[i].mean, 100) : 0;
        into[i] = (struct column){is_known, share, share, share};
    }
    return true;
}

static void add_lost(struct flow *flow, struct plot *plot, const struct picture *picture,
                     const struct model *model, const struct traffic *traffic, enum traffic_way way)
{
    const struct traffic_loss *loss = &traffic->loss[way];
    struct column *columns = flow->columns[plot->series_count];
    if (!make_share(flow, picture, model, loss, picture->count, columns))
        return;
    bool is_second = way == TRAFFIC_IN && traffic->has[TRAFFIC_OUT];
    plot->series[plot->series_count++] = (struct plot_series){
        .label = loss->name,
        .columns = columns,
        .role = is_second ? ROLE_SERIES_4 : ROLE_SERIES_3,
        .is_filled = !is_second || traffic->is_in_turns,
        .marker = is_second ? 1 : 0,
    };
}

static double largest_of(const struct plot *plot, size_t count)
{
    double largest = SHARE_LEAST;
    for (size_t i = 0; i < plot->series_count; i++)
        for (size_t k = 0; k < count; k++)
            if (plot->series[i].columns[k].has_value && plot->series[i].columns[k].mean > largest)
                largest = plot->series[i].columns[k].mean;
    return largest;
}

/* The receiver counts what UDP loses: whoever sends hears of it at the end. */
static const char *waiting_for(const struct traffic *traffic)
{
    return traffic->is_udp && traffic->has[TRAFFIC_OUT]
               ? "the receiver counts what is lost, and tells it at the end"
               : NULL;
}

static void draw_lost(struct flow *flow, const struct picture *picture, const struct model *model,
                      const struct traffic *traffic, struct rect area, enum glyph_tier tier)
{
    AUTO(str_done) struct str unit = {0};
    struct plot plot = {.unit_divisor = 1,
                        .from_s = model_seconds(model, picture->from_ns),
                        .to_s = model_seconds(model, picture->to_ns),
                        .scale = &flow->lost_scale,
                        .cursor = picture->cursor,
                        .waiting = waiting_for(traffic)};
    reserve(flow, picture->count);
    for (int way = 0; way < TRAFFIC_WAYS; way++) {
        bool is_told = way == TRAFFIC_IN && traffic->is_udp && traffic->has[TRAFFIC_OUT];
        if (traffic->has[way] && !is_told) /* of UDP one metric has both */
            add_lost(flow, &plot, picture, model, traffic, (enum traffic_way)way);
    }
    const struct traffic_loss *loss =
        &traffic->loss[traffic->has[TRAFFIC_OUT] ? TRAFFIC_OUT : TRAFFIC_IN];
    if (plot.series_count < 2)
        str_addf(&unit, "%s, ", loss->name);
    str_addf(&unit, "%% of %s", loss->units);
    plot.unit = str_text(&unit);
    if (traffic->is_in_turns)
        picture_add_phases(picture, &plot, model);
    (void)scale_update(&flow->lost_scale, largest_of(&plot, picture->count), model->now_ns,
                       plot_rows(area, &plot));
    plot_draw(area, &plot, tier);
}

/* --- division --- */

static int rows_for_lost(int rows, bool has_phases)
{
    int share = rows * 2 / 5, least = has_phases ? LOST_ROWS_PHASES : LOST_ROWS_LEAST;
    share = share < least ? least : share;
    return share > LOST_ROWS_MOST ? LOST_ROWS_MOST : share;
}

static void draw_plots(struct flow *flow, struct picture *picture, const struct model *model,
                       const struct traffic *traffic, struct rect area, enum glyph_tier tier)
{
    bool is_two = area.rows >= TWO_ROWS + 2 * traffic->is_in_turns;
    struct rect lower = {0};
    if (is_two)
        lower = rect_take_bottom(&area, rows_for_lost(area.rows, traffic->is_in_turns));
    draw_moved(picture, model, traffic, area, is_two, tier);
    if (is_two)
        draw_lost(flow, picture, model, traffic, lower, tier);
}

static int figures_of(const struct model *model, const struct traffic *traffic, int rows,
                      int figure_rows)
{
    int all = flowline_rows(model, traffic);
    if (figure_rows == 0)
        return 0;
    if (rows <= figure_rows) /* no plot here */
        return rows < all ? rows : all;
    return rows >= TWO_ROWS + all || figure_rows > all ? all : figure_rows;
}

void flow_draw(struct flow *flow, struct picture *picture, const struct model *model,
               struct rect area, int figure_rows, enum glyph_tier tier)
{
    struct traffic traffic;
    if (!traffic_of(model, &traffic) || rect_is_empty(area))
        return;
    int figures = figures_of(model, &traffic, area.rows, figure_rows);
    struct rect below = rect_take_bottom(&area, figures);
    int lanes = lanes_count(model, &traffic);
    if (flow->is_by_lane && area.rows > 0) {
        lanes_draw(area, model, &traffic, picture, &flow->lanes_scale, tier);
    } else {
        struct rect streams = {0};
        if (lanes > 1 && area.rows >= PLOTS_LIKE + LANES_ROWS_LEAST)
            streams = rect_take_bottom(
                &area, lanes + 1 < area.rows - PLOTS_LIKE ? lanes + 1 : area.rows - PLOTS_LIKE);
        draw_plots(flow, picture, model, &traffic, area, tier);
        lanes_draw(streams, model, &traffic, picture, &flow->lanes_scale, tier);
    }
    flowline_draw(below, model, &traffic, tier);
}
