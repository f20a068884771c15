#include "cli/follow.h"

#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/err.h"
#include "base/str.h"
#include "base/units.h"
#include "cli/command.h"
#include "cli/print.h"
#include "report/document.h"
#include "report/jsonl.h"

struct follow {
    struct core *core;
    enum follow_form form;
    bool is_live;   /* intervals are printed as they come */
    bool is_unfit;  /* a form was asked that this run has not */
    bool has_begun; /* a start came that its worker or record told, not the owner for them */
    unsigned run;
    struct document *document;
    struct jsonl_writer *jsonl;
    struct intervals *intervals; /* of the text form */
    struct print_row row;
    int signal; /* that asked for the end */
    bool has_told_id, is_unreachable;
    void (*recorded)(void *user, uint64_t id);
    void *recorded_user;
    struct loop_timer *patience; /* of the number of a run that says nothing */
};

#define NUMBER_NS (2 * NS_PER_S)

int follow_form(const struct arguments *arguments, enum follow_form *ret_form)
{
    static const struct {
        const char *name;
        enum follow_form form;
    } forms[] = {
        {"plain", FOLLOW_PLAIN},   {"json", FOLLOW_JSON},         {"jsonl", FOLLOW_JSONL},
        {"csv", FOLLOW_CSV},       {"markdown", FOLLOW_MARKDOWN}, {"dd", FOLLOW_DD},
        {"bw-mem", FOLLOW_BW_MEM}, {"iperf3", FOLLOW_IPERF3},
    };
    int found = 0;
    *ret_form = FOLLOW_TEXT;
    for (size_t i = 0; i < ARRAY_SIZE(forms); i++) {
        if (!arguments_has(arguments, forms[i].name))
            continue;
        *ret_form = forms[i].form;
        found++;
    }
    return found > 1 ? -EINVAL : 0;
}

static bool is_text(const struct follow *follow)
{
    return follow->form == FOLLOW_TEXT || follow->form == FOLLOW_PLAIN;
}

static void on_interval(void *user, const struct interval *interval)
{
    struct follow *follow = user;
    print_interval(&follow->row, runner_model(core_run(follow->core, follow->run)), interval);
}

static void start_text(struct follow *follow, const struct model *model, const struct frame *frame)
{
    if (model->test[0])
        print_start(model);
    follow->row = (struct print_row){0};
    follow->intervals = intervals_free(follow->intervals);
    follow->intervals = intervals_new(frame, on_interval, follow);
}

static void show_text(struct follow *follow, const struct model *model, const struct frame *frame)
{
    switch (frame->type) {
    case FRAME_START:
        start_text(follow, model, frame);
        break;
    case FRAME_SAMPLE:
        if (follow->intervals)
            (void)intervals_push(follow->intervals, &frame->sample);
        break;
    case FRAME_END:
        if (follow->intervals)
            intervals_finish(follow->intervals);
        print_row_flush(&follow->row, model);
        break;
    case FRAME_EVENT:
        print_row_flush(&follow->row, model);
        print_event(model);
        break;
    default:
        break;
    }
    (void)fflush(stdout);
}

static void show_jsonl(struct follow *follow, const struct model *model, const struct frame *frame)
{
    struct str lines AUTO(str_done) = {0};
    if (!follow->jsonl)
        follow->jsonl = jsonl_writer_new(model);
    if (jsonl_write(follow->jsonl, frame, &lines) == 0 && lines.size)
        (void)fwrite(lines.text, 1, lines.size, stdout);
    (void)fflush(stdout);
}

/* A run whose number is waited for is reached by it alone: without a record it does not go on. Its
 * refusal is waited for as well, so the number is told once the test is under way, or silent. */
static void tell_number(struct follow *follow, struct runner *runner, bool is_silent)
{
    const struct model *model = runner_model(runner);
    bool is_under_way = is_silent || model->phase_count > 0 || model->last_tick_ns > 0 ||
                        (model->has_end && model->state != RUN_REFUSED);
    follow->has_told_id = model->run_id != 0 && is_under_way;
    if (follow->has_told_id) {
        follow->patience = loop_timer_remove(follow->patience);
        follow->recorded(follow->recorded_user, model->run_id);
    } else if (runner_record_state(runner) == RUNNER_NOT_RECORDED && !follow->is_unreachable) {
        follow->is_unreachable = true;
        runner_stop(runner);
    }
}

