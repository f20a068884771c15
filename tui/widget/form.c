#include "widget/form.h"

#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "iodyno/plugin.h"
#include "terminal/canvas.h"
#include "terminal/keys.h"
#include "terminal/theme.h"
#include "widget/wrap.h"

#define LABEL_CELLS 18
#define VALUE_CELLS 24

static const char *const bool_words[] = {"no", "yes", NULL};
static const char *const bool_texts[] = {"0", "1", NULL};

static bool is_choice(const struct option *option)
{
    return (option->type == DYNO_CHOICE && option->choices && option->choices[0]) ||
           option->type == DYNO_BOOL;
}

static const char *const *texts_of(const struct option *option)
{
    return option->type == DYNO_BOOL ? bool_texts : (const char *const *)option->choices;
}

static void judge(struct form_field *field)
{
    struct option_value value = {0};
    struct str why = {0}, meaning = {0};
    free(field->why);
    free(field->meaning);
    field->why = NULL;
    if (option_parse(field->option, field->line.text, &value, &why) < 0)
        field->why = mem_copy_text(why.size ? why.text : "this value does not fit");
    else if (value.is_set && !is_choice(field->option))
        option_meaning(field->option, &value, &meaning);
    field->meaning = mem_copy_text(str_text(&meaning));
    option_value_done(&value);
    str_done(&why);
    str_done(&meaning);
}

/* Index of the field's present choice, -1 when it is unset or bad. */
static int choice_now(const struct form_field *field)
{
    struct option_value value = {0};
    struct str why = {0};
    int index = -1;
    if (option_parse(field->option, field->line.text, &value, &why) == 0 && value.is_set)
        index = (int)value.number;
    option_value_done(&value);
    str_done(&why);
    return index;
}

void form_init(struct form *form, const struct option *options, size_t count)
{
    *form = (struct form){.count = count};
    form->fields = mem_new(count ? count : 1, sizeof *form->fields);
    for (size_t i = 0; i < count; i++) {
        form->fields[i].option = &options[i];
        line_set(&form->fields[i].line, options[i].def ? options[i].def : "");
        judge(&form->fields[i]);
    }
    list_set_count(&form->list, (int)count);
}

void form_done(struct form *form)
{
    for (size_t i = 0; i < form->count; i++) {
        free(form->fields[i].why);
        free(form->fields[i].meaning);
    }
    free(form->fields);
    *form = (struct form){0};
}

void form_set(struct form *form, const char *key, const char *text)
{
    for (size_t i = 0; i < form->count; i++)
        if (str_equal_key(form->fields[i].option->key, key)) {
            line_set(&form->fields[i].line, text);
            judge(&form->fields[i]);
        }
}

const char *form_text(const struct form *form, size_t index)
{
    return form->fields[index].line.text;
}

bool form_is_default(const struct form *form, size_t index)
{
    const char *def = form->fields[index].option->def;
    return strcmp(form_text(form, index), def ? def : "") == 0;
}

static bool cycle(struct form_field *field, int key)
{
    bool is_forth = key == KEY_CODE_RIGHT || key == ' ';
    if (!is_forth && key != KEY_CODE_LEFT)
        return key >= ' ' && key < KEY_CODE_FIRST; /* letters do nothing here, and leave nothing */
    const char *const *texts = texts_of(field->option);
    int count = 0;
    while (texts[count])
        count++;
    int now = choice_now(field);
    int next = is_forth ? (now + 1) % count : (now <= 0 ? count : now) - 1;
    line_set(&field->line, texts[next]);
    return true;
}

static int motion_of(int key)
{
    static const struct key_row moves[] = {LIST_KEYS, {{0}, 0, NULL, NULL, NULL}};
    if (key == KEY_CODE_TAB)
        return LIST_DOWN;
    bool is_kept_for_typing = key < KEY_CODE_FIRST || key == KEY_CODE_HOME || key == KEY_CODE_END;
    return is_kept_for_typing ? -1 : keys_action(moves, key);
}

bool form_key(struct form *form, int key)
{
    if (list_move(&form->list, motion_of(key)))
        return true;
    if (form->list.selected < 0)
        return false;
    struct form_field *field = &form->fields[form->list.selected];
    bool is_taken = is_choice(field->option) ? cycle(field, key) : line_key(&field->line, key);
    if (is_taken)
        judge(field);
    return is_taken;
}

int form_first_bad(const struct form *form)
{
    for (size_t i = 0; i < form->count; i++)
        if (form->fields[i].why)
            return (int)i;
    return -1;
}

static const char *shown_choice(const struct form_field *field)
{
    int now = choice_now(field);
    if (now < 0)
        return field->line.size ? field->line.text : "-";
    return field->option->type == DYNO_BOOL ? bool_words[now != 0] : field->line.text;
}

