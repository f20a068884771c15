/* figures: the last rates of each device, from the rows of the history. Pure but for figures_ask.
 */
#ifndef VIEW_FIGURES_H
#define VIEW_FIGURES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core.h"
#include "view/peers.h"

enum figure_column { FIGURE_FIRST, FIGURE_SECOND }; /* write and read; out and in */

struct figure {
    char target[64];
    enum figure_column column;
    double rate; /* B/s or bit/s */
    uint64_t wall_ns;
};

#define FIGURES_MAX 128

struct figures { /* {0}: none */
    struct figure items[FIGURES_MAX];
    size_t count;
    struct peers peers; /* from the same rows */
    struct history_query *query;
    void (*changed)(void *user);
    void *user;
};

/* Takes one row; only a finished run with a rate, newer than the known one, counts, and no read
 * that came from RAM for the most part. */
void figures_take(struct figures *figures, const struct frame *row);
/* Which column a test's rate stands in. False: in none. */
bool figures_column(const char *test, enum figure_column *ret_column);
/* The newest figure of the device or of its partitions. False: none is known. */
bool figures_find(const struct figures *figures, const struct inventory *inventory, const char *id,
                  enum figure_column column, double *ret_rate);

/* Asks the history; `changed` is called when the answer is in. */
void figures_ask(struct figures *figures, struct core *core);
void figures_done(struct figures *figures);

#endif
