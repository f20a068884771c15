/* screen: what the app and its screens agree on. A screen is a row of functions and a key table;
 * it never names another screen but by its number, and never changes the screen stack itself:
 * it answers what should happen. */
#ifndef SCREEN_SCREEN_H
#define SCREEN_SCREEN_H

#include <stdbool.h>
#include <stdint.h>

#include "base/str.h"
#include "core.h"
#include "terminal/glyph.h"
#include "terminal/keys.h"
#include "terminal/rect.h"
#include "terminal/theme.h"
#include "view/changes.h"
#include "view/figures.h"
#include "view/kept.h"
#include "view/notes.h"

enum screen_id {
    SCREEN_HOME,
    SCREEN_MENU,    /* argument: device id */
    SCREEN_FORM,    /* "TEST TARGET" */
    SCREEN_RUN,     /* run number as core has it */
    SCREEN_RUNS,    /* none */
    SCREEN_RESULT,  /* run number */
    SCREEN_HISTORY, /* none */
    SCREEN_HELP,    /* number of the screen it is asked from */
    SCREEN_COUNT
};

#define SCREEN_ARGUMENT_MAX 512

enum outcome_action {
    OUTCOME_STAY,    /* handled; draw anew */
    OUTCOME_IGNORED, /* not mine: the app's own keys are looked at */
    OUTCOME_OPEN,
    OUTCOME_REPLACE, /* this screen goes, the named one comes */
    OUTCOME_BACK,
    OUTCOME_QUIT,
    OUTCOME_DETACH /* leave the terminal, the runs go on */
};
struct outcome {
    enum outcome_action action;
    enum screen_id screen;
    char argument[SCREEN_ARGUMENT_MAX];
};

struct screen;

/* What the app lends to every screen; outlives them. */
struct screen_context {
    struct core *core;
    enum glyph_tier glyphs;
    bool shows_selftests, is_demo;
    const struct screen *const *screens; /* by enum screen_id, for help */
    const struct key_row *everywhere;    /* the app's own keys, for help */
    struct notes *notes;
    struct figures *figures;
    struct changes *changes;
    struct kept *kept;
    void (*wake)(void *user); /* something asynchronous arrived: draw anew */
    void *user;
};

struct screen {
    const char *name; /* heading in the help */
    const struct key_row *keys;
    /* 0 with the state, or negative errno with a sentence in `why`. */
    int (*open)(struct screen_context *context, const char *argument, void **ret_state,
                struct str *why);
    void (*draw)(void *state, struct rect area); /* any size from 1x1 */
    struct outcome (*key)(void *state, int key); /* enum key_code or a character */
    struct outcome (*changed)(void *state, enum core_event event, unsigned run); /* or NULL */
    struct outcome (*tick)(void *state); /* once a second while is_live; or NULL */
    bool (*is_live)(const void *state);  /* or NULL: never */
    void (*close)(void *state);
};

static inline struct outcome outcome_of(enum outcome_action action)
{
    return (struct outcome){.action = action};
}
static inline struct outcome outcome_ignored(void)
{
    return outcome_of(OUTCOME_IGNORED);
}

/* OUTCOME_OPEN or OUTCOME_REPLACE of a screen with a printed argument. */
struct outcome outcome_to(enum outcome_action action, enum screen_id screen, const char *format,
                          ...) __attribute__((format(printf, 3, 4)));

/* Starts a run with the values kept for test and target. The outcome opens its screen, or stays and
 * leaves a sentence in `why`. */
struct outcome screen_start(struct screen_context *context, const char *test, const char *target,
                            bool is_confirmed, struct str *why);
/* Live runs, all of them; replays do not count. */
unsigned screen_live_runs(const struct core *core);
/* The line of the last note at the lower edge, or `instead` when it is not empty. */
void screen_note(const struct screen_context *context, struct rect row, const char *instead,
                 enum theme_role role);

#endif
