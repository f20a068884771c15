#include "view/flowline.h"

#include <stdio.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/str.h"
#include "base/units.h"
#include "iodyno/plugin.h"
#include "report/soak.h"
#include "terminal/canvas.h"
#include "view/pen.h"
#include "view/quantity.h"

#define NARROW_COLUMNS 88 /* below, names are short */

static bool has_two(const struct traffic *traffic)
{
    return traffic->has[TRAFFIC_OUT] && traffic->has[TRAFFIC_IN];
}

static unsigned lanes_of(const struct model *model, const struct traffic *traffic)
{
    unsigned lanes = 0;
    for (int way = 0; way < TRAFFIC_WAYS; way++) {
        int metric = traffic->moved[way];
        unsigned count = metric >= 0 ? model->metrics[metric].lane_count : 0;
        if (traffic->has[way] && count > lanes)
            lanes = count;
    }
    return lanes;
}

/* Of the end that only receives the kernel tells less. */
static bool has_connections(const struct model *model)
{
    static const char *const keys[] = {"cwnd", "rtt", "busy", "jitter", "packets"};
    for (size_t i = 0; i < ARRAY_SIZE(keys); i++) {
        int metric = model_metric(model, keys[i]);
        if (metric >= 0 && model->metrics[metric].sum)
            return true;
    }
    return false;
}

int flowline_rows(const struct model *model, const struct traffic *traffic)
{
    return 2 + has_two(traffic) + has_connections(model) + (lanes_of(model, traffic) > 1);
}

/* --- a direction --- */

static void put_mark(struct pen *pen, const struct traffic *traffic, enum traffic_way way,
                     enum glyph_tier tier)
{
    bool is_filled = way == TRAFFIC_OUT || traffic->is_in_turns;
    enum theme_role role = way == TRAFFIC_OUT ? ROLE_SERIES_1 : ROLE_SERIES_2;
    if (!has_two(traffic))
        return;
    pen_text(pen, role, is_filled ? glyph_shade(tier, 3) : glyph_sign(tier, GLYPH_MARK_1 + 1));
    pen_text(pen, ROLE_TEXT, way == TRAFFIC_OUT ? " out   " : " in    ");
}

static void put_rate(struct pen *pen, const char *name, double bps, const char *unit,
                     const struct quantity *quantity, enum theme_role role)
{
    AUTO(str_done) struct str text = {0};
    str_add(&text, quantity_number(quantity, bps / quantity->factor).text);
    if (unit)
        str_addf(&text, " %s", unit);
    (void)pen_figure(pen, name, role, str_text(&text));
}

/* In turns only the one that goes on has a "now". */
static bool is_going(const struct model *model, const struct traffic *traffic, enum traffic_way way,
                     const struct series_total *total)
{
    const struct model_phase *phase =
        model->phase_count ? &model->phases[model->phase_count - 1] : NULL;
    if (model->has_end || total->count == 0)
        return false;
    return !traffic->is_in_turns || !phase || strcmp(phase->name, traffic_way(way)) == 0;
}

static void put_lost(struct pen *pen, const struct traffic *traffic, enum traffic_way way,
                     const struct traffic_sum *sum)
{
    AUTO(str_done) struct str text = {0};
    if (!sum->has_lost)
        return;
    traffic_add_lost(sum, &text);
    (void)pen_figure(pen, traffic->loss[way].name, sum->lost > 0 ? ROLE_WARN : ROLE_TEXT,
                     str_text(&text));
}

static void draw_way(struct rect row, const struct model *model, const struct traffic *traffic,
                     enum traffic_way way, enum glyph_tier tier)
{
    struct pen pen = pen_at(row);
    int metric = traffic->moved[way];
    struct series_total total = {0};
    struct traffic_sum sum;
    put_mark(&pen, traffic, way, tier);
    if (metric >= 0 && model->metrics[metric].sum)
        series_total(model->metrics[metric].sum, &total);
    traffic_sum(model, traffic, way, &sum);
    if (total.count == 0 && !sum.has_rate) {
        pen_text(&pen, ROLE_DIM, "no sample yet");
        return;
    }
    struct quantity quantity = quantity_of(&model->metrics[metric].about, total.max);
    bool is_now = is_going(model, traffic, way, &total);
    if (is_now)
        put_rate(&pen, "now", total.last * 8, quantity.unit, &quantity, ROLE_ACCENT);
    double mean = model->has_end && sum.has_rate ? sum.rate_bps : sum.bps;
    put_rate(&pen, "mean", mean, is_now ? NULL : quantity.unit, &quantity,
             is_now ? ROLE_TEXT : ROLE_ACCENT);
    (void)pen_figure(&pen, traffic_verb(way), ROLE_TEXT, units_bytes(sum.bytes).text);
    put_lost(&pen, traffic, way, &sum);
}