static void on_patience(void *user)
{
    struct follow *follow = user;
    struct runner *runner = core_run(follow->core, follow->run);
    if (runner)
        tell_number(follow, runner, true);
}

static void on_core(void *user, enum core_event event, unsigned run, const struct frame *frame)
{
    struct follow *follow = user;
    if (event != CORE_RUN || run != follow->run || !core_run(follow->core, run))
        return;
    struct runner *runner = core_run(follow->core, run);
    const struct model *model = runner_model(runner);
    if (follow->recorded && !follow->has_told_id)
        tell_number(follow, runner, false);
    if (!frame)
        return;
    if (frame->type == FRAME_START && !(frame->flags & FRAME_OWNER))
        follow->has_begun = true;
    if (follow->form == FOLLOW_JSON || follow->form == FOLLOW_CSV ||
        follow->form == FOLLOW_IPERF3) /* the others print no intervals */
        (void)document_apply(follow->document, frame);
    if (follow->form == FOLLOW_JSONL)
        show_jsonl(follow, model, frame);
    else if (is_text(follow) && follow->is_live)
        show_text(follow, model, frame);
}

static void on_signal(void *user, int signo, int value)
{
    struct follow *follow = user;
    (void)value;
    if (signo == SIGHUP && follow->recorded)
        return; /* detached: no terminal of its own can hang up */
    follow->signal = signo;
    struct runner *runner = core_run(follow->core, follow->run);
    if (runner)
        runner_stop(runner);
    else
        loop_stop(core_loop(follow->core), 128 + signo);
}

int follow_open(const char *database, enum follow_form form, bool is_live,
                struct follow **ret_follow)
{
    struct follow *follow = mem_new(1, sizeof(*follow));
    follow->form = form;
    follow->is_live = is_live;
    follow->document = document_new();
    const struct core_plan plan = {
        .root = "", .database = database, .sink = on_core, .user = follow};
    int code = core_open(&plan, &follow->core);
    static const int signals[] = {SIGINT, SIGTERM, SIGHUP};
    for (size_t i = 0; i < ARRAY_SIZE(signals) && !code; i++)
        code = loop_on_signal(core_loop(follow->core), signals[i], on_signal, follow);
    if (code) {
        follow_close(follow);
        return code;
    }
    *ret_follow = follow;
    return 0;
}

struct follow *follow_close(struct follow *follow)
{
    if (!follow)
        return NULL;
    follow->patience = loop_timer_remove(follow->patience);
    jsonl_writer_free(follow->jsonl);
    intervals_free(follow->intervals);
    document_free(follow->document);
    core_close(follow->core);
    free(follow);
    return NULL;
}

struct core *follow_core(struct follow *follow)
{
    return follow->core;
}

int follow_catalog(struct follow *follow)
{
    int code = core_describe(follow->core);
    core_ask_modes(follow->core); /* a run's ceiling is that of its card's mode */
    while (!code &&
           (!core_catalog_is_ready(follow->core) || core_modes_are_pending(follow->core))) {
        int turned = loop_turn(core_loop(follow->core), -1);
        code = turned < 0 ? turned : follow->signal ? -EINTR : 0;
    }
    return code;
}

void follow_on_recorded(struct follow *follow, void (*fn)(void *user, uint64_t id), void *user)
{
    follow->recorded = fn;
    follow->recorded_user = user;
    (void)loop_add_timer(core_loop(follow->core), NUMBER_NS, NUMBER_NS, on_patience, follow,
                         &follow->patience);
}

bool follow_has_begun(const struct follow *follow)
{
    return follow->has_begun;
}

bool follow_is_unfit(const struct follow *follow)
{
    return follow->is_unfit;
}

