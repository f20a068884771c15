#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/units.h"
#include "cli/ask.h"
#include "cli/command.h"
#include "loop/process.h"

#define STOP_LIMIT_MS 12000 /* the whole ladder of a stuck worker, and a second more */

/* A descriptor of the owner, checked against its start time so that a reused pid is never hit. */
static int open_owner(const struct answer *answer, int *ret_fd)
{
    uint64_t pid = 0, start = 0;
    if (units_parse_u64(answer_value(answer, 0, "owner_pid"), &pid) ||
        units_parse_u64(answer_value(answer, 0, "owner_start"), &start) || pid == 0 ||
        pid > INT32_MAX)
        return -ESRCH;
    AUTO_CLOSE int fd = (int)syscall(SYS_pidfd_open, (pid_t)pid, 0);
    if (fd < 0)
        return -errno;
    unsigned long long ticks = 0;
    if (process_start_time((pid_t)pid, &ticks) || ticks != start)
        return -ESRCH;
    *ret_fd = take_fd(&fd);
    return 0;
}

static int stop_owner(const struct answer *answer, const char *run)
{
    int fd = -1;
    int code = open_owner(answer, &fd);
    AUTO_CLOSE int owner = fd;
    if (code == -ESRCH)
        return command_fail(EXIT_REFUSED, "run %s has no live owner any more", run);
    if (code)
        return command_fail(EXIT_REFUSED, "cannot reach the owner of run %s: %s", run,
                            strerror(-code));
    if (syscall(SYS_pidfd_send_signal, owner, SIGTERM, NULL, 0))
        return command_fail(EXIT_REFUSED, "cannot stop run %s: %s", run, strerror(errno));
    struct pollfd ended = {.fd = owner, .events = POLLIN};
    if (poll(&ended, 1, STOP_LIMIT_MS) <= 0)
        return command_fail(EXIT_ABANDONED,
                            "run %s does not end: its worker is stuck in the kernel", run);
    printf("run %s stopped\n", run);
    return EXIT_DONE;
}

static int run_stop(const struct arguments *arguments)
{
    const char *run = arguments->words[0];
    uint64_t number;
    if (units_parse_u64(run, &number))
        return command_fail(EXIT_UNKNOWN_NAME, "expected a run's number, got \"%s\"", run);
    struct str database AUTO(str_done) = {0};
    int code = ask_database(arguments_value(arguments, "db"), &database);
    if (code)
        return command_fail(EXIT_TEST_FAILED, "cannot tell where the results are: %s",
                            strerror(-code));
    const char *const question[] = {"query", "list", str_text(&database), "--run", run, NULL};
    struct answer answer AUTO(answer_done) = {0};
    code = ask(NULL, question, &answer);
    if (code)
        return command_fail(EXIT_TEST_FAILED, "cannot ask iodyno-store: %s", strerror(-code));
    if (answer.row_count == 0)
        return command_fail(EXIT_REFUSED, "%s",
                            answer.problem.size ? str_text(&answer.problem)
                                                : "there is no such run");
    if (strcmp(answer_value(&answer, 0, "state"), "running") != 0)
        return command_fail(EXIT_REFUSED, "run %s is not running: it is %s", run,
                            answer_value(&answer, 0, "state"));
    return stop_owner(&answer, run);
}

const struct command command_stop = {
    .name = "stop",
    .usage = "stop RUN",
    .help = "cancel a run that goes on in the background",
    .least_words = 1,
    .most_words = 1,
    .run = run_stop,
};
