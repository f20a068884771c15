/* survivors: which live runs go on when the screen leaves its terminal, and the question about it.
 * Those that go on are recorded to their end. */
#ifndef TUI_SURVIVORS_H
#define TUI_SURVIVORS_H

#include <stdbool.h>

struct core;
struct dialog;

enum survivors {
    SURVIVORS_AUTO, /* runs without an end or planned for long */
    SURVIVORS_NONE,
    SURVIVORS_ALL
};

/* Stops the live runs that shall not go on (replays always); returns how many go on. */
unsigned survivors_pick(struct core *core, enum survivors policy);

enum survivors_answer { SURVIVORS_ANSWER_DETACH, SURVIVORS_ANSWER_STOP, SURVIVORS_ANSWER_STAY };

/* Asks what becomes of the live runs, or only whether to detach; false: nothing to decide. */
bool survivors_ask(const struct core *core, struct dialog *dialog);
bool survivors_ask_detach(const struct core *core, struct dialog *dialog);

#endif
