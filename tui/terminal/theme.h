/* theme: roles to colours and styles. A theme is an INI file: roles, not widgets.
 *
 *   [theme]                      inherits = NAME reads NAME.ini of the same folder first
 *   name = amber                 palette = yes: a console's 16 colours may be set to the #rrggbb
 *   [roles]
 *   accent = #ffb000 | 214 | yellow +bold
 *   select = black on #ffb000 | 214 | yellow
 *   [series]
 *   1 = #56b4e9 | 74 | cyan
 *
 * A colour has up to three forms, |-separated in any order: #rrggbb, 0-255, a name (black red green
 * yellow blue magenta cyan white, bright-*, default); missing forms are the nearest. After "on"
 * stands the background. Styles: +bold +reverse +dim +underline. */
#ifndef TERMINAL_THEME_H
#define TERMINAL_THEME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum theme_role {
    ROLE_TEXT,
    ROLE_DIM,
    ROLE_ACCENT,
    ROLE_OK,
    ROLE_WARN,
    ROLE_FAIL,
    ROLE_FRAME,
    ROLE_SELECT,
    ROLE_AXIS,
    ROLE_GRID,
    ROLE_SERIES_1,
    ROLE_SERIES_2,
    ROLE_SERIES_3,
    ROLE_SERIES_4,
    ROLE_SERIES_5,
    ROLE_SERIES_6,
    ROLE_SERIES_7,
    ROLE_SERIES_8,
    ROLE_COUNT
};

enum theme_style { STYLE_BOLD = 1, STYLE_REVERSE = 2, STYLE_DIM = 4, STYLE_UNDERLINE = 8 };

struct theme_colour { /* -1 in each form: the terminal's own */
    int32_t rgb;      /* 0xrrggbb */
    int16_t index256;
    int16_t ansi; /* 0..15 */
};
struct theme_entry {
    struct theme_colour foreground, background;
    unsigned style; /* mask of enum theme_style */
};
struct theme {
    char name[32];
    bool sets_palette; /* a console's palette may be changed to the rgb forms */
    struct theme_entry roles[ROLE_COUNT];
};

const char *theme_role_name(enum theme_role role); /* "accent", "series-1" */
void theme_plain(struct theme *ret_theme);         /* the built-in one: works without any file */
/* From an INI text file; faults as sentences through `fault`; a bad line leaves that role as it
 * was. */
int theme_read(const char *path, struct theme *ret_theme,
               void (*fault)(void *user, const char *sentence), void *user);

/* One value ("#ffb000 | 214 | yellow on black +bold"); 0 or -EINVAL with what was expected. */
int theme_parse_entry(const char *value, struct theme_entry *ret_entry, char *why, size_t why_size);

#endif
