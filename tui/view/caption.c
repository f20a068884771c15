#include "view/caption.h"

#include <stdio.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/str.h"
#include "iodyno/plugin.h"
#include "terminal/canvas.h"

#define LABEL_SIZE sizeof(((struct frame_metric *)0)->label)

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
                      size_t count, const struct panel *main, int at, struct panel_data *data)
{
    panel_gather(data, model, main);
    if (main->kind != PANEL_CURVE || at < 0 || at >= (int)data->points.count)
        return;
    double x = data->points.items[at].x;
    char label[AXIS_LABEL_SIZE];
    const char *unit = "";
    struct quantity_text number = whole(model, panel_metric(model, main->x), x, &unit);
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
        panel_gather(data, model, own[i]);
        if (at < (int)data->points.count)
            (void)put_metric(pen, model, own[i]->name, panel_metric(model, own[i]->y),
                             data->points.items[at].y);
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

void caption_draw(struct rect row, const struct model *model, const struct panel *const own[],
                  size_t count, int cursor, struct panel_data *data)
{
    struct pen pen = {row, row.column + 1};
    const struct panel *main = panel_main(own, count, model, data);
    if (rect_is_empty(row))
        return;
    if (cursor >= 0 && main->kind == PANEL_CURVE)
        put_point(&pen, model, own, count, main, cursor, data);
    else if (!model->has_end) {
        panel_gather(data, model, main);
        int last = (int)data->points.count - 1;
        put_now(&pen, model);
        if (main->kind == PANEL_CURVE)
            put_point(&pen, model, own, count, main, last, data);
    } else if (!put_results(&pen, model)) {
        panel_gather(data, model, main);
        put_point(&pen, model, own, count, main, (int)data->points.count - 1, data);
    }
}
