#include "screen/help.h"

#include "base/cleanup.h"
#include "base/units.h"
#include "view/lines.h"
#include "view/page.h"
#include "view/terms.h"
#include "widget/list.h"

#define KEY_CELLS 14
#define TERM_CELLS 18   /* the longest name of a figure fits */
#define TERM_COLUMNS 60 /* from here on there is room for it */

struct help {
    struct screen_context *context;
    uint64_t from; /* the screen it was asked from */
    struct lines lines;
};

enum { ACTION_BACK = 1 };

static const struct key_row keys[] = {
    {{KEY_CODE_ESCAPE, '?', KEY_CODE_ENTER}, ACTION_BACK, "esc", "back", "close the help"},
    {{KEY_CODE_UP, KEY_CODE_DOWN}, 0, "↑↓", "scroll", NULL},
    LIST_KEYS,
    {{0}, 0, NULL, NULL, NULL},
};

static void add_table(struct lines *lines, const char *name, const struct key_row *table)
{
    lines_add(lines, ROLE_ACCENT, name);
    for (; table->keys[0]; table++)
        if (table->help && table->action < LIST_UP)
            lines_pair(lines, table->name, ROLE_TEXT, table->help);
    lines_add(lines, ROLE_TEXT, "");
}

static bool shows_figures(uint64_t screen)
{
    return screen == SCREEN_RUN || screen == SCREEN_RESULT;
}

/* Wrapped anew for the width they are drawn in. */
static void add_terms(struct lines *lines, int columns)
{
    lines_add(lines, ROLE_ACCENT, "Figures of a network run");
    for (const struct term *term = terms_network(); term->name; term++)
        lines_wrap(lines, term->name, ROLE_TEXT, term->text, columns);
    lines_add(lines, ROLE_TEXT, "");
}

static void add_moves(struct lines *lines)
{
    static const struct key_row moves[] = {LIST_KEYS, {{0}, 0, NULL, NULL, NULL}};
    lines_add(lines, ROLE_ACCENT, "Lists");
    for (const struct key_row *row = moves; row->keys[0]; row++)
        lines_pair(lines, row->name, ROLE_TEXT, row->help);
    lines_add(lines, ROLE_TEXT, "");
}

static void build(struct help *help, int columns)
{
    const struct screen_context *context = help->context;
    struct lines *lines = &help->lines;
    lines_clear(lines);
    add_table(lines, context->screens[help->from]->name, context->screens[help->from]->keys);
    if (shows_figures(help->from))
        add_terms(lines, columns);
    add_table(lines, "Everywhere", context->everywhere);
    add_moves(lines);
    for (uint64_t i = 0; i < SCREEN_COUNT; i++)
        if (i != help->from && i != SCREEN_HELP)
            add_table(lines, context->screens[i]->name, context->screens[i]->keys);
    if (!shows_figures(help->from))
        add_terms(lines, columns);
}

static int help_open(struct screen_context *context, const char *argument, void **ret_state,
                     struct str *why)
{
    struct help *help = mem_new(1, sizeof *help);
    (void)why;
    help->context = context;
    if (units_parse_u64(argument, &help->from) < 0 || help->from >= SCREEN_COUNT)
        help->from = SCREEN_HOME;
    *ret_state = help;
    return 0;
}

static void help_close(void *state)
{
    struct help *help = state;
    lines_done(&help->lines);
    free(help);
}

static void help_draw(void *state, struct rect area)
{
    struct help *help = state;
    if (page_is_small(area)) {
        (void)page_small(area, "esc back · q quit", ROLE_TEXT);
        return;
    }
    struct page page = page_begin(area, "Keys", NULL, "iodyno " IODYNO_VERSION, ROLE_DIM);
    int cells = page.body.columns >= TERM_COLUMNS ? TERM_CELLS : KEY_CELLS;
    build(help, page.body.columns - 2 - cells);
    lines_draw(page.body, &help->lines, cells);
    page_footer(page.footer, keys);
}

static struct outcome help_key(void *state, int key)
{
    struct help *help = state;
    int action = keys_action(keys, key);
    if (action == ACTION_BACK)
        return outcome_of(OUTCOME_BACK);
    if (key == KEY_CODE_UP || key == KEY_CODE_DOWN)
        action = key == KEY_CODE_UP ? LIST_UP : LIST_DOWN;
    if (action < LIST_UP)
        return outcome_ignored();
    lines_scroll(&help->lines, action);
    return outcome_of(OUTCOME_STAY);
}

const struct screen help_screen = {
    .name = "Help",
    .keys = keys,
    .open = help_open,
    .draw = help_draw,
    .key = help_key,
    .close = help_close,
};
