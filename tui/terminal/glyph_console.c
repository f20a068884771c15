/* The choice of a tier: what the terminal behind a descriptor can show. Console fonts are asked
 * for, never guessed: a glyph they lack becomes a full-looking cell, and the plot would lie. */
#include <errno.h>
#include <linux/kd.h>
#include <stddef.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <termios.h>

#include "base/cleanup.h"
#include "base/str.h"
#include "terminal/glyph.h"

#define PTY_MAJOR_FIRST 136 /* Unix98 slaves: Documentation/admin-guide/devices.txt */
#define PTY_MAJOR_LAST 143

/* Terminals by the start of their TERM, first match wins. What is not named here gets ASCII. */
static const struct {
    const char *prefix;
    enum glyph_tier tier;
} known[] = {
    {"xterm", GLYPH_EIGHTHS},        {"tmux", GLYPH_EIGHTHS},        {"screen", GLYPH_EIGHTHS},
    {"rxvt-unicode", GLYPH_EIGHTHS}, {"foot", GLYPH_EIGHTHS},        {"alacritty", GLYPH_EIGHTHS},
    {"kitty", GLYPH_EIGHTHS},        {"wezterm", GLYPH_EIGHTHS},     {"ghostty", GLYPH_EIGHTHS},
    {"contour", GLYPH_EIGHTHS},      {"konsole", GLYPH_EIGHTHS},     {"gnome", GLYPH_EIGHTHS},
    {"vte", GLYPH_EIGHTHS},          {"st-", GLYPH_EIGHTHS},         {"mintty", GLYPH_EIGHTHS},
    {"iterm", GLYPH_EIGHTHS},        {"ms-terminal", GLYPH_EIGHTHS}, {"putty", GLYPH_HALVES},
};

static const char *const hardware_terminals[] = {"vt100", "vt102", "vt220", "vt320", "vt420"};

static const uint32_t needs_shades[] = {0x2588, 0x2591, 0x2592, 0x2500, 0x2502,
                                        0x2524, 0x253c, 0x252c, 0x00b7, 0};
static const uint32_t needs_halves[] = {0x2580, 0x2584, 0x258c, 0x2590, 0};
static const uint32_t needs_eighths[] = {0x2581, 0x2582, 0x2583, 0x2585, 0x2586, 0x2587,
                                         0x2589, 0x258a, 0x258b, 0x258d, 0x258e, 0x258f,
                                         0x2504, 0x203a, 0x25c6, 0x25cb, 0};

static bool is_console(int fd)
{
    char type = 0;

    return ioctl(fd, KDGKBTYPE, &type) == 0;
}

static bool is_pseudo(int fd)
{
    struct stat about;

    if (fstat(fd, &about) < 0 || !S_ISCHR(about.st_mode))
        return false;
    return major(about.st_rdev) >= PTY_MAJOR_FIRST && major(about.st_rdev) <= PTY_MAJOR_LAST;
}

/* Speeds are codes, not numbers; those above 115200 follow it in the extended range. */
static bool is_slow(int fd)
{
    struct termios state;

    if (tcgetattr(fd, &state) < 0)
        return false;
    speed_t speed = cfgetospeed(&state);
    return speed != B0 && speed <= B115200;
}

bool glyph_is_serial(int fd, const char *term)
{
    for (size_t i = 0; term && i < ARRAY_SIZE(hardware_terminals); i++) {
        if (str_starts(term, hardware_terminals[i]))
            return true;
    }
    return !is_console(fd) && !is_pseudo(fd) && is_slow(fd);
}

static void set(struct glyph_map *map, uint32_t character)
{
    map->bits[character / 8] = (uint8_t)(map->bits[character / 8] | 1u << character % 8);
}

/* Common to the 456 console fonts of Debian 12 and the kernel's own. */
static void assume(struct glyph_map *map)
{
    static const uint32_t common[] = {0x2500, 0x2502, 0x250c, 0x2510, 0x2514, 0x2518, 0x251c,
                                      0x2524, 0x252c, 0x2534, 0x253c, 0x2588, 0x2591, 0x2592,
                                      0x2190, 0x2191, 0x2192, 0x2193, 0x00b7, 0x00b1, 0x00b0};

    for (size_t i = 0; i < ARRAY_SIZE(common); i++)
        set(map, common[i]);
    for (uint32_t c = 0x20; c < 0x7f; c++)
        set(map, c);
    map->is_known = true;
}

static int ask_console(int fd, struct glyph_map *map)
{
    struct unimapdesc about = {0};

    /* Asked with no room, the kernel answers ENOMEM and the count. */
    if (ioctl(fd, GIO_UNIMAP, &about) < 0 && errno != ENOMEM)
        return -errno;
    if (about.entry_ct == 0)
        return -ENODATA;
    AUTO_FREE struct unipair *pairs = mem_new(about.entry_ct, sizeof(*pairs));
    about.entries = pairs;
    if (ioctl(fd, GIO_UNIMAP, &about) < 0)
        return -errno;
    for (unsigned i = 0; i < about.entry_ct; i++)
        set(map, pairs[i].unicode);
    map->is_known = true;
    return 0;
}

void glyph_map_read(int fd, const char *term, struct glyph_map *ret_map)
{
    *ret_map = (struct glyph_map){0};
    if (is_console(fd) ? ask_console(fd, ret_map) < 0 : term && str_starts(term, "linux"))
        assume(ret_map);
}

bool glyph_map_has(const struct glyph_map *map, uint32_t character)
{
    if (!map->is_known)
        return true;
    return character < 65536 && (map->bits[character / 8] >> character % 8 & 1);
}

static bool has_all(const struct glyph_map *map, const uint32_t *needed)
{
    for (; *needed; needed++) {
        if (!glyph_map_has(map, *needed))
            return false;
    }
    return true;
}

static enum glyph_tier tier_of_map(const struct glyph_map *map)
{
    if (!has_all(map, needs_shades))
        return GLYPH_ASCII;
    if (!has_all(map, needs_halves))
        return GLYPH_SHADES;
    return has_all(map, needs_eighths) ? GLYPH_EIGHTHS : GLYPH_HALVES;
}

enum glyph_tier glyph_choose(int fd, const char *term, bool is_utf8)
{
    struct glyph_map map;

    if (!is_utf8 || glyph_is_serial(fd, term))
        return GLYPH_ASCII;
    glyph_map_read(fd, term, &map);
    if (map.is_known)
        return tier_of_map(&map);
    for (size_t i = 0; term && i < ARRAY_SIZE(known); i++) {
        if (str_starts(term, known[i].prefix))
            return known[i].tier;
    }
    return GLYPH_ASCII;
}
