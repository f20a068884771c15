#include "chart/bigword.h"

#include <string.h>

#include "terminal/canvas.h"

#define LETTER_COLUMNS 5

/* One letter: five rows of five bits, the left one highest. */
struct letter {
    unsigned char rows[BIGWORD_ROWS];
};
#define ROWS(a, b, c, d, e)                                                                        \
    {                                                                                              \
        {                                                                                          \
            0x##a, 0x##b, 0x##c, 0x##d, 0x##e                                                      \
        }                                                                                          \
    }

/* Four wide, the fifth bit is the gap between letters. */
static const struct letter capitals[26] = {
    /* A */ ROWS(0c, 12, 1e, 12, 12), /* B */ ROWS(1c, 12, 1c, 12, 1c),
    /* C */ ROWS(0e, 10, 10, 10, 0e), /* D */ ROWS(1c, 12, 12, 12, 1c),
    /* E */ ROWS(1e, 10, 1c, 10, 1e), /* F */ ROWS(1e, 10, 1c, 10, 10),
    /* G */ ROWS(0e, 10, 16, 12, 0e), /* H */ ROWS(12, 12, 1e, 12, 12),
    /* I */ ROWS(0e, 04, 04, 04, 0e), /* J */ ROWS(02, 02, 02, 12, 0c),
    /* K */ ROWS(12, 14, 18, 14, 12), /* L */ ROWS(10, 10, 10, 10, 1e),
    /* M */ ROWS(12, 1e, 1e, 12, 12), /* N */ ROWS(12, 1a, 1e, 16, 12),
    /* O */ ROWS(0c, 12, 12, 12, 0c), /* P */ ROWS(1c, 12, 1c, 10, 10),
    /* Q */ ROWS(0c, 12, 12, 14, 0a), /* R */ ROWS(1c, 12, 1c, 14, 12),
    /* S */ ROWS(0e, 10, 0c, 02, 1c), /* T */ ROWS(1f, 04, 04, 04, 04),
    /* U */ ROWS(12, 12, 12, 12, 0c), /* V */ ROWS(12, 12, 12, 0c, 0c),
    /* W */ ROWS(12, 12, 1e, 1e, 12), /* X */ ROWS(12, 0c, 0c, 0c, 12),
    /* Y */ ROWS(12, 12, 0c, 04, 04), /* Z */ ROWS(1e, 02, 0c, 10, 1e),
};
static const struct letter digits[10] = {
    ROWS(0c, 12, 12, 12, 0c), ROWS(04, 0c, 04, 04, 0e), ROWS(1c, 02, 0c, 10, 1e),
    ROWS(1c, 02, 0c, 02, 1c), ROWS(12, 12, 1e, 02, 02), ROWS(1e, 10, 1c, 02, 1c),
    ROWS(0c, 10, 1c, 12, 0c), ROWS(1e, 02, 04, 08, 08), ROWS(0c, 12, 0c, 12, 0c),
    ROWS(0c, 12, 0e, 02, 0c),
};

static struct letter letter_of(char character)
{
    if (character >= 'A' && character <= 'Z')
        return capitals[character - 'A'];
    if (character >= '0' && character <= '9')
        return digits[character - '0'];
    if (character == '.')
        return (struct letter)ROWS(00, 00, 00, 00, 08);
    return (struct letter){{0}};
}

int bigword_columns(const char *word, int columns)
{
    size_t size = strlen(word);
    if (size == 0 || size > 64)
        return 0;
    int narrow = (int)size * LETTER_COLUMNS;
    return 2 * narrow <= columns ? 2 * narrow : narrow <= columns ? narrow : 0;
}

struct size { /* cells of one bit of a letter */
    int rows, columns;
};

static void draw_letter(struct rect area, const struct letter *letter, struct size bit,
                        enum theme_role role, const char *cell)
{
    for (int row = 0; row < BIGWORD_ROWS * bit.rows; row++)
        for (int column = 0; column < LETTER_COLUMNS; column++)
            if (letter->rows[row / bit.rows] & 0x10 >> column)
                canvas_fill(area.row + row, area.column + column * bit.columns, bit.columns, role,
                            0, cell);
}

/* Cells are about twice as high as wide. */
static struct size size_of(const char *word, const struct rect *area, int columns)
{
    int narrow = (int)strlen(word) * LETTER_COLUMNS;
    struct size bit = {1, columns / narrow};
    int rows = area->rows / BIGWORD_ROWS, most = area->columns / narrow / 2;
    int times = rows < most ? rows : most;
    return times > 1 ? (struct size){times, 2 * times} : bit;
}

void bigword_draw(struct rect area, const char *word, enum theme_role role, enum glyph_tier tier)
{
    int columns = bigword_columns(word, area.columns);
    if (rect_is_empty(area))
        return;
    if (columns == 0 || area.rows < BIGWORD_ROWS) {
        (void)canvas_text(area.row, area.column, area.columns, role, word);
        return;
    }
    struct size bit = size_of(word, &area, columns);
    for (; *word; word++) {
        struct letter letter = letter_of(*word);
        draw_letter(area, &letter, bit, role, glyph_shade(tier, 3));
        area.column += LETTER_COLUMNS * bit.columns;
    }
}
