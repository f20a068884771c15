/* pty-dump: the screen judge. Runs a program on a pseudo-terminal, does what a script says, and
 * prints what a person would see.
 *
 *   pty-dump [--size=24x80] [--baud=0] [--limit=60] [--script=FILE] -- PROGRAM [ARGUMENT ...]
 *
 * The script (else standard input) is one command a line; # begins a comment:
 *   wait S TEXT     until TEXT stands in a row, at most S seconds
 *   gone S TEXT     until it stands in none
 *   quiet MS S      until nothing was written for MS milliseconds, at most S seconds
 *   run MS          lets it run for MS milliseconds
 *   expect TEXT     TEXT stands in a row now          reject TEXT     it does not
 *   send TEXT       types it; \e \r \n \t \\ \xHH     key NAME        up enter escape ctrl-c f1 ...
 *   resize R C      changes the terminal's size       signal NAME     TERM, HUP, ... to the program
 *   hangup          takes the terminal away           exit S          until it ends, at most S s
 *   dump [NAME]     prints the screen                 looks [NAME]    prints its attributes
 *   bytes           prints the bytes written since the last time
 *   clock           prints the milliseconds since the last time
 *   high            prints how many bytes >= 0x80 were written since the last time
 *   state           prints terminal modes, and whether termios is as before
 *   log FILE        appends all further bytes to FILE
 *
 * --baud reads no faster than such a line would, and sets it. --limit ends everything after so many
 * seconds. Exit status: 0, 1 when something did not come true (the screen goes to stderr), 2 for a
 * bad script. Environment (TERM, LANG) is the caller's. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/str.h"
#include "base/units.h"
#include "judge.h"
#include "script.h"

#define IDLE_MS 1000 /* one turn while the script has no next line */

struct plan {
    uint64_t rows, columns, baud, limit_s;
    const char *script;
    char **program;
};

static int parse_size(const char *text, struct plan *plan)
{
    const char *cross = strchr(text, 'x');
    char rows[8];

    if (!cross || (size_t)(cross - text) >= sizeof(rows))
        return -EINVAL;
    memcpy(rows, text, (size_t)(cross - text));
    rows[cross - text] = 0;
    int code = units_parse_u64(rows, &plan->rows);
    return code < 0 ? code : units_parse_u64(cross + 1, &plan->columns);
}

static int parse_argument(const char *argument, struct plan *plan)
{
    const char *value = strchr(argument, '=');

    if (!value++)
        return -EINVAL;
    if (str_starts(argument, "--size="))
        return parse_size(value, plan);
    if (str_starts(argument, "--baud="))
        return units_parse_u64(value, &plan->baud);
    if (str_starts(argument, "--limit="))
        return units_parse_u64(value, &plan->limit_s);
    if (!str_starts(argument, "--script="))
        return -EINVAL;
    plan->script = value;
    return 0;
}

static int parse(char **argv, struct plan *plan)
{
    *plan = (struct plan){.rows = 24, .columns = 80, .limit_s = 60};
    for (argv++; *argv; argv++) {
        if (strcmp(*argv, "--") == 0) {
            plan->program = argv + 1;
            break;
        }
        if (parse_argument(*argv, plan) < 0)
            return -EINVAL;
    }
    bool is_sane = plan->rows >= 1 && plan->rows <= 1000 && plan->columns >= 1 &&
                   plan->columns <= 1000 && plan->baud <= 4000000 && plan->limit_s <= 3600;
    return is_sane && plan->program && *plan->program ? 0 : -EINVAL;
}

static void on_reply(const char *bytes, size_t size, void *user)
{
    judge_type(user, bytes, size);
}

/* Reads the script by bytes, so that the program runs while its driver thinks. */
static int run_script(struct judge *judge, int fd)
{
    char line[JUDGE_LINE_MAX];
    size_t used = 0;
    int code = 0;

    while (code == 0) {
        if (!judge_pump(judge, fd, IDLE_MS))
            continue;
        bool is_end = read(fd, line + used, 1) != 1;
        if (is_end && used == 0)
            return 0;
        if (!is_end && line[used] != '\n' && used + 2 < sizeof(line)) {
            used++;
            continue;
        }
        line[used] = 0;
        used = 0;
        judge->line++;
        code = script_line(judge, line);
    }
    return code;
}

int main(int argc, char **argv)
{
    struct judge judge = {.baud = 0};
    struct plan plan;
    AUTO_CLOSE int script = -1;

    (void)argc;
    if (parse(argv, &plan) < 0) {
        (void)fprintf(stderr, "usage: pty-dump [--size=ROWSxCOLUMNS] [--baud=N] [--limit=S] "
                              "[--script=FILE] -- PROGRAM [ARGUMENT ...]\n");
        return 2;
    }
    script = plan.script ? open(plan.script, O_RDONLY | O_CLOEXEC)
                         : fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 3);
    if (script < 0) {
        (void)fprintf(stderr, "cannot read the script\n");
        return 2;
    }
    judge.baud = (unsigned)plan.baud;
    judge.emulator = emulator_new((int)plan.rows, (int)plan.columns, on_reply, &judge);
    judge.clock_ms = judge_now_ms();
    judge.limit_ms = judge.clock_ms + (long)plan.limit_s * 1000;
    int code =
        child_start(&judge.child, plan.program, (int)plan.rows, (int)plan.columns, judge.baud);
    if (code < 0)
        (void)fprintf(stderr, "cannot start %s\n", plan.program[0]);
    code = code < 0 ? 2 : run_script(&judge, script);
    child_end(&judge.child);
    if (judge.log)
        (void)fclose(judge.log);
    judge.emulator = emulator_free(judge.emulator);
    return code;
}
