#include "view/picture.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "chart/plot.h"
#include "view/story.h"

void picture_init(struct picture *picture)
{
    *picture = (struct picture){.cursor = -1};
}

void picture_done(struct picture *picture)
{
    free(picture->columns[0]);
    free(picture->columns[1]);
    picture_init(picture);
    picture->columns[0] = picture->columns[1] = NULL;
}

void picture_hold(struct picture *picture, const struct model *model)
{
    picture->held_ns = picture->held_ns ? 0 : model->now_ns;
}

/* The newest column that shows something: where reading out begins. */
static int last_column(const struct picture *picture)
{
    int column = (int)picture->count - 1;
    while (column > 0 && !picture->columns[0][column].has_value)
        column--;
    return column;
}

void picture_move_cursor(struct picture *picture, int step)
{
    if (picture->count == 0)
        return;
    if (picture->cursor < 0) {
        picture->cursor = last_column(picture);
        return;
    }
    picture->cursor += step;
    if (picture->cursor < 0 || picture->cursor >= (int)picture->count)
        picture->cursor = -1;
}

struct quantity picture_quantity(const struct model *model, int metric)
{
    static const struct frame_metric none = {0};
    if (metric < 0)
        return quantity_of(&none, 0);
    struct series_total total = {0};
    if (model->metrics[metric].sum)
        series_total(model->metrics[metric].sum, &total);
    return quantity_of(&model->metrics[metric].about, total.count ? total.max : 0);
}

static void set_window(struct picture *picture, const struct model *model, size_t count)
{
    uint64_t end = model->has_end ? model->end_ns : model->now_ns;
    if (picture->held_ns && picture->held_ns < end)
        end = picture->held_ns;
    double planned = model->has_end ? 0 : story_planned(model);
    columns_window(model->zero_ns, end, model->tick_ns, (uint64_t)(planned * 1e9), count,
                   &picture->from_ns, &picture->to_ns);
    if (!picture->is_near)
        return;
    picture->to_ns = end > model->zero_ns ? end : picture->to_ns;
    if (picture->to_ns - model->zero_ns > PICTURE_NEAR_NS)
        picture->from_ns = picture->to_ns - PICTURE_NEAR_NS;
}

static void reserve(struct picture *picture, size_t count)
{
    picture->count = count;
    if (count > picture->capacity) {
        for (int i = 0; i < 2; i++)
            picture->columns[i] = mem_grow(picture->columns[i], count, sizeof(struct column));
        picture->capacity = count;
    }
    memset(picture->columns[0], 0, count * sizeof(struct column)); /* read even without a series */
}

static double largest_of(const struct column *columns, size_t count)
{
    double largest = 0;
    for (size_t i = 0; i < count; i++)
        if (columns[i].has_value && columns[i].mean > largest)
            largest = columns[i].mean;
    return largest;
}

/* What the application hands to the kernel in an instant would press the disk's own line flat on
 * the floor: then the scale is the disk's, and the other line leaves it. Twice the thresholds
 * apart, so that the scale does not jump to and fro. */
#define LINE_ABOVE 4.0
#define LINE_WITHIN 2.0

static double scale_largest(struct picture *picture, const struct plot *plot, bool has_one_scale)
{
    double tops[2] = {0, 0};
    for (size_t i = 0; i < plot->series_count; i++)
        tops[i] = largest_of(plot->series[i].columns, picture->count);
    bool was_above = picture->is_line_above;
    double times = was_above ? LINE_WITHIN : LINE_ABOVE;
    picture->is_line_above = !has_one_scale && tops[0] > 0 && tops[1] > times * tops[0];
    if (picture->is_line_above != was_above)
        picture->scale = (struct scale){0};
    return picture->is_line_above || tops[0] > tops[1] ? tops[0] : tops[1];
}

