/* command: one row of the table of commands, from which dispatch, help and errors come. */
#ifndef CLI_COMMAND_H
#define CLI_COMMAND_H

#include "cli/arguments.h"

enum exit_code { /* interface.md, "Exit status" */
                 EXIT_DONE = 0,
                 EXIT_TEST_FAILED = 1,
                 EXIT_UNKNOWN_NAME = 2,
                 EXIT_REFUSED = 3,
                 EXIT_REMOVED = 4,
                 EXIT_ABANDONED = 5,
                 EXIT_CANCELLED = 130,
                 EXIT_TERMINATED = 143
};

struct command {
    const char *name, *usage, *help;
    const char *more; /* what its own help says besides; NULL */
    size_t least_words, most_words;
    bool keeps_others; /* unknown options are options of the test */
    const struct argument_row *rows;
    int (*run)(const struct arguments *arguments); /* returns the exit code */
};

/* The commands, each in the file of its name. */
extern const struct command command_list, command_tests, command_run, command_watch, command_stop,
    command_history, command_show, command_export, command_import, command_replay, command_doctor,
    command_serve;

/* "iodyno: sentence" on stderr; returns `code`. */
int command_fail(int code, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
