/* table: the cells of storage.table, in the order in which they are run. */
#ifndef STORAGE_TABLE_H
#define STORAGE_TABLE_H

#include "meter.h"

#include <stdbool.h>
#include <stddef.h>

#define TABLE_CELLS 8u

struct table_cell {
    const char *key; /* metric and phase */
    size_t bs;
    unsigned depth;
    bool is_random;
    unsigned write_percent;
};

extern const struct table_cell table_cells[TABLE_CELLS];

/* Metrics: METRIC_OWN + cell in bytes a second; behind them the random cells again, in requests a
 * second: cells 2, 3 and 6, 7. */
#define TABLE_IOPS(cell) (METRIC_OWN + TABLE_CELLS + (cell) / 4 * 2 + (cell) % 2)

#endif
