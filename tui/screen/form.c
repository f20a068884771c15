#include "widget/form.h"

#include <string.h>

#include "base/cleanup.h"
#include "device/remark.h"
#include "screen/form.h"
#include "terminal/canvas.h"
#include "view/lines.h"
#include "view/page.h"
#include "view/shelf.h"

struct form_state {
    struct screen_context *context;
    char *test, *target;
    struct form form;
    struct str message;
    bool has_asked; /* the message asks for a person's word; enter gives it */
    struct history_query *content;
    struct str holds, warning, mkfs; /* of a device that is not mounted, once it has been asked */
};

enum { ACTION_START = 1, ACTION_BACK, ACTION_DEFAULTS };
#define KEY_CTRL_R 0x12

static const struct key_row keys[] = {
    {{KEY_CODE_ENTER}, ACTION_START, "enter", "start", "start the test with these values"},
    {{KEY_CODE_ESCAPE}, ACTION_BACK, "esc", "back", "back to the tests; the values are kept"},
    {{KEY_CODE_UP, KEY_CODE_DOWN, KEY_CODE_TAB}, 0, "↑↓", "field", "another field"},
    {{KEY_CODE_LEFT, KEY_CODE_RIGHT}, 0, "←→", "choice", "another choice, or the cursor"},
    {{KEY_CTRL_R}, ACTION_DEFAULTS, "^R", "defaults", "all values as they were at first"},
    {{0}, 0, NULL, NULL, NULL},
};

static const struct catalog_test *test_of(const struct form_state *state)
{
    return catalog_find(core_catalog(state->context->core), state->test);
}

static void restore_kept(struct form_state *state)
{
    char **options = kept_options(state->context->kept, state->test, state->target);
    for (size_t i = 0; options[i]; i++) {
        char *equals = strchr(options[i], '=');
        if (!equals)
            continue;
        *equals = '\0';
        form_set(&state->form, options[i], equals + 1);
    }
    kept_options_free(options);
}

/* What the screen offers instead of the option's default; NULL: nothing. */
static const char *offer_of(const struct form_state *state, const char *key)
{
    const struct catalog_test *test = test_of(state);
    return test ? peers_offer(&state->context->figures->peers, test, state->target, key) : NULL;
}

static void keep(const struct form_state *state)
{
    for (size_t i = 0; i < state->form.count; i++) {
        const char *key = state->form.fields[i].option->key;
        kept_drop(state->context->kept, state->test, state->target, key);
        if (!form_is_default(&state->form, i) || offer_of(state, key))
            kept_set(state->context->kept, state->test, state->target, key,
                     form_text(&state->form, i));
    }
}

/* The values as they stand, as options; kept_options_free. */
static char **wished_options(const struct form_state *state)
{
    const struct form *form = &state->form;
    char **options = mem_new(form->count + 1, sizeof *options);
    size_t count = 0;
    for (size_t i = 0; i < form->count; i++) {
        struct str option = {0};
        if (form_is_default(form, i) && !offer_of(state, form->fields[i].option->key))
            continue;
        str_addf(&option, "%s=%s", form->fields[i].option->key, form_text(form, i));
        options[count++] = str_take(&option);
    }
    return options;
}

typedef void (*tell_fn)(const struct core *core, const struct order_wish *wish, struct str *into);

/* What the values as they stand would do to the device, or need a person's word for. */
static void tell(const struct form_state *state, tell_fn fn, struct str *into)
{
    char **options = wished_options(state);
    const struct order_wish wish = {
        .test = state->test, .target = state->target, .options = (const char *const *)options};
    fn(state->context->core, &wish, into);
    kept_options_free(options);
}

static void take_pair(const struct frame *row, const char *key, struct str *into)
{
    const char *text = frame_pair(row, key);
    str_clear(into);
    if (text)
        str_add_clean(into, text, strlen(text));
}

/* What is on a device that is not mounted; not known (not permitted) is no reason to say anything:
 * the run's guard has the last word. */
static void on_content(void *user, const struct frame *row, const char *problem)
{
    struct form_state *state = user;
    (void)problem;
    if (!row || frame_pair(row, "error"))
        return;
    take_pair(row, "text", &state->holds);
    take_pair(row, "warning", &state->warning);
    take_pair(row, "mkfs", &state->mkfs);
    state->context->wake(state->context->user);
}

static void ask_content(struct form_state *state)
{
    const struct inventory *inventory = core_inventory(state->context->core);
    const struct device *device = inventory_find(inventory, state->target);
    struct str why AUTO(str_done) = {0};
    if (device && device->kind < DEVICE_DRAM && device->has_medium &&
        !inventory_mounted(inventory, device, &why))
        (void)core_probe(state->context->core, "content", state->target, on_content, state,
                         &state->content);
}

static int form_open(struct screen_context *context, const char *argument, void **ret_state,
                     struct str *why)
{
    const char *blank = strchr(argument, ' ');
    struct str test AUTO(str_done) = {0};
    str_add_bytes(&test, argument, blank ? (size_t)(blank - argument) : strlen(argument));
    const struct catalog_test *found = catalog_find(core_catalog(context->core), str_text(&test));
    if (!found || !blank) {
        str_addf(why, "there is no test \"%s\"", str_text(&test));
        return -1;
    }
    struct form_state *state = mem_new(1, sizeof *state);
    state->context = context;
    state->test = str_take(&test);
    state->target = mem_copy_text(blank + 1);
    form_init(&state->form, found->options, found->option_count);
    peers_prepare(&context->figures->peers, found, state->target, context->kept);
    restore_kept(state);
    ask_content(state);
    *ret_state = state;
    return 0;
}

