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
#include "terminal/term_kind.h"
#include "terminal/term_style.h"

static struct {
    SCREEN *screen; /* curses', or */
    struct paper paper;
    bool is_paper;
    const char *name; /* of the description that is used; NULL: none */
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

    if (term_style_has_palette())
        str_add(&bytes, "\033]R");
    add_capability(&bytes, tigetstr("rmkx"));
    /* Without an alternate screen the prompt belongs under what stands there. */
    if (!is_text(leave) && is_text(move))
        add_capability(&bytes, tparm(move, (long)LINES - 1, 0L, 0L, 0L, 0L, 0L, 0L, 0L, 0L));
    add_capability(&bytes, leave);
    if (!is_text(leave))
        str_add(&bytes, "\r\n");
    /* Last: some terminals bring the looks and the hidden cursor back that were saved in between.
     */
    add_capability(&bytes, tigetstr("sgr0"));
    add_capability(&bytes, tigetstr("op"));
    add_capability(&bytes, tigetstr("cnorm"));
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

/* Descriptions that take the cursor to the next line after the last column ("ansi") are wrong about
 * nearly all emulators, which wait with that; the others are right for both, because curses then
 * says where it goes. A terminal with sequences of its own ("wy50") is believed. */
static bool is_fit(const struct term_kind *kind)
{
    return kind->is_known && !(kind->is_ansi && kind->is_wrapping_at_once);
}

static bool start_by(const char *name)
{
    term.screen = newterm(name, stdout, stdin);
    if (!term.screen)
        return false;
    (void)set_term(term.screen);
    term.name = name;
    return true;
}

/* A terminal nobody knows is taken for what nearly all are. */
static bool start_screen(const struct term_kind *kind, const char *name)
{
    static const char *const descriptions[] = {"screen", "vt220", "vt100"};

    if (is_fit(kind) && start_by(name))
        return true;
    for (size_t i = 0; i < ARRAY_SIZE(descriptions); i++) {
        if (start_by(descriptions[i]))
            return true;
    }
    return false;
}

static void start_paper(void)
{
    int rows = 0, columns = 0;

    (void)extent_read(STDOUT_FILENO, &rows, &columns);
    paper_init(&term.paper, rows, columns);
    term.is_paper = true;
    term.is_serial = true;
    term.tier = GLYPH_ASCII;
    term.name = NULL;
    restore_arm("", 0); /* nothing but the modes was changed */
}

/* Says what a person cannot know: what became of a TERM that names no screen, or nothing. */
static void explain(const struct term_kind *kind, const char *name, char *why, unsigned why_size)
{
    if (term.is_paper)
        (void)snprintf(why, why_size,
                       "lines only: h j k l move, enter opens, esc goes back, ^L prints all");
    else if (!kind->is_known && !*name)
        (void)snprintf(why, why_size, "TERM is not set: drawn as on a VT100; for lines: TERM=dumb");
    else if (!kind->is_known)
        (void)snprintf(why, why_size,
                       "TERM=%s is unknown: drawn as on a VT100; for lines: TERM=dumb", name);
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

/* The size of a serial line is known to the terminal alone; one that would print the question is
 * not asked. */
static void learn_size(const struct term_kind *kind)
{
    int rows, columns;

    if (term.is_serial && (kind->is_ansi || !kind->is_known) &&
        extent_read(STDOUT_FILENO, &rows, &columns) == -ENODATA)
        (void)extent_ask(STDIN_FILENO, STDOUT_FILENO);
}

static void dress_screen(const struct term_plan *plan)
{
    term_keys_open(term.is_serial);
    start_colour(plan);
    (void)curs_set(0);
    (void)leaveok(stdscr, TRUE);
    /* A cursor that wraps at once behind the last column scrolls the screen in its last row. */
    term.unused_columns = tigetflag("am") > 0 && tigetflag("xenl") <= 0;
    apply_theme(plan->theme);
}

static int choose_glyphs(const char *name, const char *terminal, bool is_utf8, char *why,
                         unsigned why_size)
{
    bool is_auto = !name || strcmp(name, "auto") == 0;

    if (!is_auto && glyph_tier_from_name(name, &term.tier) < 0) {
        (void)snprintf(
            why, why_size,
            "expected glyphs auto, braille, eighths, halves, shades or ascii, got \"%s\"", name);
        return -EINVAL;
    }
    if (is_auto)
        term.tier = glyph_choose(STDOUT_FILENO, terminal, is_utf8);
    else if (!is_utf8)
        term.tier = GLYPH_ASCII; /* the bytes of any other would not be read */
    glyph_map_read(STDOUT_FILENO, terminal, &term.map);
    return 0;
}

int term_open(const struct term_plan *plan, char *why, unsigned why_size)
{
    const char *name = getenv("TERM") ? getenv("TERM") : "";

    (void)snprintf(why, why_size, "%s", "");
    if (term_is_open())
        return 0;
    int code = choose_glyphs(plan->glyphs, name, charset_open(), why, why_size);
    if (code < 0)
        return code;
    if (!isatty(STDIN_FILENO) || !isatty(STDOUT_FILENO)) {
        (void)snprintf(why, why_size, "the screen needs a terminal on its input and output");
        return -ENOTTY;
    }
    struct term_kind kind = term_kind_of(name);
    term.is_serial = glyph_is_serial(STDOUT_FILENO, name);
    (void)restore_save(STDIN_FILENO);
    if (!kind.is_paper)
        learn_size(&kind);
    if (!kind.is_paper && start_screen(&kind, name)) {
        dress_screen(plan);
    } else {
        start_paper();
        term_keys_open_lines();
    }
    explain(&kind, name, why, why_size);
    return 0;
}

/* curses shows the cursor before it leaves the other page. When it has scrolled a region there, it
 * has saved the hidden cursor with its place, and terminals made of libvterm bring that back. */
static void leave_page(void)
{
    const char *const ends[] = {tigetstr("sgr0"), tigetstr("cnorm")};

    for (size_t i = 0; i < ARRAY_SIZE(ends); i++)
        if (is_text(ends[i]))
            (void)putp(ends[i]);
    /* Without an alternate page the prompt belongs under what stands there. */
    if (!is_text(tigetstr("rmcup")))
        (void)putp("\n");
    (void)fflush(stdout);
}

static void close_screen(void)
{
    term_style_reset();
    (void)endwin();
    leave_page();
    restore_disarm();
    term_keys_close();
    delscreen(term.screen);
    term.screen = NULL;
}

void term_close(void)
{
    if (term.screen)
        close_screen();
    if (term.is_paper) {
        restore_disarm();
        term_keys_close();
        paper_done(&term.paper);
        term.is_paper = false;
    }
}

bool term_is_open(void)
{
    return term.screen || term.is_paper;
}

struct paper *term_paper(void)
{
    return term.is_paper ? &term.paper : NULL;
}

int term_rows(void)
{
    return term.is_paper ? term.paper.rows : term.screen ? LINES : 0;
}

int term_columns(void)
{
    if (term.is_paper)
        return term.paper.columns;
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

    if (term.is_paper) {
        paper_done(&term.paper);
        start_paper();
    }
    if (!term.screen)
        return;
    if (extent_read(STDOUT_FILENO, &rows, &columns) == 0)
        (void)resizeterm(rows, columns);
    arm_restore();
    term_repaint();
}

void term_repaint(void)
{
    if (term.is_paper)
        paper_anew(&term.paper);
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
