/* diary: writes what the core tells into the notes, as sentences a person reads. */
#ifndef TUI_DIARY_H
#define TUI_DIARY_H

#include "core.h"
#include "view/notes.h"

void diary_event(struct notes *notes, const struct core *core, unsigned run,
                 const struct frame *frame);
void diary_end(struct notes *notes, const struct core *core, unsigned run);
void diary_refused_plugins(struct notes *notes, const struct catalog *catalog);

#endif
