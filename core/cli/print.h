/* print: a run's lines for a person on stdout. */
#ifndef CLI_PRINT_H
#define CLI_PRINT_H

#include "run/intervals.h"
#include "run/model.h"

#define PRINT_CELLS 4 /* metrics side by side in one line */

struct print_row { /* the interval line being filled */
    uint64_t t0_ns, t1_ns;
    struct print_cell {
        bool is_sum;
        unsigned metric;
        double value;
    } cells[PRINT_CELLS];
    size_t cell_count;
};

void print_start(const struct model *model);
/* Adds an interval to the line; a new time flushes the line before it. Lanes are summed. */
void print_interval(struct print_row *row, const struct model *model,
                    const struct interval *interval);
void print_row_flush(struct print_row *row, const struct model *model);
void print_event(const struct model *model); /* the newest */

#endif
