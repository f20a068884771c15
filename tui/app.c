#include "app.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/err.h"
#include "base/str.h"
#include "base/units.h"
#include "departure.h"
#include "pages.h"
#include "screen/form.h"
#include "screen/help.h"
#include "screen/history.h"
#include "screen/home.h"
#include "screen/menu.h"
#include "screen/result.h"
#include "screen/run.h"
#include "screen/runs.h"
#include "screen/stack.h"
#include "terminal/canvas.h"
#include "terminal/term.h"
#include "view/story.h"
#include "widget/dialog.h"

#define FRAME_NS (100 * NS_PER_MS) /* between two drawings that nobody asked for by a key */
#define FRAME_SERIAL_NS NS_PER_S
#define TICK_NS NS_PER_S
#define RUNS_KEPT 24
#define WATCHED_MAX 64

static const struct screen *const screens[SCREEN_COUNT] = {
    [SCREEN_HOME] = &home_screen,       [SCREEN_MENU] = &menu_screen,
    [SCREEN_FORM] = &form_screen,       [SCREEN_RUN] = &run_screen,
    [SCREEN_RUNS] = &runs_screen,       [SCREEN_RESULT] = &result_screen,
    [SCREEN_HISTORY] = &history_screen, [SCREEN_HELP] = &help_screen,
};

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

static const struct key_row everywhere[] = {
    {{'q', KEY_CTRL('C')}, ACTION_QUIT, "q", "quit", "leave; with live runs it asks first"},
    {{'?', KEY_CODE_F1}, ACTION_HELP, "?", "help", "all keys"},
    {{'r'}, ACTION_RUNS, "r", "runs", "the runs of this screen"},
    {{'H'}, ACTION_HISTORY, "H", "history", "stored runs"},
    {{KEY_CODE_TAB}, ACTION_NEXT_RUN, "tab", "run", "the newest run; 1 to 9: that one of the list"},
    {{KEY_CTRL('L')}, ACTION_REPAINT, "^L", "repaint", "draw the whole screen anew"},
    {{KEY_CODE_ESCAPE}, ACTION_BACK, "esc", "back", "back to the screen before"},
    {{0}, 0, NULL, NULL, NULL},
};

struct app {
    const struct app_plan *plan;
    struct core *core;
    struct loop *loop;
    struct screen_context context;
    struct stack stack;
    struct dialog dialog;
    struct notes notes;
    struct figures figures;
    struct changes changes;
    struct kept kept;
    struct departure departure;
    struct loop_fd *keys, *guard;
    struct loop_timer *frame_timer, *tick_timer;
    unsigned watched[WATCHED_MAX]; /* runs that were alive at the last look */
    unsigned watched_count;
    unsigned changed_runs[WATCHED_MAX]; /* since the last look; told to the screen then, since the
                                           change may come from within its own functions */
    unsigned changed_count;
    bool has_new_devices, has_new_catalog;
    bool has_terminal, is_dirty, is_urgent, is_ticking;
    uint64_t drawn_ns;
};

static void apply(struct app *app, const struct outcome *outcome);

static struct stack_entry *top_of(struct app *app)
{
    return stack_top(&app->stack);
}

static void wake(void *user)
{
    struct app *app = user;
    app->is_dirty = true;
}

/* ---- the screen stack */

static bool close_top(struct app *app)
{
    struct stack_entry entry;
    if (!stack_pop(&app->stack, &entry))
        return false;
    screens[entry.screen]->close(entry.state);
    return true;
}

static void open_screen(struct app *app, enum screen_id id, const char *argument, bool is_instead)
{
    struct str why AUTO(str_done) = {0};
    void *state = NULL;
    if (screens[id]->open(&app->context, argument, &state, &why) < 0) {
        notes_add(&app->notes, clock_wall_ns(), ROLE_WARN, "%s", str_text(&why));
        return;
    }
    if (is_instead)
        (void)close_top(app);
    if (!stack_push(&app->stack, (int)id, state))
        screens[id]->close(state);
}

