#include "stage.h"

#include "base/cleanup.h"
#include "base/clock.h"
#include "screen/form.h"
#include "screen/help.h"
#include "screen/history.h"
#include "screen/home.h"
#include "screen/menu.h"
#include "screen/result.h"
#include "screen/run.h"
#include "screen/runs.h"

const struct screen *const stage_screens[SCREEN_COUNT] = {
    [SCREEN_HOME] = &home_screen,       [SCREEN_MENU] = &menu_screen,
    [SCREEN_FORM] = &form_screen,       [SCREEN_RUN] = &run_screen,
    [SCREEN_RUNS] = &runs_screen,       [SCREEN_RESULT] = &result_screen,
    [SCREEN_HISTORY] = &history_screen, [SCREEN_HELP] = &help_screen,
};

static const struct screen *screen_of(const struct stack_entry *entry)
{
    return stage_screens[entry->screen];
}

bool stage_back(struct stage *stage)
{
    struct stack_entry entry;
    if (!stack_pop(&stage->stack, &entry))
        return false;
    screen_of(&entry)->close(entry.state);
    return true;
}

void stage_open(struct stage *stage, enum screen_id id, const char *argument, bool is_instead)
{
    struct str why AUTO(str_done) = {0};
    void *state = NULL;
    if (stage_screens[id]->open(&stage->context, argument, &state, &why) < 0) {
        notes_add(stage->context.notes, clock_wall_ns(), ROLE_WARN, "%s", str_text(&why));
        return;
    }
    if (is_instead)
        (void)stage_back(stage);
    if (!stack_push(&stage->stack, (int)id, state))
        stage_screens[id]->close(state);
}

void stage_open_once(struct stage *stage, enum screen_id id, const char *argument)
{
    bool is_below = false;
    for (int i = 0; i < stage->stack.depth; i++)
        is_below = is_below || stage->stack.entries[i].screen == (int)id;
    while (is_below && stage_top(stage) != id)
        (void)stage_back(stage);
    if (!is_below)
        stage_open(stage, id, argument, false);
}

void stage_done(struct stage *stage)
{
    for (; stage->stack.depth > 0; stage->stack.depth--) {
        struct stack_entry *top = stack_top(&stage->stack);
        screen_of(top)->close(top->state);
    }
}

enum screen_id stage_top(struct stage *stage)
{
    return (enum screen_id)stack_top(&stage->stack)->screen;
}

struct outcome stage_key(struct stage *stage, int key)
{
    struct stack_entry *top = stack_top(&stage->stack);
    return screen_of(top)->key(top->state, key);
}

struct outcome stage_changed(struct stage *stage, enum core_event event, unsigned run)
{
    struct stack_entry *top = stack_top(&stage->stack);
    if (screen_of(top)->changed)
        return screen_of(top)->changed(top->state, event, run);
    return outcome_of(event == CORE_RUN ? OUTCOME_IGNORED : OUTCOME_STAY);
}

struct outcome stage_tick(struct stage *stage)
{
    struct stack_entry *top = stack_top(&stage->stack);
    return screen_of(top)->tick ? screen_of(top)->tick(top->state) : outcome_ignored();
}

bool stage_is_live(struct stage *stage)
{
    struct stack_entry *top = stack_top(&stage->stack);
    return screen_of(top)->is_live && screen_of(top)->is_live(top->state);
}

void stage_draw(struct stage *stage, struct rect area)
{
    struct stack_entry *top = stack_top(&stage->stack);
    screen_of(top)->draw(top->state, area);
}
