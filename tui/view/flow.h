/* flow: a network run over time: what was moved over what was lost, on one axis of time, the
 * figures below; or a row for each stream. State of a view, not of the run. */
#ifndef VIEW_FLOW_H
#define VIEW_FLOW_H

#include "chart/columns.h"
#include "chart/scale.h"
#include "run/model.h"
#include "terminal/glyph.h"
#include "terminal/rect.h"
#include "view/picture.h"

struct flow { /* {0} to start */
    struct scale lost_scale, lanes_scale;
    struct column *columns[3]; /* lost one way, the other, and what it is a share of */
    size_t capacity;
    bool is_by_lane; /* a row for each stream is wanted */
};

void flow_done(struct flow *flow);
/* Whether this run is one that moves data over a network. */
bool flow_has(const struct model *model);
/* Window, cursor and hold are those of the picture. `figure_rows` 0: no figures. Any size. */
void flow_draw(struct flow *flow, struct picture *picture, const struct model *model,
               struct rect area, int figure_rows, enum glyph_tier tier);

#endif
