#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/err.h"
#include "base/units.h"
#include "cli/ask.h"
#include "cli/command.h"
#include "core.h"
#include "loop/process.h"

#define STOP_LIMIT_NS (12 * NS_PER_S) /* the whole ladder of a stuck worker, and its record */
#define LOOK_MS 100                   /* between two looks at the record */
#define TELL_AGAIN 10 /* looks; an owner just beginning may not know its number yet */

struct stopping {
    const char *database, *run; /* the run as typed */
    uint64_t number;
};

/* The run's row. 0, or an exit code after a sentence. */
static int look(const struct stopping *stopping, struct answer *ret_answer)
{
    const char *const question[] = {"query", "list",        stopping->database,
                                    "--run", stopping->run, NULL};
    int code = ask(NULL, question, ret_answer);
    if (code)
        return command_fail(EXIT_TEST_FAILED, "cannot ask iodyno-store: %s", err_text(code));
    if (ret_answer->row_count == 0)
        return command_fail(EXIT_REFUSED, "%s",
                            ret_answer->problem.size ? str_text(&ret_answer->problem)
                                                     : "there is no such run");
    return 0;
}

static bool is_running(const struct answer *answer)
{
    return strcmp(answer_value(answer, 0, "state"), "running") == 0;
}

/* The owner may have more runs than this one, so it is told which. */
static int tell_owner(const struct answer *answer, uint64_t number)
{
    uint64_t pid = 0, start = 0;
    if (units_parse_u64(answer_value(answer, 0, "owner_pid"), &pid) ||
        units_parse_u64(answer_value(answer, 0, "owner_start"), &start) || pid > INT32_MAX)
        return -ESRCH;
    return process_tell((pid_t)pid, start, CORE_STOP_SIGNAL, (int)(uint32_t)number);
}

static int say_state(const char *run, const char *state)
{
    if (strcmp(state, "abandoned") == 0)
        return command_fail(EXIT_ABANDONED,
                            "run %s does not end: its worker is stuck in the kernel", run);
    if (strcmp(state, "cancelled") == 0)
        printf("run %s stopped\n", run);
    else
        printf("run %s ended by itself: %s\n", run, state);
    return EXIT_DONE;
}

/* Until the record says that the run has ended: the owner may live on. */
static int wait_for_end(const struct stopping *stopping)
{
    const uint64_t limit_ns = clock_mono_ns() + STOP_LIMIT_NS;
    for (unsigned looks = 1; clock_mono_ns() < limit_ns; looks++) {
        struct answer answer AUTO(answer_done) = {0};
        (void)poll(NULL, 0, LOOK_MS);
        int code = look(stopping, &answer);
        if (code)
            return code;
        if (!is_running(&answer))
            return say_state(stopping->run, answer_value(&answer, 0, "state"));
        if (looks % TELL_AGAIN == 0)
            (void)tell_owner(&answer, stopping->number); /* gone by now: the next look shows it */
    }
    return command_fail(EXIT_ABANDONED, "run %s has not ended within %u seconds", stopping->run,
                        (unsigned)(STOP_LIMIT_NS / NS_PER_S));
}

static int run_stop(const struct arguments *arguments)
{
    struct stopping stopping = {.run = arguments->words[0]};
    if (units_parse_u64(stopping.run, &stopping.number))
        return command_fail(EXIT_UNKNOWN_NAME, "expected a run's number, got \"%s\"", stopping.run);
    struct str database AUTO(str_done) = {0};
    int code = ask_database(arguments_value(arguments, "db"), &database);
    if (code)
        return command_fail(EXIT_TEST_FAILED, "cannot tell where the results are: %s",
                            err_text(code));
    stopping.database = str_text(&database);
    struct answer answer AUTO(answer_done) = {0};
    code = look(&stopping, &answer);
    if (code)
        return code;
    if (!is_running(&answer))
        return command_fail(EXIT_REFUSED, "run %s is not running: it is %s", stopping.run,
                            answer_value(&answer, 0, "state"));
    code = tell_owner(&answer, stopping.number);
    if (code == -ESRCH)
        return command_fail(EXIT_REFUSED, "run %s has no live owner any more", stopping.run);
    if (code)
        return command_fail(EXIT_REFUSED, "cannot reach the owner of run %s: %s", stopping.run,
                            err_text(code));
    return wait_for_end(&stopping);
}

const struct command command_stop = {
    .name = "stop",
    .usage = "stop RUN",
    .help = "cancel one run that goes on in the background or on a screen",
    .least_words = 1,
    .most_words = 1,
    .run = run_stop,
};
