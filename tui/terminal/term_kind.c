#include "terminal/term_kind.h"

#include <curses.h>
#include <unistd.h>

#include <term.h> /* its macros take many words: nothing else lives in this file */

#include "base/str.h"

#define ERROR_HARDCOPY 1 /* setupterm's answer: known, and no screen */

static bool is_text(const char *capability)
{
    return capability && capability != (const char *)-1;
}

/* Refusals of a hardcopy or generic terminal leave its description behind, too. */
static void forget(void)
{
    if (cur_term)
        (void)del_curterm(cur_term);
}

struct term_kind term_kind_of(const char *name)
{
    int error = 0;

    if (setupterm(name, STDOUT_FILENO, &error) != OK) {
        bool is_hardcopy = error == ERROR_HARDCOPY;
        forget();
        return (struct term_kind){.is_known = is_hardcopy, .is_paper = is_hardcopy};
    }
    const char *move = tigetstr("cup");
    struct term_kind kind = {
        .is_known = true,
        .is_paper = !is_text(move),
        .is_ansi = is_text(move) && str_starts(move, "\033["),
        .is_wrapping_at_once = tigetflag("am") == 1 && tigetflag("xenl") != 1,
    };
    forget();
    return kind;
}
