#include "terminal/term_keys.h"

#include <curses.h>
#include <string.h>

#include "base/cleanup.h"
#include "terminal/keys.h"
#include "terminal/term.h"

#define ESCAPE_LOCAL_MS 25
#define ESCAPE_SERIAL_MS 100
#define ESCAPE_MAX 24 /* bytes of a key sequence no terminfo entry names */
#define KEY_PLAIN_ESCAPE 27

static WINDOW *pad; /* reading from a window would draw it */

void term_keys_open(bool is_serial)
{
    (void)raw(); /* Ctrl-C, Ctrl-Z and Ctrl-\ arrive as keys */
    (void)noecho();
    (void)nonl();
    pad = newpad(1, 1);
    (void)keypad(pad, TRUE);
    (void)nodelay(pad, TRUE);
    (void)set_escdelay(is_serial ? ESCAPE_SERIAL_MS : ESCAPE_LOCAL_MS);
}

void term_keys_close(void)
{
    if (pad)
        (void)delwin(pad);
    pad = NULL;
}

/* Sequences that terminals send whatever their terminfo entry says. */
static const struct {
    const char *tail; /* after ESC [ or ESC O */
    int key;
} sequences[] = {
    {"A", KEY_CODE_UP},       {"B", KEY_CODE_DOWN},       {"C", KEY_CODE_RIGHT},
    {"D", KEY_CODE_LEFT},     {"H", KEY_CODE_HOME},       {"F", KEY_CODE_END},
    {"Z", KEY_CODE_BACK_TAB}, {"M", KEY_CODE_ENTER},      {"P", KEY_CODE_F1},
    {"[A", KEY_CODE_F1},      {"1~", KEY_CODE_HOME},      {"7~", KEY_CODE_HOME},
    {"4~", KEY_CODE_END},     {"8~", KEY_CODE_END},       {"3~", KEY_CODE_DELETE},
    {"5~", KEY_CODE_PAGE_UP}, {"6~", KEY_CODE_PAGE_DOWN}, {"11~", KEY_CODE_F1},
};

/* Eats a sequence that no terminfo entry names; what is not known does nothing. */
static int key_of_sequence(void)
{
    char tail[ESCAPE_MAX + 1];
    size_t used = 0;
    wint_t key = 0;

    while (used < ESCAPE_MAX && wget_wch(pad, &key) == OK) {
        bool is_linux_function = used == 0 && key == '[';
        tail[used++] = (char)(key < 0x80 ? key : 0x7f);
        if (key >= 0x40 && key <= 0x7e && !is_linux_function)
            break;
    }
    tail[used] = 0;
    for (size_t i = 0; i < ARRAY_SIZE(sequences); i++) {
        if (strcmp(sequences[i].tail, tail) == 0)
            return sequences[i].key;
    }
    return 0;
}

static int key_of_escape(void)
{
    wint_t next = 0;
    int code = wget_wch(pad, &next);

    if (code == ERR)
        return KEY_CODE_ESCAPE;
    if (code == OK && (next == '[' || next == 'O'))
        return key_of_sequence();
    if (code == OK && next == '1')
        return KEY_CODE_F1; /* as PuTTY's users and mc's know it */
    (void)(code == KEY_CODE_YES ? ungetch((int)next) : unget_wch((wchar_t)next));
    return KEY_CODE_ESCAPE;
}

static int key_of_function(wint_t key)
{
    static const struct {
        int curses, ours;
    } table[] = {
        {KEY_UP, KEY_CODE_UP},         {KEY_DOWN, KEY_CODE_DOWN},
        {KEY_LEFT, KEY_CODE_LEFT},     {KEY_RIGHT, KEY_CODE_RIGHT},
        {KEY_HOME, KEY_CODE_HOME},     {KEY_END, KEY_CODE_END},
        {KEY_PPAGE, KEY_CODE_PAGE_UP}, {KEY_NPAGE, KEY_CODE_PAGE_DOWN},
        {KEY_ENTER, KEY_CODE_ENTER},   {KEY_BACKSPACE, KEY_CODE_BACKSPACE},
        {KEY_DC, KEY_CODE_DELETE},     {KEY_BTAB, KEY_CODE_BACK_TAB},
        {KEY_F(1), KEY_CODE_F1},
    };

    for (size_t i = 0; i < ARRAY_SIZE(table); i++) {
        if (table[i].curses == (int)key)
            return table[i].ours;
    }
    return 0;
}

static int key_of_character(wint_t key)
{
    switch (key) {
    case KEY_PLAIN_ESCAPE:
        return key_of_escape();
    case '\r':
    case '\n':
        return KEY_CODE_ENTER;
    case '\t':
        return KEY_CODE_TAB;
    case '\b':
    case 127:
        return KEY_CODE_BACKSPACE;
    default:
        return (int)key;
    }
}

int term_key(void)
{
    wint_t key = 0;
    int code;

    while (pad && (code = wget_wch(pad, &key)) != ERR) {
        int ours = code == KEY_CODE_YES ? key_of_function(key) : key_of_character(key);
        if (ours > 0)
            return ours;
    }
    return 0;
}
