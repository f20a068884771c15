/* bars: labelled horizontal bars. The first value of a row is the bar, further ones are markers at
 * the end of a thin line; each is also a number, points below points. A ceiling is an upright line,
 * and then the best value's share of it stands at the right. Draws from state given by its caller;
 * knows no run. What has no room falls away: shares, names of the values, bars; of too many rows
 * those around the cursor or the active one stay. */
#ifndef CHART_BARS_H
#define CHART_BARS_H

#include <stdbool.h>
#include <stddef.h>

#include "terminal/glyph.h"
#include "terminal/rect.h"
#include "terminal/theme.h"

#define BARS_VALUES_MAX 3
#define BARS_ROWS_MAX 32
#define BARS_NAME_MAX 32

struct bars_row {
    char label[BARS_NAME_MAX];
    bool is_active; /* being measured now */
    bool has_value[BARS_VALUES_MAX];
    double values[BARS_VALUES_MAX]; /* in the shown unit */
};
struct bars {
    const char *unit;
    char names[BARS_VALUES_MAX][BARS_NAME_MAX]; /* of the values; "" of a single one */
    size_t value_count;
    struct bars_row rows[BARS_ROWS_MAX];
    size_t row_count;
    double ceiling; /* 0: none */
    const char *ceiling_label;
    const char *waiting; /* said while there is no row */
    int cursor;          /* row, -1: none */
};

/* Rows the bars need, their heading included. */
int bars_rows(const struct bars *bars);
void bars_draw(struct rect area, const struct bars *bars, enum glyph_tier tier);

#endif
