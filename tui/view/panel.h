/* panel: one chart of a test whose figures stand by lane: which metrics make it, by a table, and
 * what of a run it shows. Pure. */
#ifndef VIEW_PANEL_H
#define VIEW_PANEL_H

#include <stdbool.h>
#include <stddef.h>

#include "chart/bars.h"
#include "chart/curve.h"
#include "run/model.h"
#include "view/points.h"

#define PANEL_LIST_MOST 3

enum panel_kind {
    PANEL_PHASES, /* bars: rates by phase */
    PANEL_LANES,  /* bars: results by lane */
    PANEL_CURVE
};

struct panel {
    enum panel_kind kind;
    const char *needs;  /* metric that tells that the test is of this kind */
    const char *x, *y;  /* metrics; of bars only y */
    const char *x_name; /* behind the unit of x; NULL: none */
    const char *name;   /* of a lane's row or of a series */
    const char *absent; /* fact that says why there will be none; or NULL */
    enum ticks_kind x_kind, y_kind;
    enum theme_role role;
    bool is_filled, has_edges, has_ceiling;
    bool is_main; /* stays where not all have room */
};

/* What one drawing gathers: too large for a stack of frames. */
struct panel_data {
    struct points points;
    struct points shown;
    struct bars bars;
    struct curve curve;
};

/* The panels of a run's test, from top to bottom; how many. */
size_t panel_list(const struct model *model, const struct panel *into[PANEL_LIST_MOST]);
/* Number of a metric; -1: the test has none of that name, or `key` is NULL. */
int panel_metric(const struct model *model, const char *key);
void panel_gather(struct panel_data *data, const struct model *model, const struct panel *panel);
/* Points or rows of what was gathered last. */
int panel_stops(const struct panel_data *data);
/* The panel the cursor moves on: the main one, or the one that has something. */
const struct panel *panel_main(const struct panel *const own[], size_t count,
                               const struct model *model, struct panel_data *data);

#endif