/* Lists are opened once: a second wish goes back to the one that lies below. */
static bool go_back_to(struct app *app, enum screen_id id)
{
    bool is_below = false;
    for (int i = 0; i < app->stack.depth; i++)
        is_below = is_below || app->stack.entries[i].screen == (int)id;
    while (is_below && top_of(app)->screen != (int)id)
        (void)close_top(app);
    return is_below;
}

/* ---- leaving */

static unsigned live_runs(const struct app *app)
{
    return screen_live_runs(app->core);
}

/* Stops the live runs that shall not go on; returns how many are alive. */
static unsigned stop_runs(struct app *app, enum app_hangup policy)
{
    unsigned live = 0;
    for (unsigned i = 0; i < core_run_count(app->core); i++) {
        struct runner *runner = core_run(app->core, core_run_at(app->core, i));
        if (!runner || runner_is_over(runner))
            continue;
        bool goes_on = policy == APP_HANGUP_DETACH ||
                       (policy == APP_HANGUP_AUTO && story_goes_on(runner_model(runner)));
        if (!goes_on || runner_record_state(runner) == RUNNER_NOT_ASKED)
            runner_stop(runner);
        live++;
    }
    return live;
}

static void drop_terminal(struct app *app)
{
    if (!app->has_terminal)
        return;
    app->has_terminal = false;
    app->keys = loop_fd_remove(app->keys);
    (void)loop_timer_set(app->tick_timer, 0, 0);
    term_close();
}

static void leave_detached(struct app *app, enum app_hangup policy, int code)
{
    drop_terminal(app);
    app->guard = loop_fd_remove(app->guard);
    (void)stop_runs(app, policy);
    departure_detach(&app->departure, code);
}

static void leave_stopping(struct app *app, int code)
{
    (void)stop_runs(app, APP_HANGUP_STOP);
    departure_wait(&app->departure, code);
}

enum { ANSWER_DETACH, ANSWER_STOP, ANSWER_STAY };

static void ask_to_leave(struct app *app)
{
    static const struct dialog_answer answers[] = {
        {'d', "d", "detach: leave, the runs go on and are recorded", ANSWER_DETACH},
        {'s', "s", "stop them and leave", ANSWER_STOP},
        {0, "esc", "stay", ANSWER_STAY},
        {0, NULL, NULL, 0},
    };
    unsigned live = live_runs(app);
    char question[80];
    if (live == 0 || departure_is_begun(&app->departure)) {
        departure_now(&app->departure, 0);
        return;
    }
    (void)snprintf(question, sizeof question,
                   live == 1 ? "One run is alive." : "%u runs are alive.", live);
    dialog_ask(&app->dialog, question, answers);
}

static void ask_to_detach(struct app *app)
{
    static const struct dialog_answer answers[] = {
        {'d', "d", "leave the terminal; \"iodyno watch\" shows a run again", ANSWER_DETACH},
        {0, "esc", "stay", ANSWER_STAY},
        {0, NULL, NULL, 0},
    };
    if (live_runs(app) == 0)
        notes_add(&app->notes, clock_wall_ns(), ROLE_TEXT, "no run is alive: nothing to detach");
    else
        dialog_ask(&app->dialog, "The runs go on without this screen.", answers);
}

static void take_answer(struct app *app, int answer)
{
    if (answer == ANSWER_DETACH)
        leave_detached(app, APP_HANGUP_DETACH, 0);
    if (answer == ANSWER_STOP) {
        leave_stopping(app, 0);
        notes_add(&app->notes, clock_wall_ns(), ROLE_WARN, "stopping… (q: leave without waiting)");
    }
}

/* ---- keys */

