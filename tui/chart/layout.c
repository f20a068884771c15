#include "chart/layout.h"

#include <stdbool.h>
#include <stddef.h>

#define PLOT_ROWS_LEAST 12 /* of the screen, for a plot */
#define PLOT_COLUMNS_LEAST 40
#define PLOT_HEIGHT_LEAST 6 /* unit, three rows, axis, times */
#define CELL_COLUMNS 40     /* a plot of a grid likes to be at least so large */
#define CELL_ROWS 10

enum part { PART_VERDICT, PART_PHASES, PART_RULE, PART_FOOTER, PART_READOUT, PART_PROGRESS, PARTS };

/* Wished rows of each part by the height of the screen; the first row that fits holds. */
static const struct {
    int from_rows;
    int rows[PARTS];
} wishes[] = {
    {40, {[PART_VERDICT] = 3, 1, 1, 1, 2, 1}},
    {24, {[PART_VERDICT] = 2, 1, 1, 1, 2, 1}},
    {20, {[PART_VERDICT] = 1, 1, 1, 1, 2, 1}},
    {0, {[PART_VERDICT] = 1, 1, 1, 1, 1, 1}},
};

static int total(const int rows[PARTS])
{
    int sum = 0;

    for (int i = 0; i < PARTS; i++)
        sum += rows[i];
    return sum;
}

/* Takes parts away in their order until the rest fits. */
static void shed(int rows[PARTS], int room)
{
    for (int i = 0; i < PARTS && total(rows) > room; i++)
        rows[i] = 0;
}

void layout_run(int rows, int columns, struct layout_run *ret_layout)
{
    struct rect area = {0, 0, rows > 0 ? rows : 0, columns > 0 ? columns : 0};
    bool has_plot = rows >= PLOT_ROWS_LEAST && columns >= PLOT_COLUMNS_LEAST;
    struct layout_run layout = {.title = rect_take_top(&area, 1)};
    int parts[PARTS];
    size_t wish = 0;

    while (wishes[wish].from_rows > area.rows + 1)
        wish++;
    for (int i = 0; i < PARTS; i++)
        parts[i] = wishes[wish].rows[i];
    if (!has_plot)
        parts[PART_PHASES] = 0;
    shed(parts, area.rows - (has_plot ? PLOT_HEIGHT_LEAST : 0));

    layout.rule = rect_take_top(&area, parts[PART_RULE]);
    layout.footer = rect_take_bottom(&area, parts[PART_FOOTER]);
    if (!has_plot) {
        layout.readout = rect_take_top(&area, parts[PART_READOUT]);
        layout.progress = rect_take_top(&area, parts[PART_PROGRESS]);
        layout.verdict = rect_take_top(&area, parts[PART_VERDICT]);
    } else {
        layout.verdict = rect_take_bottom(&area, parts[PART_VERDICT]);
        layout.progress = rect_take_bottom(&area, parts[PART_PROGRESS]);
        layout.readout = rect_take_bottom(&area, parts[PART_READOUT]);
        layout.plot = area;
        layout.phases = rect_take_bottom(&area, parts[PART_PHASES]);
    }
    *ret_layout = layout;
}

/* How near the smaller side of a cell comes to what a plot likes. */
static double comfort(struct rect area, int across, int down)
{
    double width = (double)area.columns / across / CELL_COLUMNS;
    double height = (double)area.rows / down / CELL_ROWS;

    return width < height ? width : height;
}

int layout_grid(struct rect area, int count, struct rect ret_cells[LAYOUT_GRID_MAX])
{
    int across = 1;

    if (count > LAYOUT_GRID_MAX)
        count = LAYOUT_GRID_MAX;
    if (count <= 0 || rect_is_empty(area))
        return 0;
    for (int i = 2; i <= count; i++) {
        if (comfort(area, i, (count + i - 1) / i) >
            comfort(area, across, (count + across - 1) / across))
            across = i;
    }
    int down = (count + across - 1) / across;
    for (int i = 0; i < count; i++) {
        int line = i / across, place = i % across;
        int in_line = line == down - 1 ? count - across * (down - 1) : across;
        int top = area.rows * line / down, left = area.columns * place / in_line;
        ret_cells[i] =
            (struct rect){area.row + top, area.column + left, area.rows * (line + 1) / down - top,
                          area.columns * (place + 1) / in_line - left};
    }
    return count;
}
