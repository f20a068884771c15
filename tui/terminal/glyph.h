/* glyph: what shapes this terminal can show, in tiers. Pure, but for the choice (glyph_choose). */
#ifndef TERMINAL_GLYPH_H
#define TERMINAL_GLYPH_H

#include <stdbool.h>
#include <stdint.h>

enum glyph_tier {
    GLYPH_ASCII,
    GLYPH_SHADES,
    GLYPH_HALVES,
    GLYPH_EIGHTHS,
    GLYPH_BRAILLE,
    GLYPH_TIERS
};

const char *glyph_tier_name(enum glyph_tier tier); /* "eighths" */
int glyph_tier_from_name(const char *name,
                         enum glyph_tier *ret_tier); /* -EINVAL; "auto" is not one */

/* Asks the terminal behind fd: GIO_UNIMAP on a console, else locale, TERM, line speed. Needs
 * setlocale done. Few ioctls, never blocks. */
enum glyph_tier glyph_choose(int fd, const char *term, bool is_utf8);

/* UTF-8 text of one cell filled `eighths`/8 from the bottom (0..8) or from the left. Rounds to what
 * the tier has; never empty for eighths > 0. */
const char *glyph_fill_up(enum glyph_tier tier, int eighths);
const char *glyph_fill_right(enum glyph_tier tier, int eighths);
const char *glyph_shade(enum glyph_tier tier, int level); /* 0 none, 1 light, 2 medium, 3 full */

enum glyph_sign {
    GLYPH_RULE,      /* horizontal line */
    GLYPH_UPRIGHT,   /* vertical line */
    GLYPH_TICK_LEFT, /* axis with a mark to the left: ┤ */
    GLYPH_CORNER,    /* axis corner ┼ */
    GLYPH_TICK_DOWN, /* time axis mark ┬ */
    GLYPH_CEILING,   /* dashed line ┄ */
    GLYPH_SELECTED,  /* › */
    GLYPH_DOT,       /* · between words */
    GLYPH_MARK_1,    /* markers of series 1..8: * o + x # @ % & or shapes */
    GLYPH_SIGNS = GLYPH_MARK_1 + 8
};
const char *glyph_sign(enum glyph_tier tier, enum glyph_sign sign);

/* The Unicode characters a console's font has (the first 65536). */
struct glyph_map {
    bool is_known; /* false: not a console, any character may be tried */
    uint8_t bits[65536 / 8];
};
/* Asks the console behind fd; on TERM=linux without an answer, what every console font has is
 * assumed. Leaves is_known false on other terminals. */
void glyph_map_read(int fd, const char *term, struct glyph_map *ret_map);
bool glyph_map_has(const struct glyph_map *map, uint32_t character);

/* ASCII text that stands for a character where it cannot be shown: "x" for ×, "+-" for ±, "..."
 * for …, "?" for what has none. */
const char *glyph_plain(uint32_t character);

/* A serial line: a real tty device that is no pseudo-terminal and no console, at 115200 or less, or
 * a TERM that names a hardware terminal. */
bool glyph_is_serial(int fd, const char *term);

#endif
