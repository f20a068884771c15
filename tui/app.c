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
#include "diary.h"
#include "inbox.h"
#include "pages.h"
#include "shortcuts.h"
#include "stage.h"
#include "terminal/canvas.h"
#include "terminal/term.h"
#include "widget/dialog.h"

#define FRAME_NS (100 * NS_PER_MS) /* between two drawings that nobody asked for by a key */
#define FRAME_SERIAL_NS NS_PER_S
#define TICK_NS NS_PER_S
#define RUNS_KEPT 24

struct app {
    const struct app_plan *plan;
    struct core *core;
    struct loop *loop;
    struct stage stage;
    struct inbox inbox;
    struct dialog dialog;
    struct notes notes;
    struct figures figures;
    struct changes changes;
    struct kept kept;
    struct departure departure;
    struct loop_fd *keys, *guard;
    struct loop_timer *frame_timer, *tick_timer, *pulse_timer;
    bool has_terminal, is_dirty, is_urgent, is_ticking;
    bool has_news; /* more than a run's going on */
    uint64_t drawn_ns;
};

static void wake(void *user)
{
    struct app *app = user;
    app->is_dirty = true;
}

/* ---- leaving */

static void drop_terminal(struct app *app)
{
    if (!app->has_terminal)
        return;
    app->has_terminal = false;
    app->keys = loop_fd_remove(app->keys);
    (void)loop_timer_set(app->tick_timer, 0, 0);
    term_close();
}

/* The terminal goes away or is given back: runs that may go on do, the others are stopped. */
static void leave_terminal(struct app *app, enum survivors policy, int code)
{
    drop_terminal(app);
    app->guard = loop_fd_remove(app->guard);
    if (survivors_pick(app->core, policy) > 0)
        departure_detach(&app->departure, code);
    else
        departure_wait(&app->departure, code);
}

static void leave_stopping(struct app *app, int code)
{
    (void)survivors_pick(app->core, SURVIVORS_NONE);
    departure_wait(&app->departure, code);
}

static void ask_to_leave(struct app *app)
{
    if (departure_is_begun(&app->departure))
        departure_now(&app->departure, 0);
    else if (!survivors_ask(app->core, &app->dialog))
        departure_wait(&app->departure, 0); /* for runs that are just being put away, if any */
}

static void ask_to_detach(struct app *app)
{
    if (!survivors_ask_detach(app->core, &app->dialog))
        notes_add(&app->notes, clock_wall_ns(), ROLE_TEXT, "no run is alive: nothing to detach");
}