/* --- over time --- */

static void put_soak(struct pen *pen, const struct model *model)
{
    struct soak soak;
    char text[32];
    AUTO(str_done) struct str worst = {0};
    if (!soak_of(model, &soak))
        return;
    if (soak.link_downs) {
        (void)snprintf(text, sizeof text, "%u", soak.link_downs);
        (void)pen_figure(pen, "link down", ROLE_FAIL, text);
    }
    if (!soak.has_worst)
        return;
    str_addf(&worst, "%s at ", units_bit_rate(soak.worst_bps).text);
    soak_add_time(model_seconds(model, soak.worst_ns), &worst);
    (void)pen_figure(pen, "worst", ROLE_TEXT, str_text(&worst));
    (void)snprintf(text, sizeof text, "%llu", (unsigned long long)soak.zeros);
    (void)pen_figure(pen, "zero intervals", soak.zeros ? ROLE_WARN : ROLE_TEXT, text);
}

static void draw_spread(struct rect row, const struct model *model, const struct traffic *traffic)
{
    struct pen pen = pen_at(row);
    put_soak(&pen, model);
    int way = traffic->has[TRAFFIC_OUT] ? TRAFFIC_OUT : TRAFFIC_IN, metric = traffic->moved[way];
    if (!has_two(traffic) && metric >= 0 && model->metrics[metric].sum) {
        const struct series *series = model->metrics[metric].sum;
        struct series_total total;
        series_total(series, &total);
        struct quantity quantity = quantity_of(&model->metrics[metric].about, total.max);
        put_rate(&pen, "min", total.min * 8, NULL, &quantity, ROLE_TEXT);
        put_rate(&pen, "p95", series_percentile(series, 0.95) * 8, NULL, &quantity, ROLE_TEXT);
        put_rate(&pen, "max", total.max * 8, NULL, &quantity, ROLE_TEXT);
    }
}

/* --- the connections --- */

static void put_time(struct pen *pen, const struct model *model, const char *key, const char *name,
                     const char *spread_key)
{
    double value, spread;
    AUTO(str_done) struct str text = {0};
    if (!traffic_gauge(model, key, model->has_end, &value))
        return;
    struct quantity quantity = quantity_of(&model->metrics[model_metric(model, key)].about,
                                           value > 0 ? value * 10 : 1e-3); /* 0.9 ms */
    str_add(&text, quantity_number(&quantity, value).text);
    if (spread_key && traffic_gauge(model, spread_key, model->has_end, &spread))
        str_addf(&text, " ± %s", quantity_number(&quantity, spread).text);
    str_addf(&text, " %s", quantity.unit);
    (void)pen_figure(pen, name, ROLE_TEXT, str_text(&text));
}

/* Shares of the time; the one that holds the run back is not to be overlooked. */
static void put_shares(struct pen *pen, const struct model *model)
{
    static const struct {
        const char *key, *name, *narrow;
        bool is_limit, is_rare; /* a rare one is shown only where there is something of it */
    } shares[] = {{"busy", "busy", "busy", false, false},
                  {"rwnd_limited", "receiver-limited", "receiver-lim", true, false},
                  {"sndbuf_limited", "buffer-limited", "buffer-lim", true, true},
                  {"app_limited", "app-limited", "app-lim", true, false}};
    bool is_narrow = pen->row.columns < NARROW_COLUMNS;
    for (size_t i = 0; i < ARRAY_SIZE(shares); i++) {
        double share;
        char text[32];
        if (!traffic_gauge(model, shares[i].key, model->has_end, &share) ||
            (shares[i].is_rare && share < 0.005))
            continue;
        (void)snprintf(text, sizeof text, "%.0f %%", share * 100);
        enum theme_role role = shares[i].is_limit && share >= 0.5 ? ROLE_WARN : ROLE_TEXT;
        (void)pen_figure(pen, is_narrow ? shares[i].narrow : shares[i].name, role, text);
    }
}

