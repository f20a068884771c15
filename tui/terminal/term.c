#include "terminal/term.h"

#include <curses.h>
#include <errno.h>
#include <linux/vt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/str.h"
#include "terminal/charset.h"
#include "terminal/extent.h"
#include "terminal/restore.h"
#include "terminal/term_keys.h"
#include "terminal/term_style.h"

static struct {
    SCREEN *screen;
    const char *name;
    enum glyph_tier tier;
    struct glyph_map map;
    int colours;
    bool is_serial;
    int unused_columns; /* at the right edge */
} term;

/* A capability without the padding, which a restore string cannot wait for. */
static void add_capability(struct str *into, const char *text)
{
    if (!text || text == (const char *)-1)
        return;
    while (*text) {
        const char *pad = strstr(text, "$<");
        const char *end = pad ? strchr(pad, '>') : NULL;
        if (!end) {
            str_add(into, text);
            return;
        }
        str_add_bytes(into, text, (size_t)(pad - text));
        text = end + 1;
    }
}

static bool is_text(const char *capability)
{
    return capability && capability != (const char *)-1;
}

static void arm_restore(void)
{
    AUTO(str_done) struct str bytes = {0};
    const char *leave = tigetstr("rmcup"), *move = tigetstr("cup");

    add_capability(&bytes, tigetstr("sgr0"));
    add_capability(&bytes, tigetstr("op"));
    if (term_style_has_palette())
        str_add(&bytes, "\033]R");
    add_capability(&bytes, tigetstr("cnorm"));
    add_capability(&bytes, tigetstr("rmkx"));
    /* Without an alternate screen the prompt belongs under what stands there. */
    if (!is_text(leave) && is_text(move))
        add_capability(&bytes, tparm(move, (long)LINES - 1, 0L, 0L, 0L, 0L, 0L, 0L, 0L, 0L));
    add_capability(&bytes, leave);
    if (!is_text(leave))
        str_add(&bytes, "\r\n");
    restore_arm(str_text(&bytes), bytes.size);
}

static void apply_theme(const struct theme *theme)
{
    term_style_apply(theme);
    arm_restore();
}

static bool wants_colour(const struct term_plan *plan)
{
    const char *refused = getenv("NO_COLOR");

    return !plan->no_colour && !(refused && *refused) && has_colors();
}

/* Whether curses can draw by this description. Those that take the cursor to the next line after
 * the last column ("ansi") are wrong about nearly all emulators, which wait with that; the others
 * are right for both, because curses then says where it goes. */
static bool is_fit(void)
{
    return is_text(tigetstr("cup")) && (tigetflag("am") != 1 || tigetflag("xenl") == 1);
}

static bool try_description(const char *name)
{
    term.screen = newterm(name, stdout, stdin);
    if (!term.screen || is_fit())
        return term.screen != NULL;
    (void)endwin();
    delscreen(term.screen);
    term.screen = NULL;
    return false;
}

static int start_screen(char *why, unsigned why_size)
{
    static const char *const descriptions[] = {NULL, "screen", "vt220", "vt100"};

    if (!term.name || !*term.name)
        term.name = "unknown";
    if (strcmp(term.name, "dumb") == 0) {
        (void)snprintf(why, why_size,
                       "the terminal is said to be dumb: use the commands, such as \"iodyno list\" "
                       "and \"iodyno run\", or set TERM to what it is");
        return -ENOTSUP;
    }
    for (size_t i = 0; i < ARRAY_SIZE(descriptions); i++) {
        if (!try_description(descriptions[i] ? descriptions[i] : term.name))
            continue;
        (void)set_term(term.screen);
        return 0;
    }
    (void)snprintf(why, why_size, "cannot use the terminal: no description of \"%s\" is installed",
                   term.name);
    return -ENOENT;
}

