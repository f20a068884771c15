#include "terminal/theme.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/ini.h"
#include "base/str.h"
#include "terminal/theme_colour.h"

#define INHERIT_DEPTH 4

/* The built-in theme: the terminal's own background, no plain blue text, readable on dark. */
static const struct {
    const char *name, *value;
} built_in[ROLE_COUNT] = {
    [ROLE_TEXT] = {"text", "default"},
    [ROLE_DIM] = {"dim", "#8a8a8a | 245 | bright-black"},
    [ROLE_ACCENT] = {"accent", "#5fafd7 | 74 | cyan +bold"},
    [ROLE_OK] = {"ok", "#87af5f | 107 | green"},
    [ROLE_WARN] = {"warn", "#d7af5f | 179 | yellow +bold"},
    [ROLE_FAIL] = {"fail", "#d75f5f | 167 | red +bold"},
    [ROLE_FRAME] = {"frame", "#585858 | 240 | bright-black"},
    [ROLE_SELECT] = {"select", "#ffffff | 231 | black on #005f87 | 24 | cyan"},
    [ROLE_AXIS] = {"axis", "#8a8a8a | 245 | bright-black"},
    [ROLE_GRID] = {"grid", "#585858 | 240 | bright-black"},
    [ROLE_SERIES_1] = {"series-1", "#5fafd7 | 74 | cyan"},
    [ROLE_SERIES_2] = {"series-2", "#ffaf5f | 215 | yellow"},
    [ROLE_SERIES_3] = {"series-3", "#87af5f | 107 | green"},
    [ROLE_SERIES_4] = {"series-4", "#d787af | 175 | magenta"},
    [ROLE_SERIES_5] = {"series-5", "#d7d75f | 185 | yellow"},
    [ROLE_SERIES_6] = {"series-6", "#5fd7af | 79 | bright-cyan"},
    [ROLE_SERIES_7] = {"series-7", "#d75f5f | 167 | red"},
    [ROLE_SERIES_8] = {"series-8", "#d0d0d0 | 252 | white"},
};

static const struct {
    const char *name;
    unsigned style;
} styles[] = {{"+bold", STYLE_BOLD},
              {"+reverse", STYLE_REVERSE},
              {"+dim", STYLE_DIM},
              {"+underline", STYLE_UNDERLINE}};

struct reading {
    const char *path;
    struct theme *theme;
    void (*fault)(void *user, const char *sentence);
    void *user;
    int depth;
};

const char *theme_role_name(enum theme_role role)
{
    return built_in[role].name;
}

static int style_of(const char *word, size_t size, unsigned *ret_style)
{
    for (size_t i = 0; i < ARRAY_SIZE(styles); i++) {
        if (strlen(styles[i].name) == size && memcmp(styles[i].name, word, size) == 0) {
            *ret_style = styles[i].style;
            return 0;
        }
    }
    return -EINVAL;
}

/* Cuts "+bold +reverse" off the end of value[0..size). */
static int take_styles(const char *value, size_t *size, unsigned *ret_style)
{
    *ret_style = 0;
    for (;;) {
        while (*size && isspace((unsigned char)value[*size - 1]))
            (*size)--;
        size_t start = *size;
        while (start && !isspace((unsigned char)value[start - 1]))
            start--;
        unsigned style = 0;
        if (start == *size || value[start] != '+')
            return 0;
        if (style_of(value + start, *size - start, &style) < 0)
            return -EINVAL;
        *ret_style |= style;
        *size = start;
    }
}

int theme_parse_entry(const char *value, struct theme_entry *ret_entry, char *why, size_t why_size)
{
    struct theme_entry entry = {.background = {-1, -1, -1}};
    size_t size = strlen(value);
    const char *on = strstr(value, " on ");

    if (take_styles(value, &size, &entry.style) < 0) {
        (void)snprintf(why, why_size,
                       "expected +bold, +reverse, +dim or +underline at the end of \"%s\"", value);
        return -EINVAL;
    }
    if (on && (size_t)(on - value) >= size)
        on = NULL;
    const char *back = on ? on + 4 : NULL;
    if (theme_colour_parse(value, on ? (size_t)(on - value) : size, &entry.foreground) < 0 ||
        (back && (back > value + size || theme_colour_parse(back, (size_t)(value + size - back),
                                                            &entry.background) < 0))) {
        (void)snprintf(why, why_size,
                       "expected a colour as \"#ffb000 | 214 | yellow\" or \"default\", "
                       "with or without \"on\" and a second one, got \"%s\"",
                       value);
        return -EINVAL;
    }
    *ret_entry = entry;
    return 0;
}

