/* iodyno-store: keeps the runs in results.db and gives them back. Started by the other programs
 * with a line on descriptor 3, on which all answers go. */
#include <errno.h>
#include <getopt.h>
#include <signal.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/log.h"
#include "base/units.h"
#include "store/command.h"
#include "wire/channel.h"

static const struct {
    const char *name, *part; /* the part is a second word or NULL */
    size_t least_words, most_words;
    int (*run)(const struct command *);
    const char *usage;
} commands[] = {
    {"record", NULL, 1, 1, recorder_main, "record DB"},
    {"replay", NULL, 2, 2, replay_main, "replay [--follow] [--speed X] DB RUN|FILE"},
    {"query", "list", 1, 1, query_list,
     "query list DB [--limit N] [--test T] [--device ID|CID|LABEL] [--run RUN]"},
    {"query", "info", 1, 1, query_info, "query info DB"},
    {"export", NULL, 2, 1000, transfer_export, "export DB RUN... -o FILE"},
    {"import", NULL, 2, 2, transfer_import, "import DB FILE"},
};

static const struct option long_options[] = {
    {"limit", required_argument, NULL, 'l'},  {"test", required_argument, NULL, 't'},
    {"device", required_argument, NULL, 'd'}, {"run", required_argument, NULL, 'r'},
    {"follow", no_argument, NULL, 'f'},       {"speed", required_argument, NULL, 's'},
    {"output", required_argument, NULL, 'o'}, {NULL, 0, NULL, 0},
};

#define SPEED_MIN 0.01
#define SPEED_MAX 10000.0

static int take_option(struct command *command, int option, const char *value)
{
    switch (option) {
    case 'l':
        if (units_parse_u64(value, &command->limit) < 0 || command->limit < 1 ||
            command->limit > COMMAND_LIMIT_MAX)
            return -EINVAL;
        return 0;
    case 't':
        command->test = value;
        return 0;
    case 'd':
        command->device = value;
        return 0;
    case 'r':
        return command_run(value, &command->run);
    case 'f':
        command->is_following = true;
        return 0;
    case 's':
        if (units_parse_double(value, &command->speed) < 0 ||
            !(command->speed == 0 || command->speed >= SPEED_MIN) || command->speed > SPEED_MAX)
            return -EINVAL;
        return 0;
    case 'o':
        command->output = value;
        return 0;
    default:
        return -EINVAL;
    }
}

static int usage(void)
{
    for (size_t i = 0; i < ARRAY_SIZE(commands); i++)
        log_say(LOG_ERROR, "usage: iodyno-store %s", commands[i].usage);
    return COMMAND_USAGE;
}

int command_run(const char *word, int64_t *ret_run)
{
    uint64_t run = 0;
    if (!*word || strspn(word, "0123456789") != strlen(word))
        return -EINVAL;
    int r = units_parse_u64(word, &run);
    if (r < 0 || run == 0 || run > INT64_MAX)
        return -EINVAL;
    *ret_run = (int64_t)run;
    return 0;
}

static int dispatch(struct command *command, char **words, size_t count)
{
    for (size_t i = 0; i < ARRAY_SIZE(commands); i++) {
        size_t own = commands[i].part ? 2 : 1;
        if (count < own || strcmp(words[0], commands[i].name) != 0 ||
            (commands[i].part && strcmp(words[1], commands[i].part) != 0))
            continue;
        command->words = (const char *const *)words + own;
        command->count = count - own;
        if (command->count < commands[i].least_words || command->count > commands[i].most_words)
            return usage();
        return commands[i].run(command);
    }
    return usage();
}

int main(int argc, char **argv)
{
    static struct line line = {.fd = CHANNEL_FD};
    struct command command = {.limit = COMMAND_LIMIT, .line = &line};
    int option = 0;

    log_open(STDERR_FILENO, LOG_WARNING, "iodyno-store");
    /* Ctrl-C and a lost terminal are the owner's business; its line's end is ours. */
    (void)signal(SIGINT, SIG_IGN);
    (void)signal(SIGHUP, SIG_IGN);
    (void)signal(SIGPIPE, SIG_IGN);
    (void)signal(SIGXFSZ, SIG_IGN); /* a limit of the shell is an error of a write, not our end */
    while ((option = getopt_long(argc, argv, "o:", long_options, NULL)) != -1)
        if (take_option(&command, option, optarg) < 0)
            return usage();
    if (line_check(CHANNEL_FD) < 0) {
        log_say(LOG_ERROR, "has no line on descriptor 3: it is started by iodyno, not by hand");
        return COMMAND_USAGE;
    }
    return dispatch(&command, argv + optind, (size_t)(argc - optind));
}
