#include <errno.h>
#include <fcntl.h>
#include <locale.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/err.h"
#include "base/log.h"
#include "base/str.h"
#include "cli/command.h"
#include "cli/guardian.h"

static const struct command *const commands[] = {
    &command_list,  &command_tests,   &command_run,    &command_watch,
    &command_stop,  &command_history, &command_show,   &command_replay,
    &command_serve, &command_export,  &command_import, &command_doctor,
};

static const struct argument_row common_rows[] = {
    {"db", true, "the results database, such as /tmp/results.db"},
    {"theme", true,
     "default, light, mono, high-contrast, colour-blind, console,\n"
     "                   amber, or a file"},
    {"glyphs", true, "auto, braille, eighths, halves, shades or ascii"},
    {NULL, false, NULL},
};

int command_fail(int code, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    struct str text AUTO(str_done) = {0}, clean AUTO(str_done) = {0};
    str_addv(&text, format, args);
    va_end(args);
    str_add_clean(&clean, str_text(&text), text.size);
    (void)fprintf(stderr, "iodyno: %s\n", str_text(&clean));
    return code;
}

/* Pads by characters: usages hold "…". */
static void print_padded(const char *text, size_t size, int cells)
{
    for (size_t i = 0; i < size; i++)
        cells -= ((unsigned char)text[i] & 0xc0) != 0x80;
    printf("%.*s%*s", (int)size, text, cells > 0 ? cells : 0, "");
}

/* The command with its words; its options are told by its own help. */
static size_t short_usage(const char *usage)
{
    size_t size = strcspn(usage, "[");
    while (size && usage[size - 1] == ' ')
        size--;
    return size;
}

static void print_row(const struct argument_row *row)
{
    AUTO(str_done) struct str name = {0};
    str_addf(&name, "%s%s%s", row->name[1] ? "--" : "-", row->name,
             !row->has_value ? ""
             : row->name[1]  ? "=…"
                             : " …");
    printf("  ");
    print_padded(str_text(&name), name.size, 16);
    printf(" %s\n", row->help);
}

static void print_help(void)
{
    printf("iodyno %s: the dynamometer for embedded Linux boards\n\n"
           "iodyno alone opens the screen: devices, tests, live plots. iodyno COMMAND:\n\n",
           IODYNO_VERSION);
    for (size_t i = 0; i < ARRAY_SIZE(commands); i++) {
        printf("  ");
        print_padded(commands[i]->usage, short_usage(commands[i]->usage), 26);
        printf(" %s\n", commands[i]->help);
    }
    printf("\nOptions of the screen and of all commands:\n\n");
    for (size_t i = 0; common_rows[i].name; i++)
        print_row(&common_rows[i]);
    printf("\n"
           "iodyno COMMAND --help tells a command's own options; iodyno tests TEST those of a\n"
           "test, with defaults and ranges.\n"
           "Sizes as dd: K M G are 1024, kB MB GB 1000. Times: 10, 10s, 500ms, 5m, 12h.\n"
           "Exit status: 0 done, 1 failed or below an expectation, 2 unknown name or value,\n"
           "3 refused, 4 device removed, 5 abandoned, 130 cancelled, 143 terminated.\n");
}

static void print_command_help(const struct command *command)
{
    printf("iodyno %s\n  %s\n", command->usage, command->help);
    if (command->more)
        printf("\n%s\n", command->more);
    printf("\n");
    for (const struct argument_row *row = command->rows; row && row->name; row++)
        print_row(row);
    for (const struct argument_row *row = common_rows; row->name; row++)
        print_row(row);
}

static int run_command(const struct command *command, char **argv)
{
    for (char **arg = argv; *arg; arg++) {
        if (strcmp(*arg, "--help") == 0 || strcmp(*arg, "-h") == 0) {
            print_command_help(command);
            return EXIT_DONE;
        }
    }
    struct arguments arguments;
    struct str why AUTO(str_done) = {0};
    if (arguments_parse(argv, command->rows, common_rows, command->keeps_others, &arguments, &why))
        return command_fail(EXIT_UNKNOWN_NAME, "%s; usage: iodyno %s", str_text(&why),
                            command->usage);
    if (arguments.word_count < command->least_words || arguments.word_count > command->most_words)
        return command_fail(EXIT_UNKNOWN_NAME, "expected: iodyno %s; `iodyno %s --help` says more",
                            command->usage, command->name);
    return command->run(&arguments);
}

static int run_screen(int argc, char **argv)
{
    if (isatty(STDIN_FILENO) && isatty(STDOUT_FILENO))
        return guardian_run(argc, argv);
    print_help();
    (void)fprintf(stderr, "iodyno: the screen needs a terminal; without one, use a command\n");
    return EXIT_UNKNOWN_NAME;
}

static int dispatch(int argc, char **argv)
{
    const char *name = argc > 1 ? argv[1] : NULL;
    if (name &&
        (strcmp(name, "--help") == 0 || strcmp(name, "-h") == 0 || strcmp(name, "help") == 0)) {
        print_help();
        return EXIT_DONE;
    }
    if (name && strcmp(name, "--version") == 0) {
        printf("iodyno %s\n", IODYNO_VERSION);
        return EXIT_DONE;
    }
    if (!name || name[0] == '-')
        return run_screen(argc, argv);
    for (size_t i = 0; i < ARRAY_SIZE(commands); i++)
        if (strcmp(commands[i]->name, name) == 0)
            return run_command(commands[i], argv + 2);
    struct str known AUTO(str_done) = {0};
    for (size_t i = 0; i < ARRAY_SIZE(commands); i++)
        str_addf(&known, "%s%s", i ? ", " : "", commands[i]->name);
    return command_fail(EXIT_UNKNOWN_NAME, "there is no command \"%s\"; expected %s", name,
                        str_text(&known));
}

/* Descriptors 0 to 2 that came closed are taken, the wrong way round, so that no file of ours gets
 * their number and what is printed there fails instead of landing in it. */
static void take_standard_descriptors(void)
{
    for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
        if (fcntl(fd, F_GETFD) < 0 &&
            open("/dev/null", fd == STDIN_FILENO ? O_WRONLY : O_RDONLY) < 0)
            return; /* without even that, there is nothing to be kept apart */
}

int main(int argc, char **argv)
{
    take_standard_descriptors();
    (void)signal(SIGXFSZ, SIG_IGN); /* a limited file then fails with EFBIG, and can be named */
    (void)setlocale(LC_CTYPE, "");
    log_open(STDERR_FILENO, LOG_WARNING, "iodyno");
    int code = dispatch(argc, argv);
    /* A full disk or a closed pipe behind stdout is a failure of what was asked for. */
    bool is_written = fflush(stdout) == 0 && !ferror(stdout); /* earlier flushes count, too */
    if (!is_written && code == EXIT_DONE)
        return command_fail(EXIT_TEST_FAILED, "cannot write the output: %s", err_text(-errno));
    return code;
}
