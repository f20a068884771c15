#include "chart/phases.h"

#include <math.h>

#include "terminal/canvas.h"

/* A band of shade with its name in the middle; a narrow last one has it at its right. */
static void draw_phase(const struct rect *row, const struct plot *plot, size_t index,
                       enum glyph_tier tier)
{
    const struct plot_phase *phase = &plot->phases[index];
    double from = phase->from > 0 ? phase->from : 0, to = phase->to < 1 ? phase->to : 1;
    int start = (int)lround(from * row->columns), end = (int)lround(to * row->columns);
    int width = canvas_width(phase->name ? phase->name : "") + 2;

    if (!(from < to))
        return;
    if (end == start)
        end++;
    canvas_fill(row->row, row->column + start, end - start, ROLE_DIM, 0,
                glyph_shade(tier, index % 2 ? 1 : 2));
    int at = start + (end - start - width) / 2;
    if (width > end - start) {
        if (index + 1 < plot->phase_count)
            return;
        at = end;
    }
    if (at + width <= row->columns + 1)
        (void)canvas_textf(row->row, row->column + at, row->columns - at, ROLE_TEXT, " %s ",
                           phase->name ? phase->name : "");
}

void phases_draw(struct rect row, const struct plot *plot, enum glyph_tier tier)
{
    for (size_t i = 0; i < plot->phase_count; i++)
        draw_phase(&row, plot, i, tier);
}
