#include "terminal/paper.h"

#include <stdlib.h>
#include <string.h>

#define USUAL_ROWS 24
#define USUAL_COLUMNS 80

static int clamp(int value, int least, int most)
{
    return value < least ? least : value > most ? most : value;
}

static size_t cells_of(const struct paper *paper)
{
    return (size_t)paper->rows * (size_t)paper->columns;
}

static char *blank(size_t cells)
{
    char *made = mem_new(cells, 1);

    memset(made, ' ', cells);
    return made;
}

void paper_init(struct paper *paper, int terminal_rows, int terminal_columns)
{
    int rows = terminal_rows > 0 ? terminal_rows : USUAL_ROWS;
    int columns = (terminal_columns > 0 ? terminal_columns : USUAL_COLUMNS) - 1;

    *paper = (struct paper){
        .rows = clamp(rows, PAPER_ROWS_MIN, PAPER_ROWS_MAX),
        .columns = clamp(columns, PAPER_COLUMNS_MIN, PAPER_COLUMNS_MAX),
        .mark = -1,
        .printed_mark = -1,
        .is_anew = true,
    };
    paper->drawn = blank(cells_of(paper));
    paper->printed = blank(cells_of(paper));
    paper->remark = blank((size_t)paper->columns);
}

void paper_done(struct paper *paper)
{
    free(paper->drawn);
    free(paper->printed);
    free(paper->remark);
    *paper = (struct paper){0};
}

void paper_clear(struct paper *paper)
{
    memset(paper->drawn, ' ', cells_of(paper));
    paper->mark = -1;
}

static char *row_of(const struct paper *paper, char *page, int row)
{
    return page + (size_t)row * (size_t)paper->columns;
}

void paper_put(struct paper *paper, int row, int column, char cell)
{
    bool is_inside = row >= 0 && row < paper->rows && column >= 0 && column < paper->columns;

    if (is_inside)
        row_of(paper, paper->drawn, row)[column] = cell >= ' ' && cell <= '~' ? cell : '?';
}

void paper_mark(struct paper *paper, int row)
{
    paper->mark = row;
}

void paper_anew(struct paper *paper)
{
    paper->is_anew = true;
}

static size_t used_of(const struct paper *paper, int row)
{
    const char *cells = row_of(paper, paper->drawn, row);
    size_t used = (size_t)paper->columns;

    while (used > 0 && cells[used - 1] == ' ')
        used--;
    return used;
}

void paper_row(const struct paper *paper, int row, struct str *into)
{
    str_add_bytes(into, row_of(paper, paper->drawn, row), used_of(paper, row));
}

static void add_line(const struct paper *paper, int row, struct str *into)
{
    paper_row(paper, row, into);
    str_add(into, "\n");
}

/* How many cells of a row differ from what was printed. */
static int changes_of(const struct paper *paper, int row)
{
    const char *now = row_of(paper, paper->drawn, row);
    const char *before = row_of(paper, paper->printed, row);
    int changes = 0;

    for (int i = 0; i < paper->columns; i++)
        changes += now[i] != before[i];
    return changes;
}

/* A row worth its line: not one that became empty, nor one that only lost its mark. */
static bool is_news(const struct paper *paper, int row)
{
    int changes = changes_of(paper, row);
    bool was_left = row == paper->printed_mark && row != paper->mark && changes == 1;

    return changes > 0 && !was_left && used_of(paper, row) > 0;
}

/* Another page: other keys in the last row, or more than half of its lines are new. */
static bool is_other_page(const struct paper *paper)
{
    int filled = 0, news = 0;

    for (int row = 0; row < paper->rows; row++) {
        filled += used_of(paper, row) > 0;
        news += is_news(paper, row);
    }
    return changes_of(paper, paper->rows - 1) > 0 || 2 * news > filled;
}

/* Empty rows only fill a screen: one stands for several, none for the last ones. */
static void add_page(const struct paper *paper, struct str *into)
{
    bool is_after_gap = true; /* from what was printed before */

    for (int row = 0; row < paper->rows; row++) {
        if (used_of(paper, row) == 0) {
            is_after_gap = true;
            continue;
        }
        if (is_after_gap)
            str_add(into, "\n");
        add_line(paper, row, into);
        is_after_gap = false;
    }
}

static void add_news(const struct paper *paper, struct str *into)
{
    for (int row = 0; row < paper->rows; row++) {
        if (is_news(paper, row))
            add_line(paper, row, into);
    }
}

static bool is_remark(const struct paper *paper)
{
    for (int row = 1; row < paper->rows; row++) {
        if (used_of(paper, row) > 0)
            return false;
    }
    return !paper->is_anew;
}

void paper_print(struct paper *paper, struct str *into)
{
    size_t columns = (size_t)paper->columns;

    if (is_remark(paper)) {
        if (memcmp(paper->remark, paper->drawn, columns) != 0)
            add_line(paper, 0, into);
        memcpy(paper->remark, paper->drawn, columns);
        return;
    }
    if (paper->is_anew || is_other_page(paper))
        add_page(paper, into);
    else
        add_news(paper, into);
    memcpy(paper->printed, paper->drawn, cells_of(paper));
    paper->printed_mark = paper->mark;
    paper->is_anew = false;
}