static void apply(struct app *app, const struct outcome *outcome)
{
    if (outcome->action != OUTCOME_IGNORED)
        app->is_dirty = true;
    switch (outcome->action) {
    case OUTCOME_OPEN:
        open_screen(app, outcome->screen, outcome->argument, false);
        break;
    case OUTCOME_REPLACE:
        open_screen(app, outcome->screen, outcome->argument, true);
        break;
    case OUTCOME_BACK:
        (void)close_top(app);
        break;
    case OUTCOME_QUIT:
        ask_to_leave(app);
        break;
    case OUTCOME_DETACH:
        ask_to_detach(app);
        break;
    default:
        break;
    }
}

static void open_run_at(struct app *app, unsigned index)
{
    unsigned run = core_run_at(app->core, index);
    bool is_instead = top_of(app)->screen == SCREEN_RUN || top_of(app)->screen == SCREEN_RESULT;
    char number[16];
    if (!run)
        return;
    (void)snprintf(number, sizeof number, "%u", run);
    open_screen(app, SCREEN_RUN, number, is_instead);
}

static void open_list(struct app *app, enum screen_id id, const char *argument)
{
    if (!go_back_to(app, id))
        open_screen(app, id, argument, false);
}

static void own_key(struct app *app, int key)
{
    char from[16];
    (void)snprintf(from, sizeof from, "%d", top_of(app)->screen);
    if (key >= '1' && key <= '9') {
        open_run_at(app, (unsigned)(key - '1'));
        return;
    }
    switch (keys_action(everywhere, key)) {
    case ACTION_QUIT:
        ask_to_leave(app);
        break;
    case ACTION_HELP:
        open_list(app, SCREEN_HELP, from);
        break;
    case ACTION_RUNS:
        open_list(app, SCREEN_RUNS, "");
        break;
    case ACTION_HISTORY:
        open_list(app, SCREEN_HISTORY, "");
        break;
    case ACTION_NEXT_RUN:
        if (core_run_count(app->core))
            open_run_at(app, core_run_count(app->core) - 1);
        break;
    case ACTION_REPAINT:
        term_repaint();
        break;
    case ACTION_BACK:
        (void)close_top(app);
        break;
    default:
        break;
    }
}

static void take_key(struct app *app, int key)
{
    app->is_dirty = app->is_urgent = true;
    if (app->dialog.is_open) {
        int answer = dialog_key(&app->dialog, key);
        if (answer >= 0)
            take_answer(app, answer);
        return;
    }
    struct stack_entry *top = top_of(app);
    struct outcome outcome = screens[top->screen]->key(top->state, key);
    if (outcome.action == OUTCOME_IGNORED)
        own_key(app, key);
    else
        apply(app, &outcome);
}

static void hang_up(struct app *app)
{
    leave_detached(app, app->plan->on_hangup, 128 + SIGHUP);
}

static void on_keys(void *user, int fd, uint32_t events)
{
    struct app *app = user;
    int waiting = 0, key;
    bool is_gone = (events & (EPOLLHUP | EPOLLERR)) != 0;
    bool is_at_end = ioctl(fd, FIONREAD, &waiting) == 0 && waiting == 0 && (events & EPOLLIN);
    while (app->has_terminal && (key = term_key()) != 0)
        take_key(app, key);
    if (app->has_terminal && (is_gone || is_at_end))
        hang_up(app);
}

/* ---- what the core tells */

static void note_event(struct app *app, unsigned run, const struct frame *frame)
{
    const struct runner *runner = core_run(app->core, run);
    const struct model *model = runner ? runner_model(runner) : NULL;
    size_t at = 0;
    const char *code, *text;
    if (!model || !frame_pair_next(frame, &at, &code, &text))
        return;
    notes_add(&app->notes, clock_wall_ns(), ROLE_TEXT, "%s: %s",
              model->target_id ? model->target_id : code, text);
}