static int write_document(const struct follow *follow, const struct model *model)
{
    static const enum document_form forms[] = {
        [FOLLOW_TEXT] = DOCUMENT_PLAIN,    [FOLLOW_PLAIN] = DOCUMENT_PLAIN,
        [FOLLOW_JSON] = DOCUMENT_JSON,     [FOLLOW_CSV] = DOCUMENT_CSV,
        [FOLLOW_DD] = DOCUMENT_DD,         [FOLLOW_BW_MEM] = DOCUMENT_BW_MEM,
        [FOLLOW_IPERF3] = DOCUMENT_IPERF3, [FOLLOW_MARKDOWN] = DOCUMENT_MARKDOWN,
    };
    if (follow->form == FOLLOW_JSONL)
        return 0;
    struct str text AUTO(str_done) = {0};
    int code = document_write(follow->document, model, forms[follow->form], &text);
    if (code)
        return code;
    (void)fwrite(str_text(&text), 1, text.size, stdout);
    return 0;
}

/* A form of some runs only, asked of another. */
static int say_unfit(struct follow *follow, const struct model *model)
{
    static const struct {
        const char *option, *runs;
    } fits[] = {
        [FOLLOW_DD] = {"dd", "storage runs that ended with a rate"},
        [FOLLOW_BW_MEM] = {"bw-mem", "memory.bandwidth with method=bw_mem"},
        [FOLLOW_IPERF3] = {"iperf3", "runs of network.tcp and network.udp that moved data"},
    };
    follow->is_unfit = true;
    return command_fail(EXIT_REFUSED, "this run of %s has no such lines: --%s is for %s",
                        model->test, fits[follow->form].option, fits[follow->form].runs);
}

static int exit_code(const struct follow *follow, const struct model *model)
{
    static const int codes[RUN_STATES] = {
        [RUN_RUNNING] = EXIT_DONE,        [RUN_DONE] = EXIT_DONE,
        [RUN_FAILED] = EXIT_TEST_FAILED,  [RUN_CANCELLED] = EXIT_CANCELLED,
        [RUN_REFUSED] = EXIT_REFUSED,     [RUN_REMOVED] = EXIT_REMOVED,
        [RUN_ABANDONED] = EXIT_ABANDONED, [RUN_INTERRUPTED] = EXIT_TEST_FAILED,
    };
    if (follow->is_unreachable)
        return EXIT_TEST_FAILED;
    if (model->state == RUN_CANCELLED && follow->signal == SIGTERM)
        return EXIT_TERMINATED;
    if (model->state != RUN_DONE)
        return codes[model->state];
    for (size_t i = 0; i < model->check_count; i++)
        if (!model->checks[i].pass)
            return EXIT_TEST_FAILED;
    return EXIT_DONE;
}

int follow_run(struct follow *follow, unsigned run)
{
    follow->run = run;
    struct runner *runner = core_run(follow->core, run);
    while (!runner_is_over(runner)) {
        int turned = loop_turn(core_loop(follow->core), -1);
        if (turned < 0)
            return command_fail(EXIT_TEST_FAILED, "the event loop failed: %s", err_text(turned));
    }
    const struct model *model = runner_model(runner);
    /* A run that never was one has no report: the sentence below is all there is to say. */
    bool has_report = !follow->is_unreachable &&
                      (!is_text(follow) || (model->test[0] && model->state != RUN_REFUSED));
    int code = has_report ? write_document(follow, model) : 0;
    if (code == -ENODATA)
        return say_unfit(follow, model);
    if (code)
        return command_fail(EXIT_TEST_FAILED, "cannot print this run: %s", err_text(code));
    (void)fflush(stdout);
    if (runner_record_state(runner) == RUNNER_NOT_RECORDED)
        (void)command_fail(0, "not recorded: %s", runner_record_text(runner));
    if (follow->is_unreachable) /* which says all */
        return exit_code(follow, model);
    bool has_sentence = model->sentence && model->sentence[0];
    if (model->state == RUN_CANCELLED && !has_sentence)
        (void)command_fail(0, "cancelled: the run was stopped before its end");
    else if (model->state != RUN_DONE && model->state != RUN_RUNNING)
        (void)command_fail(0, "%s: %s", run_state_name(model->state),
                           has_sentence ? model->sentence : "no reason was given");
    return exit_code(follow, model);
}
