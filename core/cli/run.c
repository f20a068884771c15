#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/err.h"
#include "base/str.h"
#include "base/units.h"
#include "cli/command.h"
#include "cli/follow.h"

static const struct argument_row rows[] = {
    {"interval", true, "report interval, 0.1 s to 1 h (default 1)"},
    {"confirm", true, "agree to what a refusal names, by the id it gives; may be repeated"},
    {"label", true, "a name for this run, kept with it"},
    {"expect", true, "fail unless it holds, such as 'rate >= 60MB/s'; may be repeated"},
    FOLLOW_ROWS,
    {"no-record", false, "do not keep the run"},
    {"detach", false, "go on in the background; prints the run's number"},
    {NULL, false, NULL},
};

#define NUMBER_LIMIT_MS 20000 /* for all plugins to answer and the store to begin its record */

/* `texts` has room for all arguments. */
static void take_all(const struct arguments *arguments, const char *name, const char **texts)
{
    for (size_t i = 0; i < arguments->given_count; i++)
        if (strcmp(arguments->given[i].name, name) == 0)
            *texts++ = arguments->given[i].value;
}

static int start_and_follow(const struct arguments *arguments, struct follow *follow,
                            uint64_t report_ns)
{
    const char *expects[ARGUMENTS_MAX + 1] = {NULL}, *confirms[ARGUMENTS_MAX + 1] = {NULL};
    take_all(arguments, "expect", expects);
    take_all(arguments, "confirm", confirms);
    const struct order_wish wish = {
        .test = arguments->words[0],
        .target = arguments->words[1],
        .options = arguments->others,
        .expects = expects,
        .confirms = confirms,
        .label = arguments_value(arguments, "label"),
        .report_ns = report_ns,
        .tick_most_ns = NS_PER_S,
        .is_recorded = !arguments_has(arguments, "no-record"),
    };
    int code = follow_catalog(follow);
    if (code == -EINTR)
        return EXIT_CANCELLED;
    if (code)
        return command_fail(EXIT_TEST_FAILED, "cannot ask the plugins: %s", err_text(code));
    struct str why AUTO(str_done) = {0};
    unsigned run = 0;
    code = core_start(follow_core(follow), &wish, &run, &why);
    if (code)
        return command_fail(code > 0 ? code : EXIT_TEST_FAILED, "%s", str_text(&why));
    return follow_run(follow, run);
}

static void tell_parent(void *user, uint64_t id)
{
    int *pipe_end = user;
    char line[32];
    int size = snprintf(line, sizeof(line), "%" PRIu64 "\n", id);
    if (write(*pipe_end, line, (size_t)size) != size)
        return;
    (void)close(*pipe_end);
    *pipe_end = -1;
    /* From here on nobody listens: the run's words go to its record alone. */
    (void)!freopen("/dev/null", "w", stdout);
    (void)!freopen("/dev/null", "w", stderr);
    (void)!freopen("/dev/null", "r", stdin);
}

/* The parent of a detached run: prints its number, or passes its refusal on. */
static int wait_for_number(pid_t child, int pipe_end)
{
    char line[32] = "";
    struct pollfd number = {.fd = pipe_end, .events = POLLIN};
    if (poll(&number, 1, NUMBER_LIMIT_MS) == 0)
        return command_fail(EXIT_TEST_FAILED,
                            "the run goes on in the background, but its record is slow: `iodyno "
                            "history` will show its number");
    if (read(pipe_end, line, sizeof(line) - 1) > 0) { /* written in one go */
        printf("run %s", line);
        return EXIT_DONE;
    }
    int status = 0;
    if (waitpid(child, &status, 0) != child || !WIFEXITED(status))
        return command_fail(EXIT_TEST_FAILED, "the detached run ended before it had a number");
    return WEXITSTATUS(status);
}

static int run_detached(const struct arguments *arguments, uint64_t report_ns)
{
    if (arguments_has(arguments, "no-record"))
        return command_fail(EXIT_UNKNOWN_NAME,
                            "--detach and --no-record exclude each other: a detached run is "
                            "reached through its record");
    int ends[2];
    if (pipe2(ends, O_CLOEXEC))
        return command_fail(EXIT_TEST_FAILED, "cannot detach: %s", err_text(-errno));
    pid_t child = fork();
    if (child < 0)
        return command_fail(EXIT_TEST_FAILED, "cannot detach: %s", err_text(-errno));
    if (child > 0) {
        (void)close(ends[1]);
        int code = wait_for_number(child, ends[0]);
        (void)close(ends[0]);
        return code;
    }
    (void)close(ends[0]);
    (void)setsid();
    struct follow *follow = NULL;
    int code = follow_open(arguments_value(arguments, "db"), FOLLOW_PLAIN, false, &follow);
    if (code)
        return command_fail(EXIT_TEST_FAILED, "cannot start: %s", err_text(code));
    follow_on_recorded(follow, tell_parent, &ends[1]);
    code = start_and_follow(arguments, follow, report_ns);
    follow_close(follow);
    return code;
}

static int run(const struct arguments *arguments)
{
    uint64_t report_ns = NS_PER_S;
    const char *interval = arguments_value(arguments, "interval");
    if (interval && units_parse_time(interval, &report_ns))
        return command_fail(EXIT_UNKNOWN_NAME,
                            "--interval: expected a time such as 0.5, 1 or 60s, got \"%s\"",
                            interval);
    enum follow_form form;
    if (follow_form(arguments, &form))
        return command_fail(EXIT_UNKNOWN_NAME,
                            "expected one of --json, --jsonl, --csv and --plain");
    if (arguments_has(arguments, "detach"))
        return run_detached(arguments, report_ns);
    struct follow *follow = NULL;
    int code = follow_open(arguments_value(arguments, "db"), form, true, &follow);
    if (code)
        return command_fail(EXIT_TEST_FAILED, "cannot start: %s", err_text(code));
    code = start_and_follow(arguments, follow, report_ns);
    follow_close(follow);
    return code;
}

const struct command command_run = {
    .name = "run",
    .usage = "run TEST TARGET [--OPTION=VALUE …]",
    .help = "run a test on a device or in a folder",
    .more = "TEST is one of `iodyno tests`, TARGET a device of `iodyno list` or a folder. Options\n"
            "of the test, such as --size=500M: `iodyno tests TEST`. Intervals are printed as they\n"
            "come, the result at the end; Ctrl-C stops the run and keeps its mean so far.",
    .least_words = 2,
    .most_words = 2,
    .keeps_others = true,
    .rows = rows,
    .run = run,
};
