#include "terminal/canvas.h"

#include <curses.h>
#include <errno.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <wchar.h>

#include "base/cleanup.h"
#include "base/str.h"
#include "terminal/charset.h"
#include "terminal/term.h"
#include "terminal/term_style.h"

#define CELL_CHARACTERS (CCHARW_MAX + 1)

/* One step through a text: a character with its combining marks, or, where it cannot be shown, the
 * ASCII text that stands for it. */
struct step {
    wchar_t cell[CELL_CHARACTERS]; /* 0-ended; empty when `plain` is used or nothing is shown */
    const char *plain;
    int width; /* cells */
};

static bool is_control(uint32_t c)
{
    return c < 0x20 || (c >= 0x7f && c < 0xa0);
}

/* Marks that turn text around or hide: a name from a foreign card must not move what we wrote. */
static bool is_invisible(uint32_t c)
{
    return (c >= 0x200b && c <= 0x200f) || (c >= 0x202a && c <= 0x202e) ||
           (c >= 0x2060 && c <= 0x206f) || c == 0xfeff || c == 0x00ad;
}

static void take_marks(const char **text, struct step *step)
{
    for (size_t used = 1;;) {
        size_t size;
        uint32_t c = charset_decode(*text, &size);
        if (size < 2 || is_control(c) || wcwidth((wchar_t)c) != 0)
            return;
        *text += size;
        if (!is_invisible(c) && used + 1 < CELL_CHARACTERS && term_can_show(c)) {
            step->cell[used++] = (wchar_t)c;
            step->cell[used] = 0;
        }
    }
}

/* False at the end of the text. */
static bool next_step(const char **text, struct step *ret_step)
{
    size_t size;
    uint32_t c = charset_decode(*text, &size);
    struct step step = {.plain = NULL};

    if (size == 0)
        return false;
    *text += size;
    int width = c < 0x80 ? 1 : wcwidth((wchar_t)c);
    if (is_control(c) || c == CHARSET_BAD) {
        step.plain = "?";
    } else if (is_invisible(c) || width == 0) {
        step.plain = "";
    } else if (width < 0 || !term_can_show(c)) {
        step.plain = glyph_plain(c);
    } else {
        step.cell[0] = (wchar_t)c;
        step.width = width;
        take_marks(text, &step);
    }
    if (step.plain)
        step.width = (int)strlen(step.plain);
    *ret_step = step;
    return true;
}

static void put_cell(int row, int column, const wchar_t *characters, struct term_style style)
{
    struct paper *paper = term_paper();
    cchar_t cell;

    if (paper) /* shown are ASCII characters only */
        paper_put(paper, row, column, (char)characters[0]);
    else if (setcchar(&cell, characters, style.attributes, style.pair, NULL) == OK)
        (void)mvadd_wchnstr(row, column, &cell, 1);
}

/* Puts what of the step lies within [low, high); a wide character is whole or absent. */
static void put_step(int row, int column, int low, int high, const struct step *step,
                     struct term_style style)
{
    if (!step->plain) {
        if (column >= low && column + step->width <= high)
            put_cell(row, column, step->cell, style);
        return;
    }
    for (int i = 0; step->plain[i]; i++) {
        const wchar_t cell[2] = {(wchar_t)step->plain[i], 0};
        if (column + i >= low && column + i < high)
            put_cell(row, column + i, cell, style);
    }
}

static int clip_right(int column, int columns)
{
    if (columns <= 0)
        return column;
    return columns > term_columns() - column ? term_columns() : column + columns;
}

static int put_text(int row, int column, int columns, struct term_style style, const char *text)
{
    int high = clip_right(column, columns), at = column;
    struct step step;

    if (row < 0 || row >= term_rows())
        return 0;
    while (at < high && next_step(&text, &step)) {
        put_step(row, at, column > 0 ? column : 0, high, &step, style);
        at += step.width;
    }
    at = at > high ? high : at;
    return at > column ? at - column : 0;
}

