#include "terminal/term_style.h"

#include <curses.h>
#include <stdio.h>

static struct {
    struct theme theme;
    struct term_style styles[ROLE_COUNT];
    int colours;
    bool is_console, has_high_font, has_palette;
} look;

/* What colour says must still be seen without it. */
static const unsigned mono_styles[ROLE_COUNT] = {
    [ROLE_DIM] = STYLE_DIM,       [ROLE_ACCENT] = STYLE_BOLD,   [ROLE_WARN] = STYLE_BOLD,
    [ROLE_FAIL] = STYLE_BOLD,     [ROLE_FRAME] = STYLE_DIM,     [ROLE_SELECT] = STYLE_REVERSE,
    [ROLE_AXIS] = STYLE_DIM,      [ROLE_GRID] = STYLE_DIM,      [ROLE_SERIES_2] = STYLE_BOLD,
    [ROLE_SERIES_4] = STYLE_BOLD, [ROLE_SERIES_6] = STYLE_BOLD, [ROLE_SERIES_8] = STYLE_BOLD,
};

static uint32_t attributes_of(unsigned style)
{
    uint32_t attributes = 0;

    attributes |= style & STYLE_BOLD ? A_BOLD : 0;
    attributes |= style & STYLE_REVERSE ? A_REVERSE : 0;
    attributes |= style & STYLE_DIM ? A_DIM : 0;
    attributes |= style & STYLE_UNDERLINE ? A_UNDERLINE : 0;
    return attributes;
}

/* One of eight colours for one of sixteen: the bright half is bold, and bright black, which bold
 * cannot make everywhere, is dimmed text. */
static int of_eight(int ansi, enum theme_role role, uint32_t *attributes)
{
    if (ansi < 8)
        return ansi;
    if (ansi > 8) {
        *attributes |= A_BOLD;
        return ansi - 8;
    }
    if (!look.is_console) {
        *attributes |= A_DIM;
        return -1;
    }
    /* The console's bold black is grey: too dark for words, unless the theme lit it, and black
     * itself with a font of 512 shapes, which takes the bold bit. */
    bool is_line = role == ROLE_FRAME || role == ROLE_GRID;
    if (look.has_high_font || (!is_line && !look.theme.sets_palette))
        return -1;
    *attributes |= A_BOLD;
    return COLOR_BLACK;
}

static int number_of(const struct theme_colour *colour, enum theme_role role, uint32_t *attributes)
{
    if (colour->ansi < 0)
        return -1;
    if (look.colours > 256 && tigetflag("RGB") > 0)
        return colour->rgb;
    if (look.colours >= 256)
        return colour->index256;
    if (look.colours >= 16)
        return colour->ansi;
    return of_eight(colour->ansi, role, attributes);
}

static void style_role(enum theme_role role)
{
    const struct theme_entry *entry = &look.theme.roles[role];
    const struct theme_colour *back = &entry->background;
    struct term_style *style = &look.styles[role];
    uint32_t ignored = 0;

    *style = (struct term_style){.attributes = attributes_of(entry->style)};
    if (look.colours == 0) {
        if (entry->style == 0)
            style->attributes = attributes_of(mono_styles[role]);
        return;
    }
    if (back->ansi < 0)
        back = &look.theme.roles[ROLE_TEXT].background;
    int front_number = number_of(&entry->foreground, role, &style->attributes);
    int back_number = number_of(back, role, &ignored);
    if (front_number < 0 && back_number < 0)
        return;
    style->pair = (short)(role + 1);
    (void)init_extended_pair(style->pair, front_number, back_number);
}

static void set_palette(const struct theme_colour *colour)
{
    char text[16];

    if (colour->ansi < 0 || colour->rgb < 0)
        return;
    (void)snprintf(text, sizeof(text), "\033]P%x%06x", (unsigned)colour->ansi & 15,
                   (unsigned)colour->rgb & 0xffffff);
    (void)putp(text);
    look.has_palette = true;
}

void term_style_reset(void)
{
    if (look.has_palette)
        (void)putp("\033]R");
    look.has_palette = false;
    (void)fflush(stdout);
}

bool term_style_has_palette(void)
{
    return look.has_palette;
}

void term_style_open(int colours, bool is_console, bool has_high_font)
{
    look.colours = colours;
    look.is_console = is_console;
    look.has_high_font = has_high_font;
}

void term_style_apply(const struct theme *theme)
{
    cchar_t blank;

    look.theme = *theme;
    term_style_reset();
    for (int role = 0; role < ROLE_COUNT; role++) {
        style_role((enum theme_role)role);
        if (look.colours && look.is_console && theme->sets_palette) {
            set_palette(&theme->roles[role].background);
            set_palette(&theme->roles[role].foreground);
        }
    }
    (void)fflush(stdout);
    const struct term_style *text = &look.styles[ROLE_TEXT];
    if (setcchar(&blank, L" ", text->attributes, text->pair, NULL) == OK)
        wbkgrndset(stdscr, &blank);
}

struct term_style term_style(enum theme_role role, unsigned style)
{
    struct term_style result = look.styles[role];

    result.attributes |= attributes_of(style);
    return result;
}