static void sink(void *user, enum core_event event, unsigned run, const struct frame *frame)
{
    struct app *app = user;
    switch (event) {
    case CORE_DEVICES:
        app->has_new_devices = true;
        return;
    case CORE_CATALOG:
        app->has_new_catalog = true;
        return;
    case CORE_RUN:
        break;
    default:
        app->is_dirty = true;
        return;
    }
    if (frame && frame->type == FRAME_EVENT)
        note_event(app, run, frame);
    for (unsigned i = 0; i < app->changed_count; i++)
        if (app->changed_runs[i] == run)
            return;
    if (app->changed_count < WATCHED_MAX)
        app->changed_runs[app->changed_count++] = run;
}

static void tell_screen(struct app *app, enum core_event event, unsigned run)
{
    struct stack_entry *top = top_of(app);
    if (!screens[top->screen]->changed) {
        app->is_dirty = app->is_dirty || event != CORE_RUN;
        return;
    }
    struct outcome outcome = screens[top->screen]->changed(top->state, event, run);
    apply(app, &outcome);
}

static void note_end(struct app *app, unsigned run)
{
    const struct runner *runner = core_run(app->core, run);
    const struct model *model = runner ? runner_model(runner) : NULL;
    struct str title AUTO(str_done) = {0};
    enum theme_role role;
    double rate;
    if (!model)
        return;
    int metric = model_metric(model, "rate");
    const char *word = story_word(model, RUNNER_GOING, &role);
    story_title(model, &title);
    str_addf(&title, " on %s: %s", model->target_id ? model->target_id : "?", word);
    if (metric >= 0 && model_result(model, "rate", &rate) == 0)
        str_addf(&title, ", %s", units_value(rate, model->metrics[metric].about.unit).text);
    notes_add(&app->notes, clock_wall_ns(), role, "%s", str_text(&title));
}

/* Compares which runs are alive with the last look. */
static void watch_runs(struct app *app)
{
    bool has_ended = false;
    for (unsigned i = 0; i < app->watched_count; i++) {
        const struct runner *runner = core_run(app->core, app->watched[i]);
        if (runner && !runner_is_over(runner))
            continue;
        bool is_replay = runner && runner_record_state(runner) == RUNNER_NOT_ASKED;
        if (!is_replay)
            note_end(app, app->watched[i]);
        has_ended = has_ended || !is_replay;
        app->is_dirty = true;
    }
    app->watched_count = 0;
    for (unsigned i = 0; i < core_run_count(app->core) && app->watched_count < WATCHED_MAX; i++) {
        unsigned run = core_run_at(app->core, i);
        const struct runner *runner = core_run(app->core, run);
        if (runner && !runner_is_over(runner))
            app->watched[app->watched_count++] = run;
    }
    if (has_ended && app->has_terminal)
        figures_ask(&app->figures, app->core);
}

/* Old finished runs make room; they stay in the record. */
static void drop_old_runs(struct app *app)
{
    for (unsigned i = 0; core_run_count(app->core) > RUNS_KEPT && i < core_run_count(app->core);) {
        unsigned run = core_run_at(app->core, i);
        const struct runner *runner = core_run(app->core, run);
        if (runner && runner_is_over(runner))
            core_drop(app->core, run);
        else
            i++;
    }
}

static void note_refused_plugins(struct app *app)
{
    const struct catalog *catalog = core_catalog(app->core);
    for (size_t i = 0; i < catalog->plugin_count; i++)
        if (catalog->plugins[i].refused)
            notes_add(&app->notes, clock_wall_ns(), ROLE_WARN, "plugin %s is not used: %s",
                      catalog->plugins[i].path, catalog->plugins[i].refused);
}

