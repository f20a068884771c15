/* picture: the moving plot of one run: which series, which window, which scale; a pause holds the
 * window while the run goes on. State of a view, not of the run. */
#ifndef VIEW_PICTURE_H
#define VIEW_PICTURE_H

#include "chart/columns.h"
#include "chart/scale.h"
#include "diagnose/verdict.h"
#include "terminal/glyph.h"
#include "terminal/rect.h"
#include "view/quantity.h"

#define PICTURE_NEAR_NS (60ull * 1000000000) /* what the near view shows */

struct picture { /* {0} to start, but cursor: picture_init */
    struct scale scale;
    double divisor;            /* of the unit the scale is in */
    bool is_line_above;        /* the scale is that of the filled series alone */
    struct column *columns[2]; /* filled, line */
    size_t capacity, count;
    uint64_t from_ns, to_ns; /* window of the last drawing */
    uint64_t held_ns;        /* 0: moving; else the end of the held window */
    bool is_near;
    int cursor; /* column read out, -1: none */
};

void picture_init(struct picture *picture);
void picture_done(struct picture *picture);
void picture_hold(struct picture *picture, const struct model *model); /* holds or lets go */
/* The first move puts it on the newest column with a value; one beyond an end takes it away. */
void picture_move_cursor(struct picture *picture, int step);

/* Unit that axis and read-outs of the run share: that of its first series. */
struct quantity picture_quantity(const struct model *model, int metric);
/* What differs from the picture of a run that has only one. */
struct picture_look {
    double ceiling; /* as the series' values times the unit's factor; 0: none */
    const char *ceiling_label;
    const char *labels[2]; /* of the filled series and the line; NULL: as the metric says */
    bool hides_times;
    bool has_one_scale; /* both series are of one kind: none may leave it */
    bool has_no_phases;
    bool fills_both; /* they follow each other and never stand in each other's way */
};
/* The series' window and scale are those of `picture` after it. */
void picture_draw_as(struct picture *picture, const struct model *model,
                     const struct picture_look *look, struct rect area, enum glyph_tier tier);
/* Adds the phases that lie in the window. */
struct plot;
void picture_add_phases(const struct picture *picture, struct plot *plot,
                        const struct model *model);
void picture_draw(struct picture *picture, const struct model *model, const struct verdict *verdict,
                  struct rect area, enum glyph_tier tier);

#endif
