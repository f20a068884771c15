#include "chart/dots.h"

#include <math.h>
#include <stdlib.h>

#include "base/cleanup.h"
#include "terminal/canvas.h"

#define BRAILLE_ACROSS 2
#define BRAILLE_DOWN 4

/* Bits of U+2800 by row and column of the dot. */
static const unsigned char bits[BRAILLE_DOWN][BRAILLE_ACROSS] = {
    {0x01, 0x08}, {0x02, 0x10}, {0x04, 0x20}, {0x40, 0x80}};

static void put_braille(int row, int column, enum theme_role role, unsigned pattern)
{
    const char text[4] = {(char)0xe2, (char)(0xa0 | (pattern >> 6)),
                          (char)(0x80 | (pattern & 0x3f)), '\0'};
    (void)canvas_text(row, column, 1, role, text);
}

struct pen { /* the dots of the cell the line is in */
    struct rect field;
    enum theme_role role;
    enum glyph_tier tier;
    int row, column; /* of the field; row -1: none yet */
    unsigned pattern;
};

static void flush(const struct pen *pen)
{
    if (pen->row < 0)
        return;
    int row = pen->field.row + pen->row, column = pen->field.column + pen->column;
    if (pen->tier == GLYPH_BRAILLE)
        put_braille(row, column, pen->role, pen->pattern);
    else
        (void)canvas_text(row, column, 1, pen->role,
                          pen->tier == GLYPH_ASCII ? "." : glyph_sign(pen->tier, GLYPH_DOT));
}

static void put(struct pen *pen, int x, int y, int across, int down)
{
    int row = y / down, column = x / across;
    if (row != pen->row || column != pen->column) {
        flush(pen);
        pen->row = row;
        pen->column = column;
        pen->pattern = 0;
    }
    pen->pattern |= bits[y % down * (BRAILLE_DOWN / down)][x % across];
}

void dots_line(struct rect field, double x0, double y0, double x1, double y1, enum theme_role role,
               enum glyph_tier tier)
{
    int across = tier == GLYPH_BRAILLE ? BRAILLE_ACROSS : 1;
    int down = tier == GLYPH_BRAILLE ? BRAILLE_DOWN : 1;
    int right = field.columns * across - 1, dots = field.rows * down;
    if (rect_is_empty(field))
        return;
    int steps = (int)lround(fmax(fabs(x1 - x0) * right, fabs(y1 - y0) * dots));
    struct pen pen = {.field = field, .role = role, .tier = tier, .row = -1};
    for (int i = 0; i <= steps; i++) {
        double part = steps ? (double)i / steps : 0;
        int up = (int)ceil((y0 + (y1 - y0) * part) * dots - 1e-9); /* as markers stand */
        up = up < 1 ? 1 : up > dots ? dots : up;
        put(&pen, (int)lround((x0 + (x1 - x0) * part) * right), dots - up, across, down);
    }
    flush(&pen);
}