static void look(struct app *app)
{
    if (app->has_new_devices) {
        app->has_new_devices = false;
        changes_look(&app->changes, core_inventory(app->core), clock_mono_ns(), clock_wall_ns(),
                     &app->notes);
        tell_screen(app, CORE_DEVICES, 0);
    }
    if (app->has_new_catalog) {
        app->has_new_catalog = false;
        note_refused_plugins(app);
        tell_screen(app, CORE_CATALOG, 0);
    }
    if (app->changed_count == 0)
        return;
    unsigned changed[WATCHED_MAX], count = app->changed_count;
    memcpy(changed, app->changed_runs, count * sizeof *changed);
    app->changed_count = 0;
    watch_runs(app);
    for (unsigned i = 0; i < count && app->has_terminal; i++)
        tell_screen(app, CORE_RUN, changed[i]);
    drop_old_runs(app);
}

/* ---- drawing */

static void set_tick(struct app *app)
{
    const struct stack_entry *top = top_of(app);
    const struct screen *screen = screens[top->screen];
    bool is_live = screen->is_live && screen->is_live(top->state);
    if (is_live == app->is_ticking)
        return;
    app->is_ticking = is_live;
    (void)loop_timer_set(app->tick_timer, is_live ? TICK_NS : 0, is_live ? TICK_NS : 0);
}

static void draw(struct app *app)
{
    struct rect area = {0, 0, term_rows(), term_columns()};
    const struct stack_entry *top = top_of(app);
    canvas_begin();
    screens[top->screen]->draw(top->state, area);
    dialog_draw(&app->dialog, area, app->context.glyphs);
    canvas_end();
    app->is_dirty = app->is_urgent = false;
    app->drawn_ns = clock_mono_ns();
    set_tick(app);
}

/* Draws when something changed: at once after a key, else not too often. */
static void draw_when_due(struct app *app)
{
    if (!app->has_terminal || !app->is_dirty)
        return;
    uint64_t gap_ns = term_is_serial() ? FRAME_SERIAL_NS : FRAME_NS;
    uint64_t since_ns = clock_mono_ns() - app->drawn_ns;
    if (app->is_urgent || since_ns >= gap_ns)
        draw(app);
    else
        (void)loop_timer_set(app->frame_timer, gap_ns - since_ns, 0);
}

static void on_frame(void *user) /* the loop's turn ends with draw_when_due */
{
    (void)user;
}

static void on_tick(void *user)
{
    struct app *app = user;
    struct stack_entry *top = top_of(app);
    if (!screens[top->screen]->tick)
        return;
    struct outcome outcome = screens[top->screen]->tick(top->state);
    apply(app, &outcome);
}

/* ---- signals and the guard */

static void on_signal(void *user, int signo)
{
    struct app *app = user;
    if (signo == SIGWINCH) {
        if (app->has_terminal)
            term_resized();
        app->is_dirty = app->is_urgent = true;
    } else if (signo == SIGHUP) {
        hang_up(app);
    } else {
        drop_terminal(app);
        leave_stopping(app, 128 + signo);
    }
}

static void on_guard(void *user, int fd, uint32_t events)
{
    (void)fd;
    (void)events; /* only an error is listened for: the guard is gone, the shell has the terminal */
    hang_up(user);
}

/* ---- life */

static int start_loop(struct app *app)
{
    static const int signals[] = {SIGWINCH, SIGHUP, SIGTERM, SIGINT, SIGQUIT};
    int code = 0;
    for (size_t i = 0; i < ARRAY_SIZE(signals) && code == 0; i++)
        code = loop_on_signal(app->loop, signals[i], on_signal, app);
    if (code == 0)
        code = loop_add_timer(app->loop, 0, 0, on_frame, app, &app->frame_timer);
    if (code == 0)
        code = loop_add_timer(app->loop, 0, 0, on_tick, app, &app->tick_timer);
    if (code == 0)
        code = loop_add_fd(app->loop, STDIN_FILENO, EPOLLIN, on_keys, app, &app->keys);
    if (code == 0 && app->plan->guard_fd >= 0)
        code = loop_add_fd(app->loop, app->plan->guard_fd, 0, on_guard, app, &app->guard);
    return code;
}

