#include "screen/help.h"

#include "base/cleanup.h"
#include "base/units.h"
#include "view/lines.h"
#include "view/page.h"
#include "widget/list.h"

#define KEY_CELLS 14

struct help {
    struct screen_context *context;
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

static int help_open(struct screen_context *context, const char *argument, void **ret_state,
                     struct str *why)
{
    static const struct key_row moves[] = {LIST_KEYS, {{0}, 0, NULL, NULL, NULL}};
    struct help *help = mem_new(1, sizeof *help);
    uint64_t from;
    (void)why;
    help->context = context;
    if (units_parse_u64(argument, &from) < 0 || from >= SCREEN_COUNT)
        from = SCREEN_HOME;
    add_table(&help->lines, context->screens[from]->name, context->screens[from]->keys);
    add_table(&help->lines, "Everywhere", context->everywhere);
    lines_add(&help->lines, ROLE_ACCENT, "Lists");
    for (const struct key_row *row = moves; row->keys[0]; row++)
        lines_pair(&help->lines, row->name, ROLE_TEXT, row->help);
    lines_add(&help->lines, ROLE_TEXT, "");
    for (uint64_t i = 0; i < SCREEN_COUNT; i++)
        if (i != from && i != SCREEN_HELP)
            add_table(&help->lines, context->screens[i]->name, context->screens[i]->keys);
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
    lines_draw(page.body, &help->lines, KEY_CELLS);
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