static void draw_choice(const struct form_field *field, struct rect cell, enum glyph_tier tier)
{
    bool is_plain = tier == GLYPH_ASCII;
    int used = canvas_text(cell.row, cell.column, cell.columns, ROLE_DIM, is_plain ? "< " : "‹ ");
    used += canvas_text(cell.row, cell.column + used, cell.columns - used, ROLE_TEXT,
                        shown_choice(field));
    canvas_text(cell.row, cell.column + used, cell.columns - used, ROLE_DIM,
                is_plain ? " >" : " ›");
}

/* The part of a typed text to show so that the cursor is in view: its start, and the cells from
 * there to the cursor. */
static const char *visible_part(const struct form_field *field, int columns, int *ret_cursor)
{
    char before[LINE_MAX_BYTES];
    memcpy(before, field->line.text, field->line.cursor);
    before[field->line.cursor] = '\0';
    const char *from = before;
    while (*from && canvas_width(from) > columns - 2)
        do
            from++;
        while (((unsigned char)*from & 0xc0u) == 0x80u);
    *ret_cursor = canvas_width(from);
    return field->line.text + (from - before);
}

static void draw_typed(const struct form_field *field, struct rect cell, bool is_selected)
{
    int cursor;
    const char *text = is_selected ? visible_part(field, cell.columns, &cursor) : field->line.text;
    enum theme_role role = field->why ? ROLE_FAIL : field->line.size ? ROLE_TEXT : ROLE_DIM;
    canvas_text(cell.row, cell.column, cell.columns - 1, role,
                field->line.size || is_selected ? text : "-");
}

/* After the list, whose highlight of the selected row would wipe it. */
static void draw_cursor(struct rect area, const struct form *form)
{
    if (form->list.selected < form->list.top)
        return;
    const struct form_field *field = &form->fields[form->list.selected];
    int row = area.row + form->list.selected - form->list.top;
    int column = area.column + LIST_SIGN_CELLS + LABEL_CELLS, cursor;
    if (is_choice(field->option) || row >= area.row + area.rows ||
        column >= area.column + area.columns)
        return;
    (void)visible_part(field, VALUE_CELLS, &cursor);
    char under = field->line.text[field->line.cursor];
    char cell[2] = {under > ' ' && under < 0x7f ? under : ' ', '\0'};
    canvas_fill(row, column + cursor, 1, ROLE_TEXT, STYLE_REVERSE, cell);
}

struct painter {
    struct form *form;
    enum glyph_tier tier;
};

static void draw_field(void *user, int index, struct rect row, bool is_selected)
{
    const struct painter *painter = user;
    const struct form_field *field = &painter->form->fields[index];
    struct rect label = rect_take_left(&row, LABEL_CELLS);
    struct rect value = rect_take_left(&row, VALUE_CELLS);
    const char *name =
        field->option->label && field->option->label[0] ? field->option->label : field->option->key;
    bool is_default = form_is_default(painter->form, (size_t)index);
    canvas_text(label.row, label.column, label.columns - 1, is_default ? ROLE_TEXT : ROLE_ACCENT,
                name);
    if (is_choice(field->option))
        draw_choice(field, value, painter->tier);
    else
        draw_typed(field, value, is_selected);
    canvas_text(row.row, row.column + 1, row.columns - 1, field->why ? ROLE_FAIL : ROLE_DIM,
                field->why ? "does not fit" : field->meaning);
}

/* The option's sentence in up to two lines, its range or its fault in the last. */
static void draw_hint(struct rect area, const struct form_field *field)
{
    struct str range = {0};
    struct rect last = rect_take_bottom(&area, 1);
    const char *help = field->option->help ? field->option->help : "";
    for (int row = 0; row < area.rows && *help; row++) {
        struct str part = {0};
        size_t size = wrap_size(help, area.columns - 2);
        str_add_bytes(&part, help, size);
        canvas_text(area.row + row, area.column + 1, area.columns - 2, ROLE_TEXT, str_text(&part));
        str_done(&part);
        help += size + (help[size] == ' ');
    }
    option_range(field->option, &range);
    canvas_text(last.row, last.column + 1, last.columns - 2, field->why ? ROLE_FAIL : ROLE_DIM,
                field->why ? field->why : str_text(&range));
    str_done(&range);
}

void form_draw(struct rect area, struct form *form, enum glyph_tier tier)
{
    struct rect hint = rect_take_bottom(&area, area.rows > 6 ? 3 : area.rows > 4 ? 2 : 0);
    if (hint.rows > 0)
        (void)rect_take_bottom(&area, 1);
    list_draw(area, &form->list, tier, draw_field, &(struct painter){form, tier});
    if (form->list.selected >= 0)
        draw_cursor(area, form);
    if (form->list.selected >= 0 && hint.rows > 0)
        draw_hint(hint, &form->fields[form->list.selected]);
}