static void start_colour(const struct term_plan *plan)
{
    unsigned short mask = 0;
    bool has_high_font = ioctl(STDOUT_FILENO, VT_GETHIFONTMASK, &mask) == 0 && mask != 0;

    term.colours = 0;
    if (wants_colour(plan) && start_color() == OK && COLORS >= 8) {
        term.colours = COLORS;
        if (use_default_colors() == ERR)
            (void)assume_default_colors(COLOR_WHITE, COLOR_BLACK);
    }
    term_style_open(term.colours, term.name && str_starts(term.name, "linux"), has_high_font);
}

static void learn_terminal(void)
{
    int rows, columns;

    term.name = getenv("TERM");
    term.is_serial = glyph_is_serial(STDOUT_FILENO, term.name);
    if (term.is_serial && extent_read(STDOUT_FILENO, &rows, &columns) == -ENODATA)
        (void)extent_ask(STDIN_FILENO, STDOUT_FILENO);
    glyph_map_read(STDOUT_FILENO, term.name, &term.map);
}

int term_open(const struct term_plan *plan, char *why, unsigned why_size)
{
    const char *glyphs = plan->glyphs ? plan->glyphs : "auto";
    bool is_auto = strcmp(glyphs, "auto") == 0;

    if (term.screen)
        return 0;
    if (!is_auto && glyph_tier_from_name(glyphs, &term.tier) < 0) {
        (void)snprintf(
            why, why_size,
            "expected glyphs auto, braille, eighths, halves, shades or ascii, got \"%s\"", glyphs);
        return -EINVAL;
    }
    if (!isatty(STDIN_FILENO) || !isatty(STDOUT_FILENO)) {
        (void)snprintf(why, why_size, "the screen needs a terminal on its input and output");
        return -ENOTTY;
    }
    bool is_utf8 = charset_open();
    learn_terminal();
    if (is_auto)
        term.tier = glyph_choose(STDOUT_FILENO, term.name, is_utf8);
    else if (!is_utf8)
        term.tier = GLYPH_ASCII; /* the bytes of any other would not be read */
    (void)restore_save(STDIN_FILENO);
    int code = start_screen(why, why_size);
    if (code < 0)
        return code;
    term_keys_open(term.is_serial);
    start_colour(plan);
    (void)curs_set(0);
    (void)leaveok(stdscr, TRUE);
    /* "ansi" and "dumb" say that the cursor wraps at once behind the last column; emulators that
     * pass for them wait for the next character, and all that follows would be a row off. */
    term.unused_columns = tigetflag("am") > 0 && tigetflag("xenl") <= 0;
    apply_theme(plan->theme);
    return 0;
}

void term_close(void)
{
    if (!term.screen)
        return;
    term_style_reset();
    (void)endwin();
    restore_disarm();
    term_keys_close();
    delscreen(term.screen);
    term.screen = NULL;
}

bool term_is_open(void)
{
    return term.screen != NULL;
}

int term_rows(void)
{
    return term.screen ? LINES : 0;
}

int term_columns(void)
{
    return term.screen && COLS > term.unused_columns ? COLS - term.unused_columns : 0;
}

enum glyph_tier term_glyphs(void)
{
    return term.tier;
}

bool term_is_serial(void)
{
    return term.is_serial;
}

int term_colours(void)
{
    return term.colours;
}

void term_resized(void)
{
    int rows, columns;

    if (!term.screen)
        return;
    if (extent_read(STDOUT_FILENO, &rows, &columns) == 0)
        (void)resizeterm(rows, columns);
    arm_restore();
    term_repaint();
}

void term_repaint(void)
{
    if (term.screen)
        (void)clearok(curscr, TRUE);
}

void term_set_theme(const struct theme *theme)
{
    if (!term.screen)
        return;
    apply_theme(theme);
    term_repaint();
}

bool term_can_show(uint32_t character)
{
    if (character < 0x80)
        return true;
    return term.tier != GLYPH_ASCII && glyph_map_has(&term.map, character);
}