static void form_close(void *pointer)
{
    struct form_state *state = pointer;
    keep(state);
    form_done(&state->form);
    history_free(state->content);
    str_done(&state->message);
    str_done(&state->holds);
    str_done(&state->warning);
    str_done(&state->mkfs);
    free(state->test);
    free(state->target);
    free(state);
}

/* A text that is too long for the line of notes takes rows from the fields. */
static void paint_long(struct rect *body, const char *text)
{
    struct lines lines AUTO(lines_done) = {0};
    lines_wrap(&lines, NULL, ROLE_WARN, text, body->columns - 2);
    struct rect area = rect_take_bottom(body, (int)lines.count);
    lines_draw(area, &lines, 0);
}

/* What is to be known of a port before a test on it starts. */
static void add_remark(const struct form_state *state, struct str *into)
{
    const struct device *device =
        inventory_find(core_inventory(state->context->core), state->target);
    if (device && shelf_group(device) == SHELF_NETWORK)
        remark_add(device, NULL, into);
}

static void form_paint(void *pointer, struct rect area)
{
    struct form_state *state = pointer;
    const struct catalog_test *test = test_of(state);
    struct str strong AUTO(str_done) = {0};
    str_addf(&strong, "%s · options", test ? test->title : state->test);
    if (page_is_small(area)) {
        int selected = state->form.list.selected;
        struct str text AUTO(str_done) = {0};
        if (selected >= 0)
            str_addf(&text, "%s=%s", state->form.fields[selected].option->key,
                     form_text(&state->form, (size_t)selected));
        (void)page_small(area, state->message.size ? state->message.text : str_text(&text),
                         state->message.size ? ROLE_WARN : ROLE_TEXT);
        return;
    }
    struct page page = page_begin(area, str_text(&strong), state->target, NULL, ROLE_TEXT);
    (void)rect_take_top(&page.body, 1);
    struct str note AUTO(str_done) = {0};
    str_add(&note, str_text(&state->message));
    if (note.size == 0)
        tell(state, core_note, &note);
    if (note.size == 0)
        add_remark(state, &note);
    bool is_long = canvas_width(str_text(&note)) > page.note.columns - 2;
    if (is_long)
        paint_long(&page.body, str_text(&note));
    if (state->form.count == 0)
        canvas_text(page.body.row, page.body.column + 3, page.body.columns - 4, ROLE_DIM,
                    "This test has no options.");
    form_draw(page.body, &state->form, state->context->glyphs);
    screen_note(state->context, page.note, is_long ? "" : str_text(&note), ROLE_WARN);
    page_footer(page.footer, keys);
}

/* The question, with what is known of the device. False: there is nothing to ask. */
static bool ask_for_word(struct form_state *state)
{
    struct str question AUTO(str_done) = {0};
    tell(state, core_ask, &question);
    if (question.size == 0)
        return false;
    str_clear(&state->message);
    if (state->mkfs.size) {
        str_addf(&state->message, "%s is blank, and nothing is ever written raw; a file system: %s",
                 state->target, state->mkfs.text);
        return true;
    }
    str_add(&state->message, question.text);
    if (state->holds.size)
        str_addf(&state->message, ". It holds %s", state->holds.text);
    if (state->warning.size)
        str_addf(&state->message, " (%s)", state->warning.text);
    str_addf(&state->message, ". Press enter again to agree for %s", state->target);
    state->has_asked = true;
    return true;
}

static struct outcome start(struct form_state *state, bool is_confirmed)
{
    int bad = form_first_bad(&state->form);
    if (bad >= 0) {
        list_select(&state->form.list, bad);
        str_add(&state->message, state->form.fields[bad].why);
        return outcome_of(OUTCOME_STAY);
    }
    keep(state);
    if (!is_confirmed && ask_for_word(state))
        return outcome_of(OUTCOME_STAY);
    struct outcome outcome =
        screen_start(state->context, state->test, state->target, is_confirmed, &state->message);
    if (outcome.action == OUTCOME_OPEN)
        outcome.action = OUTCOME_REPLACE; /* back leads to the list of tests */
    return outcome;
}

static struct outcome form_press(void *pointer, int key)
{
    struct form_state *state = pointer;
    bool is_confirmed = state->has_asked;
    state->has_asked = false;
    str_clear(&state->message);
    if (form_key(&state->form, key))
        return outcome_of(OUTCOME_STAY);
    switch (keys_action(keys, key)) {
    case ACTION_BACK:
        return outcome_of(OUTCOME_BACK);
    case ACTION_START:
        return start(state, is_confirmed);
    case ACTION_DEFAULTS:
        for (size_t i = 0; i < state->form.count; i++) {
            const struct option *option = state->form.fields[i].option;
            const char *offer = offer_of(state, option->key);
            form_set(&state->form, option->key, offer ? offer : option->def ? option->def : "");
        }
        return outcome_of(OUTCOME_STAY);
    default:
        return outcome_ignored();
    }
}

const struct screen form_screen = {
    .name = "Options",
    .keys = keys,
    .open = form_open,
    .draw = form_paint,
    .key = form_press,
    .close = form_close,
};
