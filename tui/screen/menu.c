#include "screen/menu.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/units.h"
#include "device/remark.h"
#include "iodyno/plugin.h"
#include "terminal/canvas.h"
#include "view/lines.h"
#include "view/page.h"
#include "view/shelf.h"
#include "view/story.h"
#include "widget/list.h"

#define ENTRIES_MAX 64
#define TITLE_CELLS 19
#define REMARK_ROWS_MOST 2

struct entry {
    const struct catalog_test *about; /* valid while the menu is being built */
    int rank;
    char test[64];
    char unfit[200]; /* "": it fits */
};

struct menu {
    struct screen_context *context;
    char device[32]; /* as chosen; the mounted partition is looked up each time */
    struct list list;
    struct entry entries[ENTRIES_MAX];
    int count;
    struct history_query *room;
    double free_bytes; /* negative: not known */
    char asked[512];   /* the folder whose room was asked for */
    struct str message;
};

enum { ACTION_START = 1, ACTION_OPTIONS, ACTION_BACK };

static const struct key_row keys[] = {
    {{KEY_CODE_ENTER}, ACTION_START, "enter", "run with these", "start the test"},
    {{'o'}, ACTION_OPTIONS, "o", "options", "change the options of the test first"},
    {{KEY_CODE_ESCAPE}, ACTION_BACK, "esc", "back", "back to the devices"},
    {{'H'}, -1, "H", "history", "stored runs"},
    {{'?'}, -1, "?", "help", "all keys"},
    LIST_KEYS,
    {{0}, 0, NULL, NULL, NULL},
};

static const struct device *device_of(const struct menu *menu)
{
    return inventory_find(core_inventory(menu->context->core), menu->device);
}

/* What a run on the chosen device will use: its mounted partition where it has one. */
static const struct device *target_of(const struct menu *menu)
{
    const struct device *device = device_of(menu);
    struct str why AUTO(str_done) = {0};
    if (!device || shelf_group(device) != SHELF_STORAGE)
        return device;
    const struct device *mounted =
        inventory_mounted(core_inventory(menu->context->core), device, &why);
    return mounted ? mounted : device;
}

static bool is_offered(const struct menu *menu, const struct catalog_test *test,
                       const struct device *device)
{
    const struct screen_context *context = menu->context;
    if (test->flags & DYNO_HIDDEN)
        return context->shows_selftests || (context->is_demo && device->kind == DEVICE_DRAM);
    return true;
}

static void add_entry(struct menu *menu, const struct catalog_test *test,
                      const struct device *device, int rank)
{
    struct str why AUTO(str_done) = {0};
    const char *unfit = core_unfit(menu->context->core, test, device, &why);
    struct entry *entry = &menu->entries[menu->count++];
    entry->about = test;
    entry->rank = rank;
    (void)snprintf(entry->test, sizeof entry->test, "%s", test->id);
    (void)snprintf(entry->unfit, sizeof entry->unfit, "%s", unfit ? unfit : "");
}

/* Kinds meant for this sort of device come first, the self-tests after them. */
static int rank_of(const struct catalog_test *test, const struct device *device)
{
    if (test->flags & DYNO_HIDDEN)
        return 1;
    return test->targets & shelf_targets(shelf_group(device)) ? 0 : 2;
}

/* A plugin's table has its tests in the order in which a person wants them. */
static int by_rank_and_place(const void *left, const void *right)
{
    const struct entry *a = left, *b = right;
    if (a->rank != b->rank)
        return a->rank - b->rank;
    int plugins = strcmp(a->about->plugin, b->about->plugin);
    return plugins ? plugins : (int)a->about->ordinal - (int)b->about->ordinal;
}

static void rebuild(struct menu *menu)
{
    const struct catalog *catalog = core_catalog(menu->context->core);
    const struct device *device = target_of(menu);
    menu->count = 0;
    bool is_ready = device && core_catalog_is_ready(menu->context->core);
    for (size_t i = 0; is_ready && i < catalog->test_count && menu->count < ENTRIES_MAX; i++) {
        const struct catalog_test *test = &catalog->tests[i];
        if (is_offered(menu, test, device)) {
            peers_prepare(&menu->context->figures->peers, test, device->id, menu->context->kept);
            add_entry(menu, test, device, rank_of(test, device));
        }
    }
    qsort(menu->entries, (size_t)menu->count, sizeof menu->entries[0], by_rank_and_place);
    list_set_count(&menu->list, menu->count);
}

static void on_room(void *user, const struct frame *row, const char *problem)
{
    struct menu *menu = user;
    const char *text = row ? frame_pair(row, "free_bytes") : NULL;
    uint64_t bytes;
    (void)problem; /* unknown room is shown as no room figure; the run's guard has the last word */
    if (text && units_parse_u64(text, &bytes) == 0)
        menu->free_bytes = (double)bytes;
    menu->context->wake(menu->context->user);
}