static int open_core(struct app *app, struct str *why)
{
    const struct core_plan plan = {
        .root = app->plan->root, .database = app->plan->database, .sink = sink, .user = app};
    int code = core_open(&plan, &app->core);
    if (code < 0) {
        char sentence[200];
        str_add(why, err_explain(sentence, sizeof sentence, code, "look at",
                                 app->plan->root ? app->plan->root : "this machine"));
        return code;
    }
    const char *selftest = getenv("IODYNO_SELFTEST");
    app->loop = core_loop(app->core);
    app->context = (struct screen_context){
        .core = app->core,
        .shows_selftests = selftest && strcmp(selftest, "1") == 0,
        .is_demo = app->plan->is_demo,
        .screens = screens,
        .everywhere = everywhere,
        .notes = &app->notes,
        .figures = &app->figures,
        .changes = &app->changes,
        .kept = &app->kept,
        .wake = wake,
        .user = app,
    };
    app->figures.changed = wake;
    app->figures.user = app;
    changes_look(&app->changes, core_inventory(app->core), clock_mono_ns(), clock_wall_ns(),
                 &app->notes);
    return 0;
}

static int open_terminal(struct app *app, struct str *why)
{
    const struct term_plan plan = {.glyphs = app->plan->glyphs, .theme = app->plan->theme};
    char sentence[200] = "";
    int code = term_open(&plan, sentence, sizeof sentence);
    if (code < 0) {
        str_add(why, sentence[0] ? sentence : err_text(code));
        return code;
    }
    app->has_terminal = true;
    app->context.glyphs = term_glyphs();
    return 0;
}

static void start_replay(struct app *app)
{
    const struct app_plan *plan = app->plan;
    const char *const arguments[] = {"replay",     "--speed", plan->speed, core_database(app->core),
                                     plan->replay, NULL};
    unsigned run;
    char number[16];
    if (core_replay(app->core, arguments, &run) < 0) {
        notes_add(&app->notes, clock_wall_ns(), ROLE_FAIL, "%s could not be replayed",
                  plan->replay);
        return;
    }
    (void)snprintf(number, sizeof number, "%u", run);
    open_screen(app, SCREEN_RUN, number, false);
}

static int live_on(struct app *app)
{
    app->is_dirty = app->is_urgent = true;
    draw_when_due(app);
    pages_lock();
    while (!departure_is_due(&app->departure, live_runs(app))) {
        int code = loop_turn(app->loop, departure_patience_ms(&app->departure));
        if (code < 0 && code != -EINTR)
            return 1;
        look(app);
        draw_when_due(app);
    }
    return departure_code(&app->departure);
}

static void app_done(struct app *app)
{
    drop_terminal(app);
    departure_done(&app->departure);
    while (app->stack.depth > 0) {
        struct stack_entry *top = top_of(app);
        screens[top->screen]->close(top->state);
        app->stack.depth--;
    }
    figures_done(&app->figures);
    kept_done(&app->kept);
    if (app->core) {
        app->guard = loop_fd_remove(app->guard);
        app->frame_timer = loop_timer_remove(app->frame_timer);
        app->tick_timer = loop_timer_remove(app->tick_timer);
        core_close(app->core);
    }
    free(app);
}

int app_run(const struct app_plan *plan, struct str *why)
{
    struct app *app = mem_new(1, sizeof *app);
    app->plan = plan;
    departure_init(&app->departure, plan->guard_fd);
    int code = open_core(app, why);
    if (code == 0)
        code = open_terminal(app, why);
    if (code == 0 && (code = start_loop(app)) < 0)
        str_add(why, err_text(code));
    if (code == 0) {
        open_screen(app, SCREEN_HOME, "", false);
        if (core_describe(app->core) < 0)
            notes_add(&app->notes, clock_wall_ns(), ROLE_FAIL, "the tests could not be looked up");
        figures_ask(&app->figures, app->core);
        if (plan->replay)
            start_replay(app);
        code = live_on(app);
    } else {
        code = 1;
    }
    app_done(app);
    return code;
}
