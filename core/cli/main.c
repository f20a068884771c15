#include <errno.h>
#include <locale.h>
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
    &command_list,   &command_tests,   &command_run,    &command_watch,
    &command_stop,   &command_history, &command_show,   &command_replay,
    &command_export, &command_import,  &command_doctor,
};

static const struct argument_row common_rows[] = {
    {"db", true, "the results database, such as /tmp/results.db"},
    {"theme", true, "a theme's name or file"},
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

static void print_help(void)
{
    printf("iodyno %s: the dynamometer for embedded Linux boards\n\n", IODYNO_VERSION);
    printf("  iodyno%-36s %s\n", "", "the screen: devices, tests, live plots");
    for (size_t i = 0; i < ARRAY_SIZE(commands); i++)
        printf("  iodyno %-35s %s\n", commands[i]->usage, commands[i]->help);
    printf("\nOptions of all commands:\n");
    for (size_t i = 0; common_rows[i].name; i++)
        printf("  --%-39s %s\n", common_rows[i].name, common_rows[i].help);
    printf(
        "\n`iodyno tests` prints each test's options with defaults and ranges, `iodyno COMMAND "
        "--help` a\n"
        "command's. Sizes as dd: K M G are 1024, kB MB GB 1000. Times: 10, 10s, 500ms, 5m, 12h.\n"
        "Exit status: 0 done, 1 failed or below an expectation, 2 unknown name or value, 3 "
        "refused,\n"
        "4 device removed, 5 abandoned, 130 cancelled.\n");
}

static void print_command_help(const struct command *command)
{
    printf("iodyno %s\n  %s\n", command->usage, command->help);
    for (const struct argument_row *row = command->rows; row && row->name; row++)
        printf("  %s%-16s %s\n", row->name[1] ? "--" : "-", row->name, row->help);
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
        return command_fail(EXIT_UNKNOWN_NAME, "expected: iodyno %s", command->usage);
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

int main(int argc, char **argv)
{
    (void)setlocale(LC_CTYPE, "");
    log_open(STDERR_FILENO, LOG_WARNING, "iodyno");
    int code = dispatch(argc, argv);
    /* A full disk or a closed pipe behind stdout is a failure of what was asked for. */
    bool is_written = fflush(stdout) == 0 && !ferror(stdout); /* earlier flushes count, too */
    if (!is_written && code == EXIT_DONE)
        return command_fail(EXIT_TEST_FAILED, "cannot write the output: %s", err_text(-errno));
    return code;
}
