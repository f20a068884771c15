#include "shortcuts.h"

#include <stdio.h>

#include "terminal/term.h"

enum {
    ACTION_QUIT = 1,
    ACTION_HELP,
    ACTION_RUNS,
    ACTION_HISTORY,
    ACTION_NEXT_RUN,
    ACTION_REPAINT,
    ACTION_BACK
};
#define KEY_CTRL(letter) ((letter) - '@')

const struct key_row shortcuts[] = {
    {{'q', KEY_CTRL('C')}, ACTION_QUIT, "q", "quit", "leave; with live runs it asks first"},
    {{'?', KEY_CODE_F1}, ACTION_HELP, "?", "help", "all keys"},
    {{'r'}, ACTION_RUNS, "r", "runs", "the runs of this screen"},
    {{'H'}, ACTION_HISTORY, "H", "history", "stored runs"},
    {{KEY_CODE_TAB}, ACTION_NEXT_RUN, "tab", "run", "the newest run; 1 to 9: that one of the list"},
    {{KEY_CTRL('L')}, ACTION_REPAINT, "^L", "repaint", "draw the whole screen anew"},
    {{KEY_CODE_ESCAPE}, ACTION_BACK, "esc", "back", "back to the screen before"},
    {{0}, 0, NULL, NULL, NULL},
};

static void open_run_at(struct stage *stage, unsigned index)
{
    unsigned run = core_run_at(stage->context.core, index);
    bool is_instead = stage_top(stage) == SCREEN_RUN || stage_top(stage) == SCREEN_RESULT;
    char number[16];
    if (!run)
        return;
    (void)snprintf(number, sizeof number, "%u", run);
    stage_open(stage, SCREEN_RUN, number, is_instead);
}

static void open_newest_run(struct stage *stage)
{
    unsigned count = core_run_count(stage->context.core);
    if (count)
        open_run_at(stage, count - 1);
}

struct outcome shortcuts_key(struct stage *stage, int key)
{
    char from[16];
    (void)snprintf(from, sizeof from, "%d", (int)stage_top(stage));
    if (key >= '1' && key <= '9') {
        open_run_at(stage, (unsigned)(key - '1'));
        return outcome_of(OUTCOME_STAY);
    }
    switch (keys_action(shortcuts, key)) {
    case ACTION_QUIT:
        return outcome_of(OUTCOME_QUIT);
    case ACTION_HELP:
        stage_open_once(stage, SCREEN_HELP, from);
        break;
    case ACTION_RUNS:
        stage_open_once(stage, SCREEN_RUNS, "");
        break;
    case ACTION_HISTORY:
        stage_open_once(stage, SCREEN_HISTORY, "");
        break;
    case ACTION_NEXT_RUN:
        open_newest_run(stage);
        break;
    case ACTION_REPAINT:
        term_repaint();
        break;
    case ACTION_BACK:
        (void)stage_back(stage);
        break;
    default:
        return outcome_ignored();
    }
    return outcome_of(OUTCOME_STAY);
}
