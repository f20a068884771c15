/* stage: the screens by their number and which of them lie above each other. */
#ifndef TUI_STAGE_H
#define TUI_STAGE_H

#include "screen/screen.h"
#include "screen/stack.h"

struct stage {
    struct screen_context context; /* what the screens are lent */
    struct stack stack;
};

extern const struct screen *const stage_screens[SCREEN_COUNT];

/* Opens a screen on top, or instead of the top one; a refusal becomes a note. */
void stage_open(struct stage *stage, enum screen_id id, const char *argument, bool is_instead);
/* The same, but a screen that lies below is gone back to. */
void stage_open_once(struct stage *stage, enum screen_id id, const char *argument);
bool stage_back(struct stage *stage); /* false: the lowest one stays */
void stage_done(struct stage *stage); /* closes all */

enum screen_id stage_top(struct stage *stage);
struct outcome stage_key(struct stage *stage, int key);
struct outcome stage_changed(struct stage *stage, enum core_event event, unsigned run);
struct outcome stage_tick(struct stage *stage);
bool stage_is_live(struct stage *stage);
void stage_draw(struct stage *stage, struct rect area);

#endif
