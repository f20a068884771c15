/* form: the options of a test as fields to fill: text is typed, choices cycle with left and right;
 * every field knows at once whether it is valid and why not. The state is pure; form_draw puts it
 * on the canvas. */
#ifndef WIDGET_FORM_H
#define WIDGET_FORM_H

#include <stdbool.h>
#include <stddef.h>

#include "catalog/options.h"
#include "terminal/glyph.h"
#include "terminal/rect.h"
#include "widget/line.h"
#include "widget/list.h"

struct str;

struct form_field {
    const struct option *option; /* not owned; outlives the form */
    struct line line;            /* "" is unset */
    char *why;                   /* a sentence when the text is bad; NULL */
    char *meaning;               /* "1048576 B"; never NULL */
};

struct form {
    struct form_field *fields;
    size_t count;
    struct list list;
};

void form_init(struct form *form, const struct option *options, size_t count); /* with defaults */
void form_done(struct form *form);

/* Sets the field of `key`; unknown keys are ignored (a kept value of an older table). */
void form_set(struct form *form, const char *key, const char *text);
const char *form_text(const struct form *form, size_t index);
bool form_is_default(const struct form *form, size_t index);
/* Up and down move between fields, left and right cycle a choice or move the cursor, the rest is
 * typing. False: not a key of a form (enter, escape). */
bool form_key(struct form *form, int key);
/* Index of the first field whose text is bad, -1 when all are good. */
int form_first_bad(const struct form *form);

/* Fields above, the selected one's help, range and fault in the last rows. */
void form_draw(struct rect area, struct form *form, enum glyph_tier tier);

#endif
