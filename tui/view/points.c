#include "view/points.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/str.h"
#include "base/units.h"
#include "iodyno/plugin.h"

bool points_value(const struct model *model, int metric, unsigned lane, double *ret_value)
{
    for (size_t i = 0; metric >= 0 && i < model->result_count; i++) {
        const struct model_result *result = &model->results[i];
        if (result->metric != metric || result->lane != lane || !isfinite(result->value))
            continue;
        *ret_value = result->value;
        return true;
    }
    return false;
}

static int by_x(const void *a, const void *b)
{
    const struct curve_point *left = a, *right = b;
    return left->x < right->x ? -1 : left->x > right->x;
}

void points_gather(struct points *points, const struct model *model, int x, int y)
{
    points->count = 0;
    for (size_t i = 0; x >= 0 && i < model->result_count; i++) {
        const struct model_result *result = &model->results[i];
        struct curve_point *point = &points->items[points->count];
        bool is_x = result->metric == x && result->lane != DYNO_LANE_ALL;
        if (!is_x || points->count == POINTS_MAX || !isfinite(result->value) ||
            !points_value(model, y, result->lane, &point->y))
            continue;
        point->x = result->value;
        points->count++;
    }
    qsort(points->items, points->count, sizeof points->items[0], by_x);
}

void points_show(struct points *points, const struct quantity *x, const struct quantity *y)
{
    for (size_t i = 0; i < points->count; i++) {
        points->items[i].x *= x->factor / x->divisor;
        points->items[i].y *= y->factor / y->divisor;
    }
}

double points_least(const struct points *points)
{
    double least = points->count ? points->items[0].y : 0;
    for (size_t i = 1; i < points->count; i++)
        least = fmin(least, points->items[i].y);
    return least;
}

double points_largest(const struct points *points)
{
    double largest = 0;
    for (size_t i = 0; i < points->count; i++)
        largest = fmax(largest, points->items[i].y);
    return largest;
}

void points_lanes(struct bars *bars, const struct model *model, int metric, const char *name)
{
    bars->value_count = 1;
    for (size_t i = 0; metric >= 0 && i < model->result_count; i++) {
        const struct model_result *result = &model->results[i];
        if (result->metric != metric || result->lane == DYNO_LANE_ALL ||
            bars->row_count == BARS_ROWS_MAX)
            continue;
        struct bars_row *row = &bars->rows[bars->row_count++];
        AUTO(str_done) struct str text = {0};
        str_addf(&text, "%u %s%s", result->lane, name, result->lane == 1 ? "" : "s");
        (void)snprintf(row->label, sizeof row->label, "%s", str_text(&text));
        row->has_value[0] = true;
        row->values[0] = result->value;
    }
}

/* --- bars by phase --- */

struct split { /* of a phase's name */
    char row[BARS_NAME_MAX], value[BARS_NAME_MAX];
};

static bool copy_part(char into[BARS_NAME_MAX], const char *text, size_t size)
{
    if (size == 0 || size >= BARS_NAME_MAX)
        return false;
    memcpy(into, text, size);
    into[size] = '\0';
    return true;
}

/* "read, 2 threads" or "50m rd"; anything else is a preparation. */
static bool split_name(const char *name, struct split *ret_split)
{
    const char *comma = strstr(name, ", "), *blank = strchr(name, ' ');
    if (comma)
        return copy_part(ret_split->row, name, (size_t)(comma - name)) &&
               copy_part(ret_split->value, comma + 2, strlen(comma + 2));
    return blank && name[0] >= '0' && name[0] <= '9' &&
           copy_part(ret_split->value, name, (size_t)(blank - name)) &&
           copy_part(ret_split->row, blank + 1, strlen(blank + 1));
}

static struct bars_row *row_named(struct bars *bars, const char *label)
{
    for (size_t i = 0; i < bars->row_count; i++)
        if (strcmp(bars->rows[i].label, label) == 0)
            return &bars->rows[i];
    if (bars->row_count == BARS_ROWS_MAX)
        return NULL;
    struct bars_row *row = &bars->rows[bars->row_count++];
    (void)snprintf(row->label, sizeof row->label, "%s", label);
    return row;
}

static size_t value_named(struct bars *bars, const char *name)
{
    size_t i = 0;
    while (i < bars->value_count && strcmp(bars->names[i], name) != 0)
        i++;
    if (i == bars->value_count && i < BARS_VALUES_MAX) {
        (void)snprintf(bars->names[i], sizeof bars->names[i], "%s", name);
        bars->value_count++;
    }
    return i;
}

/* Mean rate of the DELTA of the test that moved most within the phase; negative: none did. Memory
 * that is taken before is none: it has a phase of its own. */
