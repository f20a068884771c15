/* serve: a run of network.serve. */
#include "cli/command.h"
#include "cli/follow.h"

#include <stdio.h>

#include "base/cleanup.h"

#define OPTION_MAX 300

static const struct argument_row rows[] = {
    {"port", true, "the TCP and UDP port to listen on (default 5201)"},
    {"bind", true, "serve this IPv4 or IPv6 address only"},
    {"device", true, "serve clients of this network port only"},
    {"once", false, "end after one client"},
    {"interval", true, "report interval, 0.1 s to 1 h (default 1)"},
    {"label", true, "a name for this run, kept with it"},
    FOLLOW_ROWS,
    {"no-record", false, "do not keep the run"},
    {"detach", false, "go on in the background; prints the run's number"},
    {NULL, false, NULL},
};

/* The same as a run says it. */
static int serve(const struct arguments *arguments)
{
    static const char *const passed[] = {"port", "bind"};
    struct arguments run = *arguments;
    char texts[ARRAY_SIZE(passed)][OPTION_MAX];
    const char *device = arguments_value(arguments, "device");
    run.words[0] = "network.serve";
    run.words[1] = device ? device : "lo";
    run.word_count = 2;
    for (size_t i = 0; i < ARRAY_SIZE(passed); i++) {
        const char *value = arguments_value(arguments, passed[i]);
        if (!value || run.other_count >= ARGUMENTS_MAX)
            continue;
        if (snprintf(texts[i], OPTION_MAX, "%s=%s", passed[i], value) >= OPTION_MAX)
            return command_fail(EXIT_UNKNOWN_NAME, "--%s: that is too long", passed[i]);
        run.others[run.other_count++] = texts[i];
    }
    if (!device && run.other_count < ARGUMENTS_MAX)
        run.others[run.other_count++] = "any=yes";
    if (arguments_has(arguments, "once") && run.other_count < ARGUMENTS_MAX)
        run.others[run.other_count++] = "once=yes";
    return command_run.run(&run);
}

const struct command command_serve = {
    .name = "serve",
    .usage = "serve [--port=5201] [--device=IF] [--once]",
    .help = "answer iperf3 clients, several at once",
    .more = "A run of network.serve, on all network ports unless --device names one; its other\n"
            "options, such as --most-time=60s: `iodyno tests network.serve`. Ctrl-C ends it.",
    .keeps_others = true,
    .rows = rows,
    .run = serve,
};
