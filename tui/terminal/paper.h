/* paper: a terminal that only goes from line to line, as a teletype, a log or an editor's shell
 * does: what is drawn becomes lines of ASCII below those that stand there already. Pages are drawn
 * as on any screen; a page is printed whole when it is another one, else the lines that changed.
 * Pure: the caller writes. */
#ifndef TERMINAL_PAPER_H
#define TERMINAL_PAPER_H

#include <stdbool.h>

#include "base/str.h"

/* A page's size is no window's: it may be taller, and a width nobody can read is not believed. */
#define PAPER_ROWS_MIN 24
#define PAPER_ROWS_MAX 40
#define PAPER_COLUMNS_MIN 40
#define PAPER_COLUMNS_MAX 132

struct paper {
    int rows, columns;
    char *drawn, *printed;  /* cells, row by row */
    char *remark;           /* the last one, a row of cells */
    int mark, printed_mark; /* the chosen row, -1: none */
    bool is_anew;
};

/* For a terminal of that size; 0x0 is a usual one. The last column stays empty: behind it some go
 * to the next line by themselves. */
void paper_init(struct paper *paper, int terminal_rows, int terminal_columns);
void paper_done(struct paper *paper);

void paper_clear(struct paper *paper); /* begins a drawing */
void paper_put(struct paper *paper, int row, int column, char cell);
void paper_mark(struct paper *paper, int row);
void paper_row(const struct paper *paper, int row,
               struct str *into); /* as drawn, no blanks behind */

void paper_anew(struct paper *paper); /* the next page is printed whole */
/* Ends a drawing and adds the lines to print, each with its "\n"; none when nothing changed. A
 * drawing with nothing below its first row is a remark: a line of its own, printed when it differs
 * from the last one; the page stands. */
void paper_print(struct paper *paper, struct str *into);

#endif
