#include "view/readout.h"

#include <stdio.h>
#include <string.h>

#include "base/cleanup.h"
#include "iodyno/plugin.h"
#include "terminal/canvas.h"
#include "view/picture.h"

#define LABEL_CELLS 11
#define LABEL_CELLS_WIDE 20
#define WIDE_COLUMNS 100

struct pen { /* writes label, number and unit side by side */
    struct rect row;
    int column;
};

static void put(struct pen *pen, enum theme_role role, const char *text)
{
    int end = pen->row.column + pen->row.columns - 1;
    if (pen->column < end)
        pen->column += canvas_text(pen->row.row, pen->column, end - pen->column, role, text);
}

static void put_number(struct pen *pen, const char *label, const struct quantity *quantity,
                       double value, enum theme_role role)
{
    char name[32], number[32];
    (void)snprintf(name, sizeof name, "%s ", label);
    (void)snprintf(number, sizeof number, "%5s", quantity_number(quantity, value).text);
    /* A figure that is cut would be another figure. */
    if (pen->column + (int)strlen(name) + (int)strlen(number) >= pen->row.column + pen->row.columns)
        return;
    put(pen, ROLE_DIM, name);
    put(pen, role, number);
    put(pen, ROLE_DIM, "   ");
}

/* Who moved it, in one word, where the label would not fit. */
static const char *short_label(const struct frame_metric *about)
{
    static const struct {
        const char *key, *word;
    } words[] = {{"device_written", "device"},
                 {"device_read", "device"},
                 {"written", "test"},
                 {"read", "test"},
                 {"sent", "sent"},
                 {"received", "received"}};
    for (size_t i = 0; i < ARRAY_SIZE(words); i++)
        if (strcmp(words[i].key, about->key) == 0)
            return words[i].word;
    return about->label;
}

/* Mean, least and largest of a series from the moment on at which its companion began: what the
 * disk did before the test's own part is not the test's. */
static void sum_up(const struct series *series, const struct series *companion,
                   struct series_total *ret_total)
{
    struct series_total begin;
    struct series_bucket part;
    series_total(series, ret_total);
    if (!companion)
        return;
    series_total(companion, &begin);
    if (begin.count == 0 || begin.t0_ns <= ret_total->t0_ns || begin.t0_ns >= ret_total->t1_ns)
        return;
    series_columns(series, begin.t0_ns, ret_total->t1_ns, 1, &part);
    if (part.count == 0)
        return;
    ret_total->t0_ns = part.t0_ns;
    ret_total->t1_ns = part.t1_ns;
    ret_total->sum = part.sum;
    ret_total->min = part.min;
    ret_total->max = part.max;
    ret_total->count = part.count;
}

static double mean_of(const struct series *series, const struct series_total *total)
{
    double span = (double)(total->t1_ns - total->t0_ns) / 1e9;
    if (series_kind(series) == DYNO_DELTA)
        return span > 0 ? total->sum / span : 0;
    return total->count > 0 ? total->sum / (double)total->count : 0;
}

static void put_label(struct pen *pen, const struct frame_metric *about, enum theme_role role)
{
    char label[64];
    bool is_wide = pen->row.columns >= WIDE_COLUMNS;
    int cells = is_wide ? LABEL_CELLS_WIDE : LABEL_CELLS;
    (void)snprintf(label, sizeof label, "%-*.*s ", cells, cells,
                   is_wide ? about->label : short_label(about));
    put(pen, role, label);
}

void readout_draw(struct rect row, const struct model *model, int metric, int companion,
                  enum theme_role role)
{
    if (metric < 0 || rect_is_empty(row))
        return;
    struct pen pen = {row, row.column + 1};
    const struct series *series = model->metrics[metric].sum;
    put_label(&pen, &model->metrics[metric].about, role);
    if (!series) {
        put(&pen, ROLE_DIM, "no sample yet");
        return;
    }
    struct series_total total;
    sum_up(series, companion < 0 ? NULL : model->metrics[companion].sum, &total);
    struct quantity quantity = picture_quantity(model, metric);
    char text[64];
    (void)snprintf(text, sizeof text, "%5s %s   ", quantity_number(&quantity, total.last).text,
                   quantity.unit);
    put(&pen, ROLE_ACCENT, text);
    put_number(&pen, "mean", &quantity, mean_of(series, &total), ROLE_TEXT);
    if (model->stalls) {
        (void)snprintf(text, sizeof text, "stalls %u   ", model->stalls);
        put(&pen, ROLE_WARN, text);
    }
    put_number(&pen, "min", &quantity, total.min, ROLE_TEXT);
    put_number(&pen, "p95", &quantity, series_percentile(series, 0.95), ROLE_TEXT);
    put_number(&pen, "max", &quantity, total.max, ROLE_TEXT);
}