static double rate_within(const struct model *model, const struct model_phase *phase)
{
    double best = -1;
    uint64_t end_ns = phase->t1_ns ? phase->t1_ns : model->now_ns;
    for (size_t i = 0; i < model->metric_count; i++) {
        const struct model_metric *metric = &model->metrics[i];
        struct series_bucket part;
        if (metric->about.kind != DYNO_DELTA || metric->about.unit != DYNO_BYTE || !metric->sum ||
            metric->about.is_host || end_ns <= phase->t0_ns)
            continue;
        series_columns(metric->sum, phase->t0_ns, end_ns, 1, &part);
        if (part.count == 0 || part.t1_ns <= part.t0_ns)
            continue;
        best = fmax(best, part.sum * 1e9 / (double)(part.t1_ns - part.t0_ns));
    }
    return best;
}

/* Number before " MB/s" behind "2 threads " in "1 thread 16424 MB/s (…); 2 threads 33127 MB/s". */
static double told_median(const char *fact, const char *value)
{
    size_t size = strlen(value);
    for (const char *at = fact; at; at = strstr(at, "; ") ? strstr(at, "; ") + 2 : NULL) {
        char digits[32];
        double rate;
        if (strncmp(at, value, size) != 0 || at[size] != ' ')
            continue;
        const char *number = at + size + 1;
        size_t count = strspn(number, "0123456789.");
        if (count == 0 || count >= sizeof digits || !str_starts(number + count, " MB/s"))
            continue;
        memcpy(digits, number, count);
        digits[count] = '\0';
        if (units_parse_double(digits, &rate) == 0)
            return rate * 1e6;
    }
    return -1;
}

static double rate_of_phase(const struct model *model, const struct model_phase *phase,
                            const struct split *split)
{
    AUTO(str_done) struct str key = {0};
    str_addf(&key, "kernel-%s", split->row);
    const char *fact = model_fact(model, str_text(&key));
    double told = fact ? told_median(fact, split->value) : -1;
    return told >= 0 ? told : rate_within(model, phase);
}

void points_phases(struct bars *bars, const struct model *model)
{
    for (size_t i = 0; i < model->phase_count; i++) {
        const struct model_phase *phase = &model->phases[i];
        struct split split;
        if (!split_name(phase->name, &split))
            continue;
        struct bars_row *row = row_named(bars, split.row);
        size_t value = value_named(bars, split.value);
        if (!row || value == BARS_VALUES_MAX)
            continue;
        row->is_active = phase->t1_ns == 0 && !model->has_end;
        double rate = rate_of_phase(model, phase, &split);
        row->has_value[value] = rate >= 0;
        row->values[value] = rate >= 0 ? rate : 0;
    }
}

void points_show_bars(struct bars *bars, const struct quantity *quantity)
{
    for (size_t i = 0; i < bars->row_count; i++)
        for (size_t k = 0; k < bars->value_count; k++)
            bars->rows[i].values[k] *= quantity->factor / quantity->divisor;
}

double points_largest_bar(const struct bars *bars)
{
    double largest = 0;
    for (size_t i = 0; i < bars->row_count; i++)
        for (size_t k = 0; k < bars->value_count; k++)
            if (bars->rows[i].has_value[k])
                largest = fmax(largest, bars->rows[i].values[k]);
    return largest;
}

/* --- edges --- */

double points_size(const char *text)
{
    char word[48];
    uint64_t bytes;
    size_t digits = strspn(text, "0123456789."), at = digits + (text[digits] == ' ');
    size_t unit = strspn(text + at, "KMGTiB");
    if (digits == 0 || digits + unit >= sizeof word)
        return 0;
    memcpy(word, text, digits);
    memcpy(word + digits, text + at, unit);
    word[digits + unit] = '\0';
    return units_parse_size(word, &bytes) == 0 ? (double)bytes : 0;
}

/* "L1 48 KiB, L2 2 MiB, …" */
static size_t told_edges(struct curve_edge *edges, size_t count, const char *fact)
{
    for (const char *at = fact; at && count < CURVE_EDGES_MAX;
         at = strstr(at, ", ") ? strstr(at, ", ") + 2 : NULL) {
        char label[AXIS_LABEL_SIZE];
        if (at[0] != 'L' || at[1] < '0' || at[1] > '9' || at[2] != ' ')
            continue;
        double bytes = points_size(at + 3);
        if (!(bytes > 0))
            continue;
        struct curve_edge *edge = &edges[count++];
        edge->x = bytes;
        (void)snprintf(edge->name, sizeof edge->name, "%.2s %s", at, ticks_bytes(bytes, label));
    }
    return count;
}

size_t points_edges(struct curve_edge edges[CURVE_EDGES_MAX], const struct model *model)
{
    const char *caches = model_fact(model, "caches");
    size_t count = told_edges(edges, 0, caches ? caches : "");
    int measured = model_metric(model, "edge");
    for (size_t i = 0; measured >= 0 && i < model->result_count && count < CURVE_EDGES_MAX; i++) {
        const struct model_result *result = &model->results[i];
        if (result->metric == measured && result->lane != DYNO_LANE_ALL)
            edges[count++] = (struct curve_edge){.x = result->value};
    }
    return count;
}