/* `which` 0: the filled one, 1: the line. */
static void add_series(struct picture *picture, struct plot *plot, const struct model *model,
                       int metric, int which, const struct picture_look *look, double factor)
{
    static const struct {
        enum theme_role role;
        bool is_filled;
    } looks[2] = {{ROLE_SERIES_1, true}, {ROLE_SERIES_2, false}};
    if (metric < 0 || !model->metrics[metric].sum)
        return;
    size_t index = plot->series_count++;
    columns_make(model->metrics[metric].sum, picture->from_ns, picture->to_ns, factor,
                 picture->count, picture->columns[index]);
    plot->series[index] = (struct plot_series){
        .label = look->labels[which] ? look->labels[which] : model->metrics[metric].about.label,
        .columns = picture->columns[index],
        .role = looks[which].role,
        .is_filled = looks[which].is_filled || look->fills_both,
        .marker = which,
    };
}

static double place_in_window(const struct picture *picture, uint64_t t_ns)
{
    if (t_ns <= picture->from_ns)
        return 0;
    if (t_ns >= picture->to_ns)
        return 1;
    return (double)(t_ns - picture->from_ns) / (double)(picture->to_ns - picture->from_ns);
}

void picture_add_phases(const struct picture *picture, struct plot *plot, const struct model *model)
{
    for (size_t i = 0; i < model->phase_count && plot->phase_count < PLOT_PHASES_MAX; i++) {
        const struct model_phase *phase = &model->phases[i];
        uint64_t end = phase->t1_ns ? phase->t1_ns : model->now_ns;
        struct plot_phase band = {.name = phase->name,
                                  .from = place_in_window(picture, phase->t0_ns),
                                  .to = place_in_window(picture, end)};
        if (band.to > band.from)
            plot->phases[plot->phase_count++] = band;
    }
}

static void name_ceiling(const struct verdict *verdict, const struct quantity *quantity, char *into,
                         size_t size)
{
    (void)snprintf(into, size, "%s %s",
                   verdict->ceiling_source[0] ? verdict->ceiling_source : "bus",
                   quantity_number(quantity, verdict->ceiling_bps).text);
}

void picture_draw_as(struct picture *picture, const struct model *model,
                     const struct picture_look *look, struct rect area, enum glyph_tier tier)
{
    int columns = plot_columns(area);
    int filled, line;
    if (columns <= 0)
        return;
    story_series(model, &filled, &line);
    struct quantity quantity = picture_quantity(model, filled);
    if (picture->divisor < quantity.divisor || picture->divisor > quantity.divisor)
        picture->scale = (struct scale){0};
    picture->divisor = quantity.divisor;
    reserve(picture, (size_t)columns);
    set_window(picture, model, (size_t)columns);
    struct plot plot = {.unit = quantity.unit,
                        .unit_divisor = quantity.divisor,
                        .from_s = model_seconds(model, picture->from_ns),
                        .to_s = model_seconds(model, picture->to_ns),
                        .scale = &picture->scale,
                        .cursor = picture->cursor,
                        .ceiling = look->ceiling,
                        .ceiling_label = look->ceiling_label,
                        .hides_times = look->hides_times};
    add_series(picture, &plot, model, filled, 0, look, quantity.factor);
    add_series(picture, &plot, model, line, 1, look, quantity.factor);
    if (!look->has_no_phases)
        picture_add_phases(picture, &plot, model);
    double largest = scale_largest(picture, &plot, look->has_one_scale);
    (void)scale_update(&picture->scale, largest / quantity.divisor, model->now_ns,
                       plot_rows(area, &plot));
    plot_draw(area, &plot, tier);
}

void picture_draw(struct picture *picture, const struct model *model, const struct verdict *verdict,
                  struct rect area, enum glyph_tier tier)
{
    struct picture_look look = {0};
    char ceiling[96];
    int filled, line;
    story_series(model, &filled, &line);
    if (verdict && verdict->ceiling_bps > 0 && filled >= 0) {
        struct quantity quantity = picture_quantity(model, filled);
        name_ceiling(verdict, &quantity, ceiling, sizeof ceiling);
        look.ceiling = verdict->ceiling_bps * quantity.factor;
        look.ceiling_label = ceiling;
    }
    picture_draw_as(picture, model, &look, area, tier);
}