static void take_answer(struct app *app, int answer)
{
    if (answer == SURVIVORS_ANSWER_DETACH)
        leave_terminal(app, SURVIVORS_ALL, 0);
    if (answer == SURVIVORS_ANSWER_STOP) {
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
    case OUTCOME_REPLACE:
        app->has_news = true;
        stage_open(&app->stage, outcome->screen, outcome->argument,
                   outcome->action == OUTCOME_REPLACE);
        break;
    case OUTCOME_BACK:
        (void)stage_back(&app->stage);
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

static void take_key(struct app *app, int key)
{
    app->is_dirty = app->is_urgent = app->has_news = true;
    if (app->dialog.is_open) {
        int answer = dialog_key(&app->dialog, key);
        if (answer >= 0)
            take_answer(app, answer);
        return;
    }
    struct outcome outcome = stage_key(&app->stage, key);
    if (outcome.action == OUTCOME_IGNORED)
        outcome = shortcuts_key(&app->stage, key);
    apply(app, &outcome);
}

static void hang_up(struct app *app)
{
    leave_terminal(app, app->plan->on_hangup, 128 + SIGHUP);
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

static void sink(void *user, enum core_event event, unsigned run, const struct frame *frame)
{
    struct app *app = user;
    if (event == CORE_EVENTS)
        app->is_dirty = true;
    if (frame && frame->type == FRAME_EVENT)
        diary_event(&app->notes, app->core, run, frame);
    inbox_put(&app->inbox, event, run);
}

static void note_ends(struct app *app)
{
    unsigned ended[INBOX_RUNS_MAX];
    unsigned count = inbox_ended(&app->inbox, app->core, ended);
    bool has_new_figures = false;
    for (unsigned i = 0; i < count; i++) {
        const struct runner *runner = core_run(app->core, ended[i]);
        app->is_dirty = true;
        if (runner_record_state(runner) == RUNNER_NOT_ASKED) /* a replay */
            continue;
        diary_end(&app->notes, app->core, ended[i]);
        has_new_figures = true;
    }
    if (has_new_figures && app->has_terminal)
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

/* After each turn of the loop: what the core told in it. */
static void look(struct app *app)
{
    enum core_event event;
    unsigned run;
    note_ends(app);
    while (inbox_take(&app->inbox, &event, &run)) {
        if (event == CORE_DEVICES)
            changes_look(&app->changes, core_inventory(app->core), clock_mono_ns(), clock_wall_ns(),
                         &app->notes);
        if (event == CORE_CATALOG)
            diary_refused_plugins(&app->notes, core_catalog(app->core));
        if (!app->has_terminal)
            continue;
        struct outcome outcome = stage_changed(&app->stage, event, run);
        app->has_news = app->has_news || (event != CORE_RUN && outcome.action != OUTCOME_IGNORED);
        apply(app, &outcome);
    }
    drop_old_runs(app);
}

/* ---- drawing */

static void set_tick(struct app *app)
{
    bool is_live = stage_is_live(&app->stage);
    if (is_live == app->is_ticking)
        return;
    app->is_ticking = is_live;
    (void)loop_timer_set(app->tick_timer, is_live ? TICK_NS : 0, is_live ? TICK_NS : 0);
}

/* On paper a page is not printed again each second while a run goes on: what the screen says in one
 * row is. A question has a page to itself. */
static void draw(struct app *app)
{
    bool is_paper = term_paper() != NULL;
    bool is_asking = app->dialog.is_open;
    bool is_remark = is_paper && !is_asking && !app->has_news && stage_is_live(&app->stage);
    struct rect area = {0, 0, is_remark ? 1 : term_rows(), term_columns()};
    canvas_begin();
    if (!is_paper || !is_asking)
        stage_draw(&app->stage, area);
    dialog_draw(&app->dialog, area, app->stage.context.glyphs);
    canvas_end();
    app->is_dirty = app->is_urgent = app->has_news = false;
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

static void on_pulse(void *user) /* only its lateness counts */
{
    (void)user;
}

static void on_tick(void *user)
{
    struct app *app = user;
    struct outcome outcome = stage_tick(&app->stage);
    apply(app, &outcome);
}

/* ---- signals and the guard */

static void on_signal(void *user, int signo, int value)
{
    struct app *app = user;
    (void)value;
    if (signo == SIGWINCH) {
        if (app->has_terminal)
            term_resized();
        if (!term_paper()) /* what is printed stays as it is */
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
    if (code == 0 && app->plan->is_timed)
        code = loop_add_timer(app->loop, FRAME_NS, FRAME_NS, on_pulse, app, &app->pulse_timer);
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
    app->stage.context = (struct screen_context){
        .core = app->core,
        .shows_selftests = selftest && strcmp(selftest, "1") == 0,
        .is_demo = app->plan->is_demo,
        .screens = stage_screens,
        .everywhere = shortcuts,
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
    char sentence[256] = "";
    int code = term_open(&plan, sentence, sizeof sentence);
    if (code < 0) {
        str_add(why, sentence[0] ? sentence : err_text(code));
        return code;
    }
    app->has_terminal = true;
    app->stage.context.glyphs = term_glyphs();
    if (term_paper())
        departure_is_traceless(&app->departure);
    if (sentence[0])
        notes_add(&app->notes, clock_wall_ns(), ROLE_TEXT, "%s", sentence);
    return 0;
}

static void start_replay(struct app *app)
{
    const struct app_plan *plan = app->plan;
    const char *database = core_database(app->core);
    const char *const paced[] = {"replay", "--speed", plan->speed, database, plan->replay, NULL};
    const char *const at_once[] = {"replay", database, plan->replay, NULL};
    double speed = 0;
    unsigned run;
    char number[16];
    (void)units_parse_double(plan->speed, &speed);
    if (core_replay(app->core, speed > 0 ? paced : at_once, &run) < 0) {
        notes_add(&app->notes, clock_wall_ns(), ROLE_FAIL, "%s could not be replayed",
                  plan->replay);
        return;
    }
    (void)snprintf(number, sizeof number, "%u", run);
    stage_open(&app->stage, SCREEN_RUN, number, false);
}

static int live_on(struct app *app)
{
    app->is_dirty = app->is_urgent = true;
    draw_when_due(app);
    pages_lock();
    while (!departure_is_due(&app->departure, screen_live_runs(app->core))) {
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
    stage_done(&app->stage);
    figures_done(&app->figures);
    kept_done(&app->kept);
    if (app->core) {
        app->guard = loop_fd_remove(app->guard);
        app->frame_timer = loop_timer_remove(app->frame_timer);
        app->tick_timer = loop_timer_remove(app->tick_timer);
        app->pulse_timer = loop_timer_remove(app->pulse_timer);
        core_close(app->core);
    }
    free(app);
}

int app_run(const struct app_plan *plan, struct str *why, uint64_t *ret_worst_late_ns)
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
        stage_open(&app->stage, SCREEN_HOME, "", false);
        (void)core_follow(app->core); /* without it the key that looks again is left */
        if (core_describe(app->core) < 0)
            notes_add(&app->notes, clock_wall_ns(), ROLE_FAIL, "the tests could not be looked up");
        figures_ask(&app->figures, app->core);
        if (plan->notice)
            notes_add(&app->notes, clock_wall_ns(), ROLE_WARN, "%s", plan->notice);
        if (plan->replay)
            start_replay(app);
        code = live_on(app);
        *ret_worst_late_ns = loop_worst_late_ns(app->loop);
    } else {
        code = 1;
    }
    app_done(app);
    return code;
}