void canvas_begin(void)
{
    if (term_paper())
        paper_clear(term_paper());
    else if (term_is_open())
        (void)erase();
}

/* Line ends are as the terminal's own modes make them. What it does not take is lost with it. */
static void print(struct paper *paper)
{
    AUTO(str_done) struct str lines = {0};

    paper_print(paper, &lines);
    for (size_t done = 0; done < lines.size;) {
        ssize_t sent = write(STDOUT_FILENO, lines.text + done, lines.size - done);
        if (sent < 0 && errno == EINTR)
            continue;
        if (sent <= 0)
            return;
        done += (size_t)sent;
    }
}

void canvas_end(void)
{
    if (term_paper())
        print(term_paper());
    if (term_paper() || !term_is_open())
        return;
    (void)wnoutrefresh(stdscr);
    (void)doupdate();
}

struct rect canvas_area(void)
{
    return (struct rect){0, 0, term_rows(), term_columns()};
}

int canvas_text(int row, int column, int columns, enum theme_role role, const char *text)
{
    return put_text(row, column, columns, term_style(role, 0), text);
}

int canvas_textf(int row, int column, int columns, enum theme_role role, const char *format, ...)
{
    AUTO(str_done) struct str text = {0};
    va_list args;

    va_start(args, format);
    str_addv(&text, format, args);
    va_end(args);
    return canvas_text(row, column, columns, role, str_text(&text));
}

void canvas_text_right(int row, int column, int columns, enum theme_role role, const char *text)
{
    int width = canvas_width(text);
    int left = width < columns ? columns - width : 0;

    (void)canvas_text(row, column + left, columns - left, role, text);
}

void canvas_fill(int row, int column, int columns, enum theme_role role, unsigned style,
                 const char *cell)
{
    struct term_style look = term_style(role, style);
    int high = clip_right(column, columns);

    if (row < 0 || row >= term_rows())
        return;
    for (int at = column; at < high;) {
        int used = put_text(row, at, high - at, look, cell);
        if (used <= 0)
            return;
        at += used;
    }
}

void canvas_rule(int row, int column, int columns)
{
    canvas_fill(row, column, columns, ROLE_FRAME, 0, glyph_sign(term_glyphs(), GLYPH_RULE));
}

void canvas_highlight(int row, int column, int columns, enum theme_role role)
{
    int high = clip_right(column, columns);
    struct term_style look = term_style(role, 0);

    if (column < 0)
        column = 0;
    if (term_paper() && role == ROLE_SELECT)
        paper_mark(term_paper(), row);
    else if (!term_paper() && row >= 0 && row < term_rows() && column < high)
        (void)mvchgat(row, column, high - column, look.attributes, look.pair, NULL);
}

int canvas_width(const char *text)
{
    struct step step;
    int width = 0;

    while (next_step(&text, &step))
        width += step.width;
    return width;
}

static void dump_row(struct str *into, int row, wchar_t *cells, int most)
{
    int count = mvinnwstr(row, 0, cells, most);

    while (count > 0 && cells[count - 1] == L' ')
        count--;
    for (int i = 0; i < count; i++) {
        char bytes[4];
        str_add_bytes(into, bytes, charset_encode((uint32_t)cells[i], bytes));
    }
    str_add(into, "\n");
}

char *canvas_dump(void)
{
    AUTO(str_done) struct str text = {0};
    int most = term_columns() * CCHARW_MAX;
    AUTO_FREE wchar_t *cells = mem_new((size_t)most + 1, sizeof(*cells));

    str_add(&text, "");
    for (int row = 0; row < term_rows() && !term_paper(); row++)
        dump_row(&text, row, cells, most);
    for (int row = 0; row < term_rows() && term_paper(); row++) {
        paper_row(term_paper(), row, &text);
        str_add(&text, "\n");
    }
    return str_take(&text);
}
