/* shortcuts: the keys that mean the same on every screen. */
#ifndef TUI_SHORTCUTS_H
#define TUI_SHORTCUTS_H

#include "stage.h"

extern const struct key_row shortcuts[]; /* ends with an entry without a name */

/* Does what the key means on the stage; OUTCOME_QUIT is the app's to do, OUTCOME_IGNORED: none. */
struct outcome shortcuts_key(struct stage *stage, int key);

#endif