static void ask_room(struct menu *menu)
{
    const struct device *target = target_of(menu);
    const char *folder = target && target->mounts ? target->mounts[0] : NULL;
    if (!folder || strcmp(menu->asked, folder) == 0)
        return;
    (void)snprintf(menu->asked, sizeof menu->asked, "%s", folder);
    menu->free_bytes = -1;
    menu->room = history_free(menu->room);
    (void)core_probe(menu->context->core, "room", folder, on_room, menu, &menu->room);
}

static int menu_open(struct screen_context *context, const char *argument, void **ret_state,
                     struct str *why)
{
    if (!inventory_find(core_inventory(context->core), argument)) {
        str_addf(why, "%s is gone", argument);
        return -1;
    }
    struct menu *menu = mem_new(1, sizeof *menu);
    menu->context = context;
    menu->free_bytes = -1;
    (void)snprintf(menu->device, sizeof menu->device, "%s", argument);
    rebuild(menu);
    ask_room(menu);
    *ret_state = menu;
    return 0;
}

static void menu_close(void *state)
{
    struct menu *menu = state;
    history_free(menu->room);
    str_done(&menu->message);
    free(menu);
}

static void describe(const struct menu *menu, struct str *into)
{
    const struct device *device = device_of(menu), *target = target_of(menu);
    struct str mode AUTO(str_done) = {0};
    bool is_missing;
    if (!device)
        return;
    str_addf(into, "%s  %s", device_kind_label(device->kind), target->id);
    if (device->name)
        str_addf(into, " · %s", shelf_name(device->name));
    shelf_mode(device, &mode, &is_missing);
    if (mode.size && !is_missing)
        str_addf(into, " · %s", mode.text);
    if (target->filesystem)
        str_addf(into, " · %s at %s", target->filesystem, target->mounts ? target->mounts[0] : "?");
}

static void describe_time(const struct menu *menu, const struct catalog_test *test,
                          struct str *into)
{
    enum figure_column column = FIGURE_FIRST;
    double rate = 0;
    if (figures_column(test->id, &column))
        (void)figures_find(menu->context->figures, core_inventory(menu->context->core),
                           menu->device, column, &rate);
    double seconds = shelf_estimate(test, rate);
    const struct kept *kept = menu->context->kept;
    const char *target = target_of(menu)->id, *peer = kept_find(kept, test->id, target, "server");
    if (peers_is_missing(test, target, kept))
        str_add(into, "with whom? o");
    else if ((test->flags & DYNO_NEEDS_PEER) && peer)
        str_addf(into, "with %s", peer);
    else if (kept_has(kept, test->id, target))
        str_add(into, "options changed");
    else if (test->flags & DYNO_ENDLESS)
        str_add(into, "until stopped");
    else if (seconds >= 0)
        str_addf(into, "about %s", story_seconds(seconds < 1 ? 1 : seconds).text);
}

static void draw_entry(void *user, int index, struct rect row, bool is_selected)
{
    const struct menu *menu = user;
    const struct entry *entry = &menu->entries[index];
    const struct catalog_test *test = catalog_find(core_catalog(menu->context->core), entry->test);
    (void)is_selected;
    if (!test)
        return;
    struct rect title = rect_take_left(&row, TITLE_CELLS);
    enum theme_role role = entry->unfit[0] ? ROLE_DIM : ROLE_TEXT;
    canvas_text(title.row, title.column, title.columns - 1, role, test->title);
    if (entry->unfit[0]) {
        canvas_text(row.row, row.column, row.columns, ROLE_DIM, entry->unfit);
        return;
    }
    struct str time AUTO(str_done) = {0};
    describe_time(menu, test, &time);
    struct rect right = rect_take_right(&row, time.size ? canvas_width(time.text) : 0);
    canvas_text(row.row, row.column, row.columns - 2, ROLE_DIM, test->summary);
    if (time.size)
        canvas_text(right.row, right.column, right.columns, ROLE_TEXT, time.text);
}

static void draw_small(struct menu *menu, struct rect area)
{
    const struct catalog_test *test = menu->list.selected < 0
                                          ? NULL
                                          : catalog_find(core_catalog(menu->context->core),
                                                         menu->entries[menu->list.selected].test);
    struct str text AUTO(str_done) = {0};
    str_addf(&text, "› %s · %s", test ? test->title : "no test", menu->device);
    struct rect rest = page_small(area, menu->message.size ? menu->message.text : str_text(&text),
                                  menu->message.size ? ROLE_WARN : ROLE_TEXT);
    list_draw(rest, &menu->list, menu->context->glyphs, draw_entry, menu);
}

