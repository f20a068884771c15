#include "terminal/term_keys.h"

#include <curses.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "terminal/keys.h"
#include "terminal/term.h"
#include "terminal/typed.h"

#define ESCAPE_LOCAL_MS 25
#define ESCAPE_SERIAL_MS 100
#define ESCAPE_MAX 24 /* bytes of a key sequence no terminfo entry names */
#define KEY_PLAIN_ESCAPE 27
#define KEY_CTRL(letter) ((letter) - '@')

static WINDOW *pad; /* reading from a window would draw it; NULL: what is typed comes from typed */

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

void term_keys_open_lines(void)
{
    typed_open(STDIN_FILENO);
}

/* As wget_wch. Within an escape sequence the next character is waited for; curses has done that
 * itself. */
static int next_character(bool is_in_sequence, wint_t *ret_key)
{
    uint32_t character;

    if (pad)
        return wget_wch(pad, ret_key);
    if (!typed_next(is_in_sequence ? ESCAPE_SERIAL_MS : 0, &character))
        return ERR;
    *ret_key = (wint_t)character;
    return OK;
}

static void put_back(int code, wint_t key)
{
    if (!pad)
        typed_again((uint32_t)key);
    else if (code == KEY_CODE_YES)
        (void)ungetch((int)key);
    else
        (void)unget_wch((wchar_t)key);
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

    while (used < ESCAPE_MAX && next_character(true, &key) == OK) {
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
    int code = next_character(true, &next);

    if (code == ERR)
        return KEY_CODE_ESCAPE;
    if (code == OK && (next == '[' || next == 'O'))
        return key_of_sequence();
    if (code == OK && next == '1')
        return KEY_CODE_F1; /* as PuTTY's users and mc's know it */
    put_back(code, next);
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
    case KEY_CTRL('P'): /* for keyboards without arrows, where letters are typed */
        return KEY_CODE_UP;
    case KEY_CTRL('N'):
        return KEY_CODE_DOWN;
    case KEY_CTRL('B'):
        return KEY_CODE_LEFT;
    case KEY_CTRL('F'):
        return KEY_CODE_RIGHT;
    default:
        return (int)key;
    }
}

int term_key(void)
{
    wint_t key = 0;
    int code;

    while (term_is_open() && (code = next_character(false, &key)) != ERR) {
        int ours = code == KEY_CODE_YES ? key_of_function(key) : key_of_character(key);
        if (ours > 0)
            return ours;
    }
    return 0;
}
