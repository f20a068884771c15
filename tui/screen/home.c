#include "screen/home.h"

#include <stdio.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/units.h"
#include "device/remark.h"
#include "terminal/canvas.h"
#include "view/page.h"
#include "view/quantity.h"
#include "view/shelf.h"
#include "view/story.h"
#include "widget/list.h"

#define ROWS_MAX 256
#define TITLE_CELLS 11 /* blank, "iodyno", three blanks, blank at the end */
#define KIND_CELLS 10
#define SIZE_CELLS 9
#define FIGURE_CELLS 8
#define UNIT_CELLS 7

enum row_kind { ROW_HEADING, ROW_DEVICE, ROW_GONE, ROW_EMPTY };
struct row {
    enum row_kind kind;
    enum shelf_group group;
    char id[32];
};

struct home {
    struct screen_context *context;
    struct list list;
    struct row rows[ROWS_MAX];
    int count;
    char selected[32]; /* id, so that the selection follows its device */
    bool shows_hidden; /* ports too that are no hardware */
};

enum { ACTION_OPEN = 1, ACTION_RESCAN, ACTION_HIDDEN };

static const struct key_row keys[] = {
    {{KEY_CODE_ENTER}, ACTION_OPEN, "enter", "tests", "the tests of this device"},
    {{'r'}, -1, "r", "runs", "the runs of this screen"},
    {{'H'}, -1, "H", "history", "stored runs"},
    {{'u'}, ACTION_RESCAN, "u", "look again", "look for devices again"},
    {{'a'}, ACTION_HIDDEN, "a", NULL, "also ports without hardware, such as lo and bridges"},
    {{'?'}, -1, "?", "help", "all keys"},
    {{'q'}, -1, "q", "quit", "leave"},
    LIST_KEYS,
    {{0}, 0, NULL, NULL, NULL},
};

static void add_row(struct home *home, enum row_kind kind, enum shelf_group group, const char *id)
{
    if (home->count == ROWS_MAX)
        return;
    struct row *row = &home->rows[home->count++];
    *row = (struct row){.kind = kind, .group = group};
    (void)snprintf(row->id, sizeof row->id, "%s", id);
}

static void add_group(struct home *home, enum shelf_group group, uint64_t now_ns)
{
    const struct inventory *inventory = core_inventory(home->context->core);
    const struct changes *changes = home->context->changes;
    add_row(home, ROW_HEADING, group, "");
    int before = home->count;
    for (size_t i = 0; i < inventory->count; i++)
        if (shelf_group(&inventory->devices[i]) == group &&
            (shelf_shows(inventory, &inventory->devices[i]) ||
             (home->shows_hidden && inventory->devices[i].is_hidden)))
            add_row(home, ROW_DEVICE, group, inventory->devices[i].id);
    for (size_t i = 0; i < changes->mark_count; i++) {
        const struct change *mark = &changes->marks[i];
        struct device like = {.kind = mark->kind};
        if (mark->is_gone && mark->until_ns > now_ns && shelf_group(&like) == group)
            add_row(home, ROW_GONE, group, mark->id);
    }
    if (home->count == before)
        add_row(home, ROW_EMPTY, group, "");
}

static bool is_device(const void *user, int index)
{
    const struct home *home = user;
    return home->rows[index].kind == ROW_DEVICE;
}

static void remember(struct home *home)
{
    if (home->list.selected >= 0 && home->list.selected < home->count)
        (void)snprintf(home->selected, sizeof home->selected, "%s",
                       home->rows[home->list.selected].id);
}

static void rebuild(struct home *home)
{
    uint64_t now_ns = clock_mono_ns();
    home->count = 0;
    for (int group = 0; group < SHELF_GROUPS; group++)
        add_group(home, (enum shelf_group)group, now_ns);
    list_set_count(&home->list, home->count);
    for (int i = 0; home->selected[0] && i < home->count; i++)
        if (home->rows[i].kind == ROW_DEVICE && strcmp(home->rows[i].id, home->selected) == 0)
            list_select(&home->list, i);
    remember(home);
}