static void put_count(struct pen *pen, const struct model *model, const char *key, const char *name)
{
    int metric = model_metric(model, key);
    struct series_total total = {0};
    char text[32];
    if (metric < 0 || !model->metrics[metric].sum)
        return;
    series_total(model->metrics[metric].sum, &total);
    (void)snprintf(text, sizeof text, "%.0f", total.sum);
    (void)pen_figure(pen, name, ROLE_TEXT, text);
}

static void draw_connections(struct rect row, const struct model *model,
                             const struct traffic *traffic)
{
    struct pen pen = pen_at(row);
    double cwnd;
    if (traffic->is_udp) {
        put_time(&pen, model, "jitter", "jitter", NULL);
        put_count(&pen, model, "packets", "packets");
        put_count(&pen, model, "out_of_order", "out of order");
        return;
    }
    if (traffic_gauge(model, "cwnd", model->has_end, &cwnd))
        (void)pen_figure(&pen, "cwnd", ROLE_TEXT, units_bytes(cwnd).text);
    put_time(&pen, model, "rtt", "rtt", "rtt_var");
    put_shares(&pen, model);
}

/* --- the streams --- */

static void draw_streams(struct rect row, const struct model *model, const struct traffic *traffic)
{
    struct pen pen = pen_at(row);
    const char *unit = "";
    pen_text(&pen, ROLE_DIM, traffic->is_server ? "clients  " : "streams  ");
    for (int way = 0; way < TRAFFIC_WAYS; way++) {
        int metric = traffic->moved[way];
        const struct model_metric *moved = metric >= 0 ? &model->metrics[metric] : NULL;
        if (!traffic->has[way] || !moved || !moved->sum)
            continue;
        struct series_total all;
        series_total(moved->sum, &all);
        struct quantity quantity = quantity_of(&moved->about, all.max);
        unit = quantity.unit;
        for (unsigned i = 0; i < moved->lane_count && i < MODEL_LANES; i++) {
            struct series_total total;
            unsigned number;
            char name[32];
            if (!moved->lanes[i])
                continue;
            series_total(moved->lanes[i], &total);
            (void)traffic_lane(traffic, moved->lane_numbers[i], &number);
            (void)snprintf(name, sizeof name, "%s%s%u",
                           has_two(traffic) ? traffic_way((enum traffic_way)way) : "",
                           has_two(traffic) ? " " : "", number);
            double span = (double)(total.t1_ns - total.t0_ns) / 1e9;
            double value = model->has_end && span > 0 ? total.sum / span : total.last;
            if (!pen_figure(&pen, name, ROLE_TEXT, quantity_number(&quantity, value).text))
                return;
        }
    }
    pen_text(&pen, ROLE_DIM, unit);
}

void flowline_draw(struct rect area, const struct model *model, const struct traffic *traffic,
                   enum glyph_tier tier)
{
    for (int way = 0; way < TRAFFIC_WAYS; way++)
        if (traffic->has[way] && area.rows > 0)
            draw_way(rect_take_top(&area, 1), model, traffic, (enum traffic_way)way, tier);
    if (area.rows > 0 && has_connections(model))
        draw_connections(rect_take_top(&area, 1), model, traffic);
    if (area.rows > 0)
        draw_spread(rect_take_top(&area, 1), model, traffic);
    if (area.rows > 0 && lanes_of(model, traffic) > 1)
        draw_streams(rect_take_top(&area, 1), model, traffic);
}

void flowline_add_short(const struct model *model, const struct traffic *traffic, struct str *into)
{
    const char *unit = NULL;
    for (int way = 0; way < TRAFFIC_WAYS; way++) {
        int metric = traffic->moved[way];
        struct series_total total;
        struct traffic_sum sum;
        if (!traffic->has[way] || metric < 0 || !model->metrics[metric].sum)
            continue;
        series_total(model->metrics[metric].sum, &total);
        traffic_sum(model, traffic, (enum traffic_way)way, &sum);
        struct quantity quantity = quantity_of(&model->metrics[metric].about, total.max);
        bool is_now = is_going(model, traffic, (enum traffic_way)way, &total);
        double bps = is_now ? total.last * 8 : sum.has_rate ? sum.rate_bps : sum.bps;
        if (has_two(traffic))
            str_addf(into, "%s%s ", unit ? " " : "", traffic_way((enum traffic_way)way));
        str_add(into, quantity_number(&quantity, bps / quantity.factor).text);
        unit = quantity.unit;
    }
    if (unit)
        str_addf(into, " %s", unit);
}
