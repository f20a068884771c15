#include "terminal/glyph.h"

#include <errno.h>
#include <stddef.h>
#include <string.h>

#include "base/cleanup.h"

static const char *const tier_names[GLYPH_TIERS] = {"ascii", "shades", "halves", "eighths",
                                                    "braille"};

/* Console fonts have no eighths at all and most no halves; see glyph_console.c. */
static const char *const fill_up[GLYPH_TIERS][9] = {
    [GLYPH_ASCII] = {" ", ".", ".", ":", ":", ":", "#", "#", "#"},
    [GLYPH_SHADES] = {" ", "░", "░", "▒", "▒", "▒", "█", "█", "█"},
    [GLYPH_HALVES] = {" ", "▄", "▄", "▄", "▄", "▄", "█", "█", "█"},
    [GLYPH_EIGHTHS] = {" ", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"},
    [GLYPH_BRAILLE] = {" ", "⣀", "⣀", "⣤", "⣤", "⣶", "⣶", "⣿", "⣿"},
};

static const char *const fill_right[GLYPH_TIERS][9] = {
    [GLYPH_ASCII] = {" ", ".", ".", ":", ":", ":", "#", "#", "#"},
    [GLYPH_SHADES] = {" ", "░", "░", "▒", "▒", "▒", "█", "█", "█"},
    [GLYPH_HALVES] = {" ", "▌", "▌", "▌", "▌", "▌", "█", "█", "█"},
    [GLYPH_EIGHTHS] = {" ", "▏", "▎", "▍", "▌", "▋", "▊", "▉", "█"},
    [GLYPH_BRAILLE] = {" ", "⡇", "⡇", "⡇", "⡇", "⡇", "⣿", "⣿", "⣿"},
};

static const char *const shades[GLYPH_TIERS][4] = {
    [GLYPH_ASCII] = {" ", ".", ":", "#"},   [GLYPH_SHADES] = {" ", "░", "▒", "█"},
    [GLYPH_HALVES] = {" ", "░", "▒", "█"},  [GLYPH_EIGHTHS] = {" ", "░", "▒", "█"},
    [GLYPH_BRAILLE] = {" ", "░", "▒", "█"},
};

#define SIGNS_ASCII "-", "|", "+", "+", "+", "-", ">", "-"
#define MARKS_ASCII "*", "o", "+", "x", "#", "@", "%", "&"
/* The kernel's own font lacks ┄ and ›. */
#define SIGNS_CONSOLE "─", "│", "┤", "┼", "┬", "-", ">", "·"
#define SIGNS_FULL "─", "│", "┤", "┼", "┬", "┄", "›", "·"
#define MARKS_SHAPES "◆", "○", "▲", "×", "■", "□", "▼", "◇"

static const char *const signs[GLYPH_TIERS][GLYPH_SIGNS] = {
    [GLYPH_ASCII] = {SIGNS_ASCII, MARKS_ASCII},    [GLYPH_SHADES] = {SIGNS_CONSOLE, MARKS_ASCII},
    [GLYPH_HALVES] = {SIGNS_CONSOLE, MARKS_ASCII}, [GLYPH_EIGHTHS] = {SIGNS_FULL, MARKS_SHAPES},
    [GLYPH_BRAILLE] = {SIGNS_FULL, MARKS_SHAPES},
};

/* By code point. Each of our own strings must be readable through this table. */
static const struct {
    uint32_t character;
    const char *text;
} plain[] = {
    {0x00a0, " "},   {0x00ab, "<<"},  {0x00b0, ""},    {0x00b1, "+-"},  {0x00b2, "2"},
    {0x00b5, "u"},   {0x00b7, "-"},   {0x00bb, ">>"},  {0x00d7, "x"},   {0x00f7, "/"},
    {0x0394, "d"},   {0x03a9, "Ohm"}, {0x03bc, "u"},   {0x2010, "-"},   {0x2011, "-"},
    {0x2012, "-"},   {0x2013, "-"},   {0x2014, "-"},   {0x2018, "'"},   {0x2019, "'"},
    {0x201c, "\""},  {0x201d, "\""},  {0x2022, "*"},   {0x2026, "..."}, {0x2039, "<"},
    {0x203a, ">"},   {0x2190, "<"},   {0x2191, "^"},   {0x2192, ">"},   {0x2193, "v"},
    {0x21b5, "Ret"}, {0x2212, "-"},   {0x221e, "inf"}, {0x2248, "~"},   {0x2260, "!="},
    {0x2264, "<="},  {0x2265, ">="},  {0x2580, "\""},  {0x2584, ":"},   {0x2588, "#"},
    {0x258c, ":"},   {0x2590, ":"},   {0x2591, "."},   {0x2592, ":"},   {0x2593, "#"},
    {0x25a0, "#"},   {0x25a1, "#"},   {0x25b2, "^"},   {0x25b6, ">"},   {0x25b8, ">"},
    {0x25bc, "v"},   {0x25c0, "<"},   {0x25c6, "*"},   {0x25c7, "o"},   {0x25cb, "o"},
    {0x25cf, "*"},   {0x2713, "v"},   {0x2717, "x"},
};

const char *glyph_tier_name(enum glyph_tier tier)
{
    return tier_names[tier];
}

int glyph_tier_from_name(const char *name, enum glyph_tier *ret_tier)
{
    for (int i = 0; name && i < GLYPH_TIERS; i++) {
        if (strcmp(name, tier_names[i]) == 0) {
            *ret_tier = (enum glyph_tier)i;
            return 0;
        }
    }
    return -EINVAL;
}

static int eighths_clamped(int eighths)
{
    return eighths < 0 ? 0 : eighths > 8 ? 8 : eighths;
}

const char *glyph_fill_up(enum glyph_tier tier, int eighths)
{
    return fill_up[tier][eighths_clamped(eighths)];
}

const char *glyph_fill_right(enum glyph_tier tier, int eighths)
{
    return fill_right[tier][eighths_clamped(eighths)];
}

const char *glyph_shade(enum glyph_tier tier, int level)
{
    return shades[tier][level < 0 ? 0 : level > 3 ? 3 : level];
}

const char *glyph_sign(enum glyph_tier tier, enum glyph_sign sign)
{
    return signs[tier][sign];
}

/* Box drawing and block elements are ranges too regular for rows of their own. */
static const char *plain_of_shape(uint32_t character)
{
    if (character == 0x2500 || character == 0x2501 || character == 0x2550 ||
        (character >= 0x2504 && character <= 0x250b && character % 4 < 2) || character == 0x254c ||
        character == 0x254d)
        return "-";
    if (character == 0x2502 || character == 0x2503 || character == 0x2551 ||
        (character >= 0x2504 && character <= 0x250b) || character == 0x254e || character == 0x254f)
        return "|";
    if (character >= 0x250c && character <= 0x257f)
        return "+";
    if (character >= 0x2581 && character <= 0x2587)
        return fill_up[GLYPH_ASCII][character - 0x2580];
    if (character >= 0x2589 && character <= 0x258f)
        return fill_right[GLYPH_ASCII][0x2590 - character];
    return "?";
}

const char *glyph_plain(uint32_t character)
{
    size_t low = 0, high = ARRAY_SIZE(plain);

    while (low < high) {
        size_t middle = (low + high) / 2;
        if (plain[middle].character == character)
            return plain[middle].text;
        if (plain[middle].character < character)
            low = middle + 1;
        else
            high = middle;
    }
    return plain_of_shape(character);
}
