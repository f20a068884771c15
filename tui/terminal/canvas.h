/* canvas: cells to draw on; one frame is drawn between canvas_begin and canvas_end, which does the
 * one doupdate(). Drawing outside the screen is clipped; text is cleaned and measured by cell
 * width. */
#ifndef TERMINAL_CANVAS_H
#define TERMINAL_CANVAS_H

#include "terminal/rect.h"
#include "terminal/theme.h"

void canvas_begin(void); /* erases the back buffer */
void canvas_end(void);   /* sends the difference; nothing when nothing changed */
struct rect canvas_area(void);

/* Puts text at row, column (screen cells) clipped to `columns` cells; returns the cells used. */
int canvas_text(int row, int column, int columns, enum theme_role role, const char *text);
int canvas_textf(int row, int column, int columns, enum theme_role role, const char *format, ...)
    __attribute__((format(printf, 5, 6)));
/* Right-aligned within `columns` cells. */
void canvas_text_right(int row, int column, int columns, enum theme_role role, const char *text);
/* Repeats one cell's text. `style` adds to the role (enum theme_style). */
void canvas_fill(int row, int column, int columns, enum theme_role role, unsigned style,
                 const char *cell);
void canvas_rule(int row, int column, int columns); /* a horizontal line in ROLE_FRAME */
void canvas_highlight(int row, int column, int columns,
                      enum theme_role role); /* restyles what is there */

int canvas_width(const char *text); /* cells of UTF-8 text */

/* The screen as text, one line a row (tests, screenshots); the caller frees. */
char *canvas_dump(void);

#endif