/* What is to be known of a port before a test on it starts, in up to two rows. False: nothing. */
static bool draw_remark(const struct menu *menu, struct rect *body)
{
    const struct device *device = device_of(menu);
    struct str text AUTO(str_done) = {0};
    struct lines lines AUTO(lines_done) = {0};
    if (!device || shelf_group(device) != SHELF_NETWORK || body->rows < 6)
        return false;
    remark_add(device, NULL, &text);
    if (text.size == 0)
        return false;
    lines_wrap(&lines, NULL, ROLE_WARN, text.text, body->columns - 2);
    int rows = lines.count < REMARK_ROWS_MOST ? (int)lines.count : REMARK_ROWS_MOST;
    for (int i = 0; i < rows; i++)
        page_line(rect_take_top(body, 1), ROLE_WARN, lines.items[i].text);
    (void)rect_take_top(body, 1);
    return true;
}

static void menu_draw(void *state, struct rect area)
{
    struct menu *menu = state;
    rebuild(menu);
    if (page_is_small(area)) {
        draw_small(menu, area);
        return;
    }
    struct str about AUTO(str_done) = {0}, right AUTO(str_done) = {0};
    describe(menu, &about);
    if (menu->free_bytes >= 0)
        str_addf(&right, "%s free", units_bytes(menu->free_bytes).text);
    struct page page = page_begin(area, "Tests", str_text(&about), str_text(&right), ROLE_TEXT);
    if (!draw_remark(menu, &page.body))
        (void)rect_take_top(&page.body, 1);
    const char *empty = !device_of(menu)                              ? "This device is gone."
                        : !core_catalog_is_ready(menu->context->core) ? "Looking up the tests…"
                        : menu->count == 0                            ? "No plugin offers a test."
                                                                      : NULL;
    if (empty)
        canvas_text(page.body.row, page.body.column + 3, page.body.columns - 4, ROLE_DIM, empty);
    else
        list_draw(page.body, &menu->list, menu->context->glyphs, draw_entry, menu);
    screen_note(menu->context, page.note, str_text(&menu->message), ROLE_WARN);
    page_footer(page.footer, keys);
}

static bool needs_word(const struct menu *menu, const struct entry *entry,
                       const struct device *target)
{
    struct str question AUTO(str_done) = {0};
    char **options = kept_options(menu->context->kept, entry->test, target->id);
    const struct order_wish wish = {
        .test = entry->test, .target = target->id, .options = (const char *const *)options};
    core_ask(menu->context->core, &wish, &question);
    kept_options_free(options);
    return question.size > 0;
}

static struct outcome menu_start(struct menu *menu, const struct entry *entry)
{
    const struct device *target = target_of(menu);
    if (entry->unfit[0] || !target) {
        str_addf(&menu->message, "Not on this device: %s", target ? entry->unfit : "it is gone");
        return outcome_of(OUTCOME_STAY);
    }
    const struct catalog_test *test = catalog_find(core_catalog(menu->context->core), entry->test);
    bool has_no_peer = test && peers_is_missing(test, target->id, menu->context->kept);
    if (has_no_peer || needs_word(menu, entry, target)) /* the form asks for it */
        return outcome_to(OUTCOME_OPEN, SCREEN_FORM, "%s %s", entry->test, target->id);
    return screen_start(menu->context, entry->test, target->id, false, &menu->message);
}

static struct outcome menu_key(void *state, int key)
{
    struct menu *menu = state;
    int action = keys_action(keys, key);
    str_clear(&menu->message);
    rebuild(menu);
    if (list_move(&menu->list, action))
        return outcome_of(OUTCOME_STAY);
    if (action == ACTION_BACK)
        return outcome_of(OUTCOME_BACK);
    if (menu->list.selected < 0 || !target_of(menu))
        return outcome_ignored();
    const struct entry *entry = &menu->entries[menu->list.selected];
    if (action == ACTION_START)
        return menu_start(menu, entry);
    if (action == ACTION_OPTIONS)
        return outcome_to(OUTCOME_OPEN, SCREEN_FORM, "%s %s", entry->test, target_of(menu)->id);
    return outcome_ignored();
}

static struct outcome menu_changed(void *state, enum core_event event, unsigned run)
{
    (void)run;
    if (event == CORE_RUN)
        return outcome_ignored();
    ask_room(state);
    return outcome_of(OUTCOME_STAY);
}

const struct screen menu_screen = {
    .name = "Tests",
    .keys = keys,
    .open = menu_open,
    .draw = menu_draw,
    .key = menu_key,
    .changed = menu_changed,
    .close = menu_close,
};
