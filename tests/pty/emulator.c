#include "emulator.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <vterm.h>

#include "base/cleanup.h"
#include "base/str.h"
#include "terminal/charset.h"

#define LOOKS_MAX 52 /* letters */

/* libvterm 0.1.4 wraps one cell early after a repetition (CSI n b) that ends beside the last
 * column, so repetitions are written out before it sees them. */
enum place { PLACE_TEXT, PLACE_ESCAPE, PLACE_NUMBER };
#define REPEAT_MAX 1000

struct repeater {
    enum place place;
    char last; /* character that would be repeated */
    int number;
    char held[16]; /* an escape sequence that may become a repetition */
    size_t held_size;
};

struct emulator {
    struct repeater repeater;
    VTerm *vterm;
    VTermScreen *screen;
    int rows, columns;
    bool is_alternate, has_cursor;
    int mouse;
};

struct look {
    VTermScreenCellAttrs attributes;
    VTermColor front, back;
};

static int on_property(VTermProp property, VTermValue *value, void *user)
{
    struct emulator *emulator = user;

    if (property == VTERM_PROP_ALTSCREEN)
        emulator->is_alternate = value->boolean;
    else if (property == VTERM_PROP_CURSORVISIBLE)
        emulator->has_cursor = value->boolean;
    else if (property == VTERM_PROP_MOUSE)
        emulator->mouse = value->number;
    return 1;
}

static const VTermScreenCallbacks callbacks = {.settermprop = on_property};

struct emulator *emulator_new(int rows, int columns,
                              void (*reply)(const char *bytes, size_t size, void *user), void *user)
{
    struct emulator *emulator = mem_new(1, sizeof(*emulator));

    emulator->rows = rows;
    emulator->columns = columns;
    emulator->has_cursor = true;
    emulator->vterm = vterm_new(rows, columns);
    if (!emulator->vterm)
        abort();
    vterm_set_utf8(emulator->vterm, 1);
    vterm_output_set_callback(emulator->vterm, reply, user);
    emulator->screen = vterm_obtain_screen(emulator->vterm);
    vterm_screen_set_callbacks(emulator->screen, &callbacks, emulator);
    vterm_screen_enable_altscreen(emulator->screen, 1);
    vterm_screen_reset(emulator->screen, 1);
    return emulator;
}

struct emulator *emulator_free(struct emulator *emulator)
{
    if (emulator) {
        vterm_free(emulator->vterm);
        free(emulator);
    }
    return NULL;
}

static void pass(struct emulator *emulator, const char *bytes, size_t size)
{
    if (size)
        (void)vterm_input_write(emulator->vterm, bytes, size);
}

static void end_sequence(struct emulator *emulator, char final)
{
    struct repeater *repeater = &emulator->repeater;
    bool is_repetition = repeater->place == PLACE_NUMBER && final == 'b' && repeater->last;

    repeater->place = PLACE_TEXT;
    if (!is_repetition) {
        pass(emulator, repeater->held, repeater->held_size);
        pass(emulator, &final, 1);
        return;
    }
    for (int i = 0; i < repeater->number && i < REPEAT_MAX; i++)
        pass(emulator, &repeater->last, 1);
}

static void feed_byte(struct emulator *emulator, char byte)
{
    struct repeater *repeater = &emulator->repeater;

    if (repeater->place == PLACE_TEXT && byte == '\033') {
        repeater->place = PLACE_ESCAPE;
        repeater->held_size = 0;
        repeater->number = 0;
    } else if (repeater->place == PLACE_ESCAPE && byte == '[') {
        repeater->place = PLACE_NUMBER;
    } else if (repeater->place == PLACE_NUMBER && byte >= '0' && byte <= '9' &&
               repeater->held_size < sizeof(repeater->held)) {
        repeater->number = repeater->number * 10 + (byte - '0');
        if (repeater->number > REPEAT_MAX)
            repeater->number = REPEAT_MAX;
    } else if (repeater->place != PLACE_TEXT) {
        end_sequence(emulator, byte);
        return;
    } else {
        repeater->last = byte >= 0x20 && byte < 0x7f ? byte : 0;
        pass(emulator, &byte, 1);
        return;
    }
    repeater->held[repeater->held_size++] = byte;
}

void emulator_feed(struct emulator *emulator, const char *bytes, size_t size)
{
    for (size_t i = 0; i < size; i++)
        feed_byte(emulator, bytes[i]);
}

void emulator_resize(struct emulator *emulator, int rows, int columns)
{
    emulator->rows = rows;
    emulator->columns = columns;
    vterm_set_size(emulator->vterm, rows, columns);
}

int emulator_rows(const struct emulator *emulator)
{
    return emulator->rows;
}

int emulator_columns(const struct emulator *emulator)
{
    return emulator->columns;
}

