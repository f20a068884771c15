#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/units.h"
#include "cli/command.h"
#include "cli/guardian.h"

static const struct argument_row rows[] = {
    {"speed", true, "times real time, such as 10 (default 1; 0 as fast as it goes)"},
    {"step", false, "show the end at once"},
    {NULL, false, NULL},
};

static int run(const struct arguments *arguments)
{
    double speed;
    const char *given = arguments_value(arguments, "speed");
    if (given && (units_parse_double(given, &speed) || speed < 0))
        return command_fail(EXIT_UNKNOWN_NAME, "--speed: expected a number from 0, got \"%s\"",
                            given);
    if (!isatty(STDIN_FILENO) || !isatty(STDOUT_FILENO))
        return command_fail(EXIT_UNKNOWN_NAME,
                            "replay shows a run on the screen and needs a terminal; `iodyno show` "
                            "prints one");
    char *argv[12] = {"iodyno"};
    int argc = 1;
    static const char *const passed[] = {"db", "theme", "glyphs"};
    static const char *const flags[] = {"--db", "--theme", "--glyphs"};
    for (size_t i = 0; i < ARRAY_SIZE(passed); i++) {
        const char *value = arguments_value(arguments, passed[i]);
        if (!value)
            continue;
        argv[argc++] = (char *)flags[i];
        argv[argc++] = (char *)value;
    }
    argv[argc++] = "--replay";
    argv[argc++] = (char *)arguments->words[0];
    if (given || arguments_has(arguments, "step")) {
        argv[argc++] = "--speed";
        argv[argc++] = given ? (char *)given : "0";
    }
    return guardian_run(argc, argv);
}

const struct command command_replay = {
    .name = "replay",
    .usage = "replay RUN|FILE.jsonl [--speed X|--step]",
    .help = "show a stored run on the screen again",
    .least_words = 1,
    .most_words = 1,
    .rows = rows,
    .run = run,
};