static int home_open(struct screen_context *context, const char *argument, void **ret_state,
                     struct str *why)
{
    struct home *home = mem_new(1, sizeof *home);
    (void)argument;
    (void)why;
    home->context = context;
    home->list.is_selectable = is_device;
    home->list.user = home;
    rebuild(home);
    *ret_state = home;
    return 0;
}

static void home_close(void *state)
{
    free(state);
}

/* The live run on a device or its partitions; NULL: none. */
static const struct model *live_model(const struct home *home, const char *id)
{
    const struct core *core = home->context->core;
    for (unsigned i = 0; i < core_run_count(core); i++) {
        const struct runner *runner = core_run(core, core_run_at(core, i));
        if (!runner || runner_is_over(runner))
            continue;
        const struct model *model = runner_model(runner);
        const struct device *device =
            model->target_id ? inventory_find(core_inventory(core), model->target_id) : NULL;
        bool is_part = device && device->parent && strcmp(device->parent, id) == 0;
        if (model->target_id && (is_part || strcmp(model->target_id, id) == 0))
            return model;
    }
    return NULL;
}

static bool live_rate(const struct model *model, double *ret_rate)
{
    int filled, line;
    struct series_total total;
    story_series(model, &filled, &line);
    if (filled < 0 || !model->metrics[filled].sum)
        return false;
    series_total(model->metrics[filled].sum, &total);
    *ret_rate = total.last * quantity_of(&model->metrics[filled].about, 0).factor;
    return total.count > 0;
}

static void draw_figures(const struct home *home, struct rect cells, const struct device *device)
{
    static const char *const units[SHELF_GROUPS] = {"MB/s", "MB/s", "Mbit/s"};
    static const struct quantity mega = {"", 1, 1e6};
    const struct model *live = live_model(home, device->id);
    enum figure_column live_column = FIGURE_SECOND;
    double live_value = 0;
    bool is_live = live && live->test && live_rate(live, &live_value);
    if (is_live)
        (void)figures_column(live->test, &live_column);
    bool has_any = false;
    for (int i = 0; i < 2; i++) {
        double rate = live_value;
        bool is_now = is_live && live_column == (enum figure_column)i;
        if (!is_now && !figures_find(home->context->figures, core_inventory(home->context->core),
                                     device->id, (enum figure_column)i, &rate))
            continue;
        canvas_text_right(cells.row, cells.column + i * FIGURE_CELLS, FIGURE_CELLS,
                          is_now ? ROLE_ACCENT : ROLE_TEXT, quantity_column(&mega, rate).text);
        has_any = true;
    }
    if (has_any)
        canvas_text(cells.row, cells.column + 2 * FIGURE_CELLS + 1, UNIT_CELLS - 1, ROLE_DIM,
                    units[shelf_group(device)]);
}

/* Widths of the columns between kind and figures, from what there is to show. */
static int id_cells(struct rect row)
{
    return row.columns >= 96 ? 14 : 10;
}

static int name_cells(struct rect row)
{
    return row.columns >= 96 ? 20 : row.columns >= 74 ? 10 : 0;
}