int emulator_key(struct emulator *emulator, const char *name)
{
    static const struct {
        const char *name;
        VTermKey key;
    } keys[] = {
        {"up", VTERM_KEY_UP},         {"down", VTERM_KEY_DOWN},
        {"left", VTERM_KEY_LEFT},     {"right", VTERM_KEY_RIGHT},
        {"home", VTERM_KEY_HOME},     {"end", VTERM_KEY_END},
        {"pageup", VTERM_KEY_PAGEUP}, {"pagedown", VTERM_KEY_PAGEDOWN},
        {"enter", VTERM_KEY_ENTER},   {"escape", VTERM_KEY_ESCAPE},
        {"tab", VTERM_KEY_TAB},       {"backspace", VTERM_KEY_BACKSPACE},
        {"delete", VTERM_KEY_DEL},    {"f1", (VTermKey)VTERM_KEY_FUNCTION(1)},
    };

    for (size_t i = 0; i < ARRAY_SIZE(keys); i++) {
        if (strcmp(keys[i].name, name) == 0) {
            vterm_keyboard_key(emulator->vterm, keys[i].key, VTERM_MOD_NONE);
            return 0;
        }
    }
    if (str_starts(name, "ctrl-") && name[5] && !name[6]) {
        vterm_keyboard_unichar(emulator->vterm, (unsigned char)name[5], VTERM_MOD_CTRL);
        return 0;
    }
    return -EINVAL;
}

static void add_character(struct str *into, uint32_t character)
{
    char bytes[4];

    str_add_bytes(into, bytes, charset_encode(character, bytes));
}

static bool get_cell(const struct emulator *emulator, int row, int column, VTermScreenCell *cell)
{
    VTermPos place = {.row = row, .col = column};

    return vterm_screen_get_cell(emulator->screen, place, cell) != 0;
}

char *emulator_row(const struct emulator *emulator, int row)
{
    AUTO(str_done) struct str text = {0};
    VTermScreenCell cell;

    str_add(&text, "");
    for (int column = 0; column<emulator->columns; column += cell.width> 1 ? cell.width : 1) {
        if (!get_cell(emulator, row, column, &cell))
            break;
        if (cell.chars[0] == 0 || cell.chars[0] == (uint32_t)-1)
            str_add(&text, " ");
        for (int i = 0; i < VTERM_MAX_CHARS_PER_CELL && cell.chars[i] != 0; i++) {
            if (cell.chars[i] != (uint32_t)-1)
                add_character(&text, cell.chars[i]);
        }
    }
    while (text.size && text.text[text.size - 1] == ' ')
        text.text[--text.size] = 0;
    return str_take(&text);
}

bool emulator_shows(const struct emulator *emulator, const char *text)
{
    for (int row = 0; row < emulator->rows; row++) {
        AUTO_FREE char *line = emulator_row(emulator, row);
        if (strstr(line, text))
            return true;
    }
    return false;
}

void emulator_print(const struct emulator *emulator, FILE *out)
{
    for (int row = 0; row < emulator->rows; row++) {
        AUTO_FREE char *line = emulator_row(emulator, row);
        (void)fprintf(out, "%s\n", line);
    }
}

static bool is_same_colour(const VTermColor *a, const VTermColor *b)
{
    return vterm_color_is_equal(a, b) != 0;
}

static size_t look_of(const VTermScreenCell *cell, struct look *looks, size_t *count)
{
    for (size_t i = 0; i < *count; i++) {
        if (memcmp(&looks[i].attributes, &cell->attrs, sizeof(cell->attrs)) == 0 &&
            is_same_colour(&looks[i].front, &cell->fg) && is_same_colour(&looks[i].back, &cell->bg))
            return i;
    }
    if (*count < LOOKS_MAX)
        looks[(*count)++] = (struct look){cell->attrs, cell->fg, cell->bg};
    return *count - 1;
}

static void print_colour(const char *name, const VTermColor *colour, FILE *out)
{
    if (VTERM_COLOR_IS_DEFAULT_FG(colour) || VTERM_COLOR_IS_DEFAULT_BG(colour))
        (void)fprintf(out, " %s=default", name);
    else if (VTERM_COLOR_IS_INDEXED(colour))
        (void)fprintf(out, " %s=%d", name, colour->indexed.idx);
    else
        (void)fprintf(out, " %s=#%02x%02x%02x", name, colour->rgb.red, colour->rgb.green,
                      colour->rgb.blue);
}

void emulator_print_looks(const struct emulator *emulator, FILE *out)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
    struct look looks[LOOKS_MAX];
    VTermScreenCell cell;
    size_t count = 0;

    for (int row = 0; row < emulator->rows; row++) {
        for (int column = 0; column < emulator->columns; column++) {
            if (get_cell(emulator, row, column, &cell))
                (void)fputc(letters[look_of(&cell, looks, &count)], out);
        }
        (void)fputc('\n', out);
    }
    for (size_t i = 0; i < count; i++) {
        const VTermScreenCellAttrs *attributes = &looks[i].attributes;
        (void)fprintf(out, "look %c", letters[i]);
        print_colour("fg", &looks[i].front, out);
        print_colour("bg", &looks[i].back, out);
        (void)fprintf(out, "%s%s%s\n", attributes->bold ? " bold" : "",
                      attributes->reverse ? " reverse" : "",
                      attributes->underline ? " underline" : "");
    }
}

void emulator_print_modes(const struct emulator *emulator, FILE *out)
{
    (void)fprintf(out, "alternate=%d cursor=%d mouse=%d", emulator->is_alternate,
                  emulator->has_cursor, emulator->mouse);
}
