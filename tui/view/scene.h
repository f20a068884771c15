/* scene: what the middle of a run shows: the test's own charts, its vigil, its flow over a network,
 * or the picture over time with its read-outs. Keys that move within it land here. State of a view,
 * not of the run. */
#ifndef VIEW_SCENE_H
#define VIEW_SCENE_H

#include "view/flow.h"
#include "view/picture.h"

struct scene { /* scene_init */
    struct picture picture;
    struct flow flow;
    int stop;          /* point or row of the test's own charts that is read out, -1: none */
    bool is_over_time; /* the picture is wanted although the test has a view of its own */
};

void scene_init(struct scene *scene);
void scene_done(struct scene *scene);
/* Read-outs go into the last rows of `area`: `readout_rows` of them. */
void scene_draw(struct scene *scene, const struct model *model, const struct verdict *verdict,
                struct rect area, int readout_rows, enum glyph_tier tier);
/* The test has a view of its own, which is its result too. */
bool scene_has_own(const struct model *model);
/* A verdict is worth its line: not one that says that no limit is known, of a test that has none.
 */
bool scene_is_worth(const struct model *model, const struct verdict *verdict);

void scene_move_cursor(struct scene *scene, const struct model *model, int step);
/* From the newest minute to the whole run and back; of a test with a view of its own, from that to
 * the picture over time. */
void scene_zoom(struct scene *scene, const struct model *model);
/* A row for each stream and back; false: the run has no two. */
bool scene_by_lane(struct scene *scene, const struct model *model);
/* Held or being read: it shall not go away by itself. */
bool scene_is_in_use(const struct scene *scene);

#endif