static void draw_device(struct home *home, const struct device *device, struct rect row)
{
    const struct change *mark = changes_mark(home->context->changes, device->id, clock_mono_ns());
    struct str mode AUTO(str_done) = {0}, size AUTO(str_done) = {0};
    bool is_missing;
    shelf_mode(device, &mode, &is_missing);
    shelf_size(device, &size);
    enum theme_role role = mark ? ROLE_OK : is_missing ? ROLE_DIM : ROLE_TEXT;
    struct rect whole = row;
    struct rect figures = {0};
    bool has_figures = row.columns >= 60;
    if (has_figures && !is_missing)
        figures = rect_take_right(&row, 2 * FIGURE_CELLS + UNIT_CELLS);
    struct rect kind = rect_take_left(&row, KIND_CELLS);
    struct rect id = rect_take_left(&row, id_cells(whole));
    canvas_text(kind.row, kind.column, kind.columns - 1, role, device_kind_label(device->kind));
    canvas_text(id.row, id.column, id.columns - 1, role, device->id);
    struct rect name = rect_take_left(&row, name_cells(whole));
    struct rect bytes = rect_take_left(&row, SIZE_CELLS);
    if (device->link) { /* an address has no size, and is longer than a name */
        struct str address AUTO(str_done) = {0};
        shelf_address(device, &address);
        canvas_text(name.row, name.column, name.columns + bytes.columns - 1, role,
                    str_text(&address));
    } else {
        canvas_text(name.row, name.column, name.columns - 1, role, shelf_name(device->name));
        canvas_text_right(bytes.row, bytes.column, bytes.columns, role, str_text(&size));
    }
    canvas_text(row.row, row.column + 2, row.columns - 2, is_missing ? ROLE_DIM : role,
                str_text(&mode));
    if (!rect_is_empty(figures))
        draw_figures(home, figures, device);
}

static void draw_heading(enum shelf_group group, struct rect row)
{
    static const char *const captions[SHELF_GROUPS][2] = {
        {"write", "read"}, {"write", "read"}, {"out", "in"}};
    canvas_text(row.row, row.column - 2, row.columns, ROLE_DIM, shelf_title(group));
    if (row.columns < 60)
        return;
    struct rect whole = row;
    struct rect figures = rect_take_right(&row, 2 * FIGURE_CELLS + UNIT_CELLS);
    struct rect mode = row;
    (void)rect_take_left(&mode, KIND_CELLS + id_cells(whole) + name_cells(whole) + SIZE_CELLS + 2);
    if (group == SHELF_STORAGE && mode.columns >= 10)
        canvas_text(mode.row, mode.column, 4, ROLE_DIM, "mode");
    canvas_text_right(row.row, figures.column - 5, 5 + FIGURE_CELLS, ROLE_DIM,
                      group == SHELF_NETWORK ? "last out" : "last write");
    canvas_text_right(row.row, figures.column + FIGURE_CELLS, FIGURE_CELLS, ROLE_DIM,
                      captions[group][1]);
}

static void draw_row(void *user, int index, struct rect row, bool is_selected)
{
    struct home *home = user;
    const struct row *item = &home->rows[index];
    (void)is_selected;
    if (item->kind == ROW_HEADING) {
        draw_heading(item->group, row);
        return;
    }
    if (item->kind == ROW_EMPTY) {
        canvas_text(row.row, row.column, row.columns, ROLE_DIM, "none found");
        return;
    }
    const struct device *device = inventory_find(core_inventory(home->context->core), item->id);
    if (device) {
        draw_device(home, device, row);
        return;
    }
    const struct change *mark = changes_mark(home->context->changes, item->id, clock_mono_ns());
    if (mark)
        canvas_textf(row.row, row.column, row.columns, ROLE_DIM, "%s, gone", mark->label);
}

/* Adds a part behind a dot, whole or not at all: half a number would be another one. */
static void add_part(struct str *into, const char *part, int cells)
{
    int used = canvas_width(str_text(into)), gap = used ? 3 : 0;
    if (used + gap + canvas_width(part) <= cells)
        str_addf(into, "%s%s", gap ? " · " : "", part);
}

static void describe_board(const struct board *board, int cells, struct str *into)
{
    char part[96];
    add_part(into, board->name ? board->name : "this machine", cells);
    (void)snprintf(part, sizeof part, "Linux %s", board->kernel ? board->kernel : "");
    if (board->kernel)
        add_part(into, part, cells);
    (void)snprintf(part, sizeof part, "%u core%s", board->cpus, board->cpus == 1 ? "" : "s");
    add_part(into, part, cells);
    if (board->memory_bytes)
        add_part(into, units_bytes_binary((double)board->memory_bytes).text, cells);
}

