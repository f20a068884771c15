#include "view/figures.h"

#include <stdio.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/units.h"

#define HISTORY_ROWS "200"
#define CACHED_MOST 0.5 /* share from RAM; from here on a rate is not the disk's */

bool figures_column(const char *test, enum figure_column *ret_column)
{
    static const struct {
        const char *test;
        enum figure_column column;
    } columns[] = {
        {"storage.write", FIGURE_FIRST},
        {"storage.read", FIGURE_SECOND},
        {"memory.bandwidth", FIGURE_SECOND},
        {"network.tcp", FIGURE_FIRST},
    };
    for (size_t i = 0; i < ARRAY_SIZE(columns); i++)
        if (strcmp(columns[i].test, test) == 0) {
            *ret_column = columns[i].column;
            return true;
        }
    return false;
}

static struct figure *place(struct figures *figures, const char *target, enum figure_column column)
{
    for (size_t i = 0; i < figures->count; i++)
        if (figures->items[i].column == column && strcmp(figures->items[i].target, target) == 0)
            return &figures->items[i];
    if (figures->count == FIGURES_MAX)
        return NULL;
    struct figure *figure = &figures->items[figures->count++];
    *figure = (struct figure){.column = column};
    (void)snprintf(figure->target, sizeof figure->target, "%s", target);
    return figure;
}

static void put(struct figures *figures, const char *target, enum figure_column column,
                const char *rate_text, uint64_t wall_ns)
{
    double rate;
    if (!rate_text || units_parse_double(rate_text, &rate) < 0)
        return;
    struct figure *figure = place(figures, target, column);
    if (!figure || figure->wall_ns > wall_ns)
        return;
    figure->rate = rate;
    figure->wall_ns = wall_ns;
}

/* A network run has a rate of each direction it took; the rate by itself is the lower one. */
static bool put_directions(struct figures *figures, const char *target, const struct frame *row,
                           uint64_t wall_ns)
{
    const char *out = frame_pair(row, "rate_out"), *in = frame_pair(row, "rate_in");
    put(figures, target, FIGURE_FIRST, out, wall_ns);
    put(figures, target, FIGURE_SECOND, in, wall_ns);
    return out || in;
}

void figures_take(struct figures *figures, const struct frame *row)
{
    const char *test = frame_pair(row, "test"), *target = frame_pair(row, "target");
    const char *state = frame_pair(row, "state"), *rate_text = frame_pair(row, "rate");
    const char *wall_text = frame_pair(row, "wall_ns");
    enum figure_column column;
    uint64_t wall_ns;
    if (!test || !target || !state || !rate_text || !wall_text || strcmp(state, "done") != 0 ||
        !figures_column(test, &column) || units_parse_u64(wall_text, &wall_ns) < 0)
        return;
    const char *cached_text = frame_pair(row, "cached");
    double cached;
    if (cached_text && units_parse_double(cached_text, &cached) == 0 && cached >= CACHED_MOST)
        return;
    if (!put_directions(figures, target, row, wall_ns))
        put(figures, target, column, rate_text, wall_ns);
}

bool figures_find(const struct figures *figures, const struct inventory *inventory, const char *id,
                  enum figure_column column, double *ret_rate)
{
    const struct figure *newest = NULL;
    for (size_t i = 0; i < figures->count; i++) {
        const struct figure *figure = &figures->items[i];
        const struct device *device = inventory_find(inventory, figure->target);
        bool is_part = device && device->parent && strcmp(device->parent, id) == 0;
        if (figure->column != column || (!is_part && strcmp(figure->target, id) != 0))
            continue;
        if (!newest || figure->wall_ns > newest->wall_ns)
            newest = figure;
    }
    if (newest)
        *ret_rate = newest->rate;
    return newest != NULL;
}

static void on_row(void *user, const struct frame *row, const char *problem)
{
    struct figures *figures = user;
    (void)problem; /* without a history there are no last figures; the history screen says why */
    if (row) {
        figures_take(figures, row);
        peers_take(&figures->peers, row);
        return;
    }
    if (figures->changed)
        figures->changed(figures->user);
}

void figures_ask(struct figures *figures, struct core *core)
{
    const char *const arguments[] = {"query",   "list",       core_database(core),
                                     "--limit", HISTORY_ROWS, NULL};
    figures->query = history_free(figures->query);
    (void)history_ask(core_loop(core), arguments, on_row, figures, &figures->query);
}

void figures_done(struct figures *figures)
{
    figures->query = history_free(figures->query);
}
