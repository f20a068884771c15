/* keys: key codes and the key table, from which help, footers and handlers come. Pure. */
#ifndef TERMINAL_KEYS_H
#define TERMINAL_KEYS_H

enum key_code { /* beyond Unicode */
                KEY_CODE_FIRST = 0x110000,
                KEY_CODE_UP,
                KEY_CODE_DOWN,
                KEY_CODE_LEFT,
                KEY_CODE_RIGHT,
                KEY_CODE_HOME,
                KEY_CODE_END,
                KEY_CODE_PAGE_UP,
                KEY_CODE_PAGE_DOWN,
                KEY_CODE_ENTER,
                KEY_CODE_ESCAPE,
                KEY_CODE_BACKSPACE,
                KEY_CODE_DELETE,
                KEY_CODE_TAB,
                KEY_CODE_F1,
                KEY_CODE_BACK_TAB,
                KEY_CODE_LAST
};

/* One row: an action of a screen, the keys that do it, the words for footer and help. */
struct key_row {
    int keys[4];       /* 0-ended */
    int action;        /* the screen's own enum */
    const char *name;  /* "enter", "x", "←→" as printed in footers; canvas_text makes them ASCII
                          where it must */
    const char *label; /* "stop"; NULL: works but is not shown in the footer */
    const char *help;  /* one sentence for the help screen */
};

/* Action of a key within a table (ended by a row whose keys[0] is 0), -1 when none. vi keys h j k l
 * count as arrows when the table does not use them. */
int keys_action(const struct key_row *table, int key);

#endif