/* Nothing has happened yet: the line tells about the selected device instead. */
static void draw_about(const struct home *home, struct rect row)
{
    const char *id = home->list.selected >= 0 ? home->rows[home->list.selected].id : "";
    const struct inventory *inventory = core_inventory(home->context->core);
    const struct device *device = inventory_find(inventory, id);
    struct str why AUTO(str_done) = {0}, text AUTO(str_done) = {0};
    if (device && device->link)
        remark_add(device, NULL, &text);
    if (text.size > 0)
        page_line(row, ROLE_DIM, str_text(&text));
    if (!device || shelf_group(device) != SHELF_STORAGE || rect_is_empty(row))
        return;
    const struct device *mounted = inventory_mounted(inventory, device, &why);
    if (mounted)
        str_addf(&text, "%s  %s at %s", mounted->id,
                 mounted->filesystem ? mounted->filesystem : "mounted",
                 mounted->mounts ? mounted->mounts[0] : "?");
    else
        str_addf(&text, "%s  %s", device->id, str_text(&why));
    remark_add(device, NULL, &text);
    if (mounted && mounted != device)
        remark_add(mounted, device, &text);
    page_line(row, ROLE_DIM, str_text(&text));
}

static void draw_small(struct home *home, struct rect area, unsigned live)
{
    const char *id = home->list.selected >= 0 ? home->rows[home->list.selected].id : "";
    const struct device *device = inventory_find(core_inventory(home->context->core), id);
    struct str text AUTO(str_done) = {0};
    str_addf(&text, "› %s", device ? device->id : "nothing to test");
    if (device && device->name)
        str_addf(&text, " %s", shelf_name(device->name));
    if (live)
        str_addf(&text, " · %u running", live);
    list_draw(page_small(area, str_text(&text), ROLE_TEXT), &home->list, home->context->glyphs,
              draw_row, home);
}

static void home_draw(void *state, struct rect area)
{
    struct home *home = state;
    unsigned live = screen_live_runs(home->context->core);
    rebuild(home);
    if (page_is_small(area)) {
        draw_small(home, area, live);
        return;
    }
    struct str board AUTO(str_done) = {0};
    char right[32] = "";
    if (live)
        (void)snprintf(right, sizeof right, "%u running", live);
    describe_board(core_board(home->context->core),
                   area.columns - TITLE_CELLS - (live ? (int)strlen(right) + 2 : 0), &board);
    struct page page = page_begin(area, "iodyno", str_text(&board), right, ROLE_ACCENT);
    list_draw(page.body, &home->list, home->context->glyphs, draw_row, home);
    screen_note(home->context, page.note, NULL, ROLE_TEXT);
    if (!notes_last(home->context->notes))
        draw_about(home, page.note);
    page_footer(page.footer, keys);
}

static struct outcome home_key(void *state, int key)
{
    struct home *home = state;
    int action = keys_action(keys, key);
    if (list_move(&home->list, action)) {
        remember(home);
        return outcome_of(OUTCOME_STAY);
    }
    if (action == ACTION_RESCAN) {
        (void)core_rescan(home->context->core);
        return outcome_of(OUTCOME_STAY);
    }
    if (action == ACTION_HIDDEN) {
        home->shows_hidden = !home->shows_hidden;
        return outcome_of(OUTCOME_STAY);
    }
    if (action == ACTION_OPEN && home->list.selected >= 0)
        return outcome_to(OUTCOME_OPEN, SCREEN_MENU, "%s", home->rows[home->list.selected].id);
    return outcome_ignored();
}

static bool home_is_live(const void *state)
{
    const struct home *home = state;
    return screen_live_runs(home->context->core) > 0 ||
           changes_are_marked(home->context->changes, clock_mono_ns());
}

static struct outcome home_tick(void *state)
{
    (void)state;
    return outcome_of(OUTCOME_STAY);
}

const struct screen home_screen = {
    .name = "Devices",
    .keys = keys,
    .open = home_open,
    .draw = home_draw,
    .key = home_key,
    .tick = home_tick,
    .is_live = home_is_live,
    .close = home_close,
};
