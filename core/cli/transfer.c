#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/err.h"
#include "base/units.h"
#include "cli/ask.h"
#include "cli/command.h"

static const struct argument_row export_rows[] = {
    {"o", true, "the file to write"},
    {NULL, false, NULL},
};

/* Asks the store and prints each row's "text"; the problem is the sentence of a failure. */
static int ask_and_tell(const char *const *question, const char *done)
{
    struct answer answer AUTO(answer_done) = {0};
    int code = ask(NULL, question, &answer);
    if (code)
        return command_fail(EXIT_TEST_FAILED, "cannot ask iodyno-store: %s", err_text(code));
    for (size_t i = 0; i < answer.row_count; i++)
        printf("%s run %s\n", done, answer_value(&answer, i, "id"));
    if (answer.problem.size)
        return command_fail(EXIT_REFUSED, "%s", str_text(&answer.problem));
    return EXIT_DONE;
}

static int run_export(const struct arguments *arguments)
{
    const char *file = arguments_value(arguments, "o");
    if (!file || !file[0])
        return command_fail(EXIT_UNKNOWN_NAME, "expected -o FILE.jsonl");
    struct str database AUTO(str_done) = {0};
    int code = ask_database(arguments_value(arguments, "db"), &database);
    if (code)
        return command_fail(EXIT_TEST_FAILED, "cannot tell where the results are: %s",
                            err_text(code));
    const char *question[ARGUMENTS_MAX + 5] = {"export", str_text(&database)};
    size_t at = 2;
    for (size_t i = 0; i < arguments->word_count; i++) {
        uint64_t run;
        if (units_parse_u64(arguments->words[i], &run) < 0)
            return command_fail(EXIT_UNKNOWN_NAME, "expected a run's number, got \"%s\"",
                                arguments->words[i]);
        question[at++] = arguments->words[i];
    }
    question[at++] = "-o";
    question[at] = file;
    return ask_and_tell(question, "exported");
}

static int run_import(const struct arguments *arguments)
{
    struct str database AUTO(str_done) = {0};
    int code = ask_database(arguments_value(arguments, "db"), &database);
    if (code)
        return command_fail(EXIT_TEST_FAILED, "cannot tell where the results are: %s",
                            err_text(code));
    struct str name AUTO(str_done) = {0};
    const char *const question[] = {"import", str_text(&database),
                                    ask_file(arguments->words[0], &name), NULL};
    return ask_and_tell(question, "imported as");
}

const struct command command_export = {
    .name = "export",
    .usage = "export RUN … -o FILE.jsonl",
    .help = "write stored runs to a file",
    .least_words = 1,
    .most_words = ARGUMENTS_MAX,
    .rows = export_rows,
    .run = run_export,
};

const struct command command_import = {
    .name = "import",
    .usage = "import FILE.jsonl",
    .help = "take the runs of a file into the database",
    .least_words = 1,
    .most_words = 1,
    .run = run_import,
};
