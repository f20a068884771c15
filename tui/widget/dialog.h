/* dialog: one question with a few answers, over whatever is on the screen. The state is pure;
 * dialog_draw puts it on the canvas. */
#ifndef WIDGET_DIALOG_H
#define WIDGET_DIALOG_H

#include <stdbool.h>

#include "terminal/glyph.h"
#include "terminal/rect.h"

#define DIALOG_ANSWERS_MAX 4

struct dialog_answer {
    int key;           /* chosen at once by this key; 0: by selecting it only */
    const char *name;  /* "d", as printed */
    const char *label; /* "detach: the runs go on" */
    int value;         /* >= 0 */
};

struct dialog { /* {0}: closed */
    bool is_open;
    char question[160];
    struct dialog_answer answers[DIALOG_ANSWERS_MAX];
    int count, selected;
};

enum dialog_reply { DIALOG_WAITS = -1, DIALOG_LEFT = -2 };

/* `answers` ends with an entry without a label. */
void dialog_ask(struct dialog *dialog, const char *question, const struct dialog_answer *answers);
/* The value of the chosen answer (the dialog is then closed), DIALOG_LEFT after escape, or
 * DIALOG_WAITS. */
int dialog_key(struct dialog *dialog, int key);
/* In the middle of `area`; on a small one the question and the keys in one line at its top. */
void dialog_draw(const struct dialog *dialog, struct rect area, enum glyph_tier tier);

#endif
