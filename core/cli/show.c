#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/err.h"
#include "base/str.h"
#include "cli/ask.h"
#include "cli/command.h"
#include "cli/follow.h"

static const struct argument_row show_rows[] = {
    FOLLOW_ROWS,
    {"markdown", false, "a report in Markdown"},
    {"dd", false, "the line dd would have printed"},
    {"iperf3", false, "the lines iperf3 would have printed"},
    {"bw-mem", false, "the lines bw_mem would have printed"},
    {NULL, false, NULL},
};

static const struct argument_row watch_rows[] = {
    FOLLOW_ROWS,
    {NULL, false, NULL},
};

/* The stored run or file as a run of its own, in the form asked for. */
static int show_stored(const struct arguments *arguments, bool is_followed)
{
    enum follow_form form;
    if (follow_form(arguments, &form))
        return command_fail(
            EXIT_UNKNOWN_NAME,
            "expected one form of --json, --jsonl, --csv, --markdown, --dd, --iperf3, --bw-mem");
    struct str database AUTO(str_done) = {0};
    int code = ask_database(arguments_value(arguments, "db"), &database);
    struct follow *follow = NULL;
    if (!code)
        code = follow_open(arguments_value(arguments, "db"), form, is_followed, &follow);
    if (code)
        return command_fail(EXIT_TEST_FAILED, "cannot start: %s", err_text(code));
    struct str name AUTO(str_done) = {0};
    const char *replay[8] = {"replay"};
    size_t at = 1;
    if (is_followed)
        replay[at++] = "--follow";
    replay[at++] = str_text(&database);
    replay[at] = ask_file(arguments->words[0], &name);
    unsigned run = 0;
    code = core_replay(follow_core(follow), replay, &run);
    int result =
        code ? command_fail(EXIT_TEST_FAILED, "cannot start iodyno-store: %s", err_text(code))
             : follow_run(follow, run);
    bool is_absent = code == 0 && result == EXIT_TEST_FAILED && !follow_has_begun(follow);
    bool is_unfit = follow_is_unfit(follow);
    follow_close(follow);
    if (is_absent ||
        is_unfit) /* no such run or file, nothing of it can be read, or not in this form */
        return EXIT_REFUSED;
    /* A shown run that was cancelled or refused was shown all the same. */
    return is_followed || result == EXIT_UNKNOWN_NAME || result == EXIT_TEST_FAILED ? result
                                                                                    : EXIT_DONE;
}

static int run_show(const struct arguments *arguments)
{
    return show_stored(arguments, false);
}

static int run_watch(const struct arguments *arguments)
{
    return show_stored(arguments, true);
}

const struct command command_show = {
    .name = "show",
    .usage = "show RUN|FILE [--json|--jsonl|--csv|--markdown|--dd|--iperf3|--bw-mem]",
    .help = "a stored run in another form",
    .least_words = 1,
    .most_words = 1,
    .rows = show_rows,
    .run = run_show,
};

const struct command command_watch = {
    .name = "watch",
    .usage = "watch RUN [--json|--jsonl|--csv]",
    .help = "follow a run that goes on in the background",
    .least_words = 1,
    .most_words = 1,
    .rows = watch_rows,
    .run = run_watch,
};
