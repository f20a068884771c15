#include "view/scene.h"

#include <string.h>

#include "report/traffic.h"
#include "view/lanes.h"
#include "view/panels.h"
#include "view/readout.h"
#include "view/story.h"
#include "view/vigil.h"

#define VIGIL_PLOT_ROWS 6 /* a plot below a vigil is at least so high */

void scene_init(struct scene *scene)
{
    picture_init(&scene->picture);
    scene->flow = (struct flow){0};
    scene->stop = -1;
    scene->is_over_time = false;
}

void scene_done(struct scene *scene)
{
    picture_done(&scene->picture);
    flow_done(&scene->flow);
}

bool scene_has_own(const struct model *model)
{
    return model->has_start && (panels_has(model) || vigil_has(model));
}

bool scene_is_worth(const struct model *model, const struct verdict *verdict)
{
    bool has_limit = !scene_has_own(model) || panels_has_ceiling(model);
    return verdict->main.text[0] && (has_limit || strcmp(verdict->main.code, "unknown") != 0);
}

static void draw_read_outs(struct rect area, const struct model *model)
{
    int filled, line;
    story_series(model, &filled, &line);
    readout_draw(rect_take_top(&area, 1), model, filled, line, ROLE_SERIES_1);
    if (line >= 0)
        readout_draw(rect_take_top(&area, 1), model, line, -1, ROLE_SERIES_2);
}

static void draw_vigil(struct scene *scene, const struct model *model, struct rect area,
                       enum glyph_tier tier)
{
    area = vigil_draw(area, model, tier);
    if (area.rows > VIGIL_PLOT_ROWS)
        (void)rect_take_top(&area, 1);
    if (area.rows >= VIGIL_PLOT_ROWS)
        picture_draw(&scene->picture, model, NULL, area, tier);
}

void scene_draw(struct scene *scene, const struct model *model, const struct verdict *verdict,
                struct rect area, int readout_rows, enum glyph_tier tier)
{
    bool is_own = scene_has_own(model) && !scene->is_over_time;
    if (rect_is_empty(area))
        return;
    if (is_own && panels_has(model)) {
        panels_draw(area, model, verdict, scene->stop, readout_rows > 0, tier);
        return;
    }
    if (is_own) {
        draw_vigil(scene, model, area, tier);
        return;
    }
    if (flow_has(model)) {
        flow_draw(&scene->flow, &scene->picture, model, area, readout_rows, tier);
        return;
    }
    struct rect below = rect_take_bottom(&area, readout_rows);
    if (!rect_is_empty(area))
        picture_draw(&scene->picture, model, verdict, area, tier);
    draw_read_outs(below, model);
}

void scene_move_cursor(struct scene *scene, const struct model *model, int step)
{
    if (scene->is_over_time || !scene_has_own(model)) {
        picture_move_cursor(&scene->picture, step);
        return;
    }
    int stops = panels_stops(model);
    if (scene->stop < 0)
        scene->stop = step > 0 ? 0 : stops - 1;
    else
        scene->stop += step;
    if (scene->stop >= stops)
        scene->stop = -1;
}

void scene_zoom(struct scene *scene, const struct model *model)
{
    if (scene_has_own(model))
        scene->is_over_time = !scene->is_over_time;
    else
        scene->picture.is_near = !scene->picture.is_near;
}

bool scene_by_lane(struct scene *scene, const struct model *model)
{
    struct traffic traffic;
    if (!traffic_of(model, &traffic) || lanes_count(model, &traffic) < 2)
        return false;
    scene->flow.is_by_lane = !scene->flow.is_by_lane;
    return true;
}

bool scene_is_in_use(const struct scene *scene)
{
    return scene->picture.held_ns || scene->picture.cursor >= 0 || scene->stop >= 0;
}
