#include "chart/gauge.h"

#include <math.h>

#include "terminal/canvas.h"

void gauge_draw(struct rect area, double fraction, enum theme_role role, enum glyph_tier tier)
{
    if (rect_is_empty(area))
        return;
    double share = fraction > 0 ? fraction < 1 ? fraction : 1 : 0; /* NaN is nothing */
    int eighths = (int)lround(share * area.columns * 8);
    int full = eighths / 8, part = eighths % 8;

    for (int i = 0; i < area.rows; i++) {
        int row = area.row + i;
        canvas_fill(row, area.column, full, role, 0, glyph_fill_right(tier, 8));
        if (full == area.columns)
            continue;
        (void)canvas_text(row, area.column + full, 1, role, glyph_fill_right(tier, part));
        int rest = full + (part > 0);
        canvas_fill(row, area.column + rest, area.columns - rest, ROLE_GRID, 0,
                    glyph_sign(tier, GLYPH_DOT));
    }
}