void theme_plain(struct theme *ret_theme)
{
    char why[128];

    *ret_theme = (struct theme){.name = "default"};
    for (size_t i = 0; i < ROLE_COUNT; i++)
        (void)theme_parse_entry(built_in[i].value, &ret_theme->roles[i], why, sizeof(why));
}

static int read_at_depth(struct reading *reading);

static int inherit(const struct reading *reading, const char *name, char *why, size_t why_size)
{
    const char *slash = strrchr(reading->path, '/');
    int folder = slash ? (int)(slash - reading->path + 1) : 0;
    AUTO(str_done) struct str path = {0};
    struct reading parent = *reading;

    if (strchr(name, '/') || name[0] == '.' || name[0] == 0) {
        (void)snprintf(why, why_size, "expected the name of a theme of the same folder, got \"%s\"",
                       name);
        return -EINVAL;
    }
    if (reading->depth + 1 >= INHERIT_DEPTH) {
        (void)snprintf(why, why_size, "themes inherit at most %d deep", INHERIT_DEPTH);
        return -ELOOP;
    }
    str_addf(&path, "%.*s%s.ini", folder, reading->path, name);
    parent.path = str_text(&path);
    parent.depth++;
    int code = read_at_depth(&parent);
    if (code < 0)
        (void)snprintf(why, why_size, "the theme it inherits from, %s, cannot be read",
                       str_text(&path));
    return code;
}

static int entry_of_theme(const struct reading *reading, const char *key, const char *value,
                          char *why, size_t why_size)
{
    if (strcmp(key, "name") == 0) {
        (void)snprintf(reading->theme->name, sizeof(reading->theme->name), "%s", value);
        return 0;
    }
    if (strcmp(key, "inherits") == 0)
        return inherit(reading, value, why, why_size);
    if (strcmp(key, "palette") == 0 && (strcmp(value, "yes") == 0 || strcmp(value, "no") == 0)) {
        reading->theme->sets_palette = value[0] == 'y';
        return 0;
    }
    (void)snprintf(why, why_size, "expected name, inherits = THEME or palette = yes|no, got %s",
                   key);
    return -EINVAL;
}

static int entry_of_file(void *user, const char *section, const char *key, const char *value,
                         char *why, size_t why_size)
{
    const struct reading *reading = user;

    if (strcmp(section, "theme") == 0)
        return entry_of_theme(reading, key, value, why, why_size);
    bool is_series = strcmp(section, "series") == 0;
    if (!is_series && strcmp(section, "roles") != 0) {
        (void)snprintf(why, why_size, "expected a section [theme], [roles] or [series], got [%s]",
                       section);
        return -EINVAL;
    }
    size_t first = is_series ? ROLE_SERIES_1 : 0, last = is_series ? ROLE_COUNT : ROLE_SERIES_1;
    for (size_t i = first; i < last; i++) {
        if (str_equal_key(built_in[i].name + (is_series ? strlen("series-") : 0), key))
            return theme_parse_entry(value, &reading->theme->roles[i], why, why_size);
    }
    (void)snprintf(why, why_size,
                   is_series ? "expected a series from 1 to 8, got %s"
                             : "expected a role such as text or accent, got %s",
                   key);
    return -EINVAL;
}

static void pass_fault(void *user, const char *sentence)
{
    const struct reading *reading = user;

    if (reading->fault)
        reading->fault(reading->user, sentence);
}

static int read_at_depth(struct reading *reading)
{
    return ini_read(reading->path, entry_of_file, pass_fault, reading);
}

int theme_read(const char *path, struct theme *ret_theme,
               void (*fault)(void *user, const char *sentence), void *user)
{
    struct theme theme;
    struct reading reading = {.path = path, .theme = &theme, .fault = fault, .user = user};

    theme_plain(&theme);
    int code = read_at_depth(&reading);
    if (code == 0)
        *ret_theme = theme;
    return code;
}
