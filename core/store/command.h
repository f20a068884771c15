/* command: what this program was asked to do: words and options of its command line. */
#ifndef STORE_COMMAND_H
#define STORE_COMMAND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "store/line.h"

#define COMMAND_LIMIT_MAX 100000 /* rows of one answer */
#define COMMAND_LIMIT 1000       /* when none is said */

enum command_exit { COMMAND_OK = 0, COMMAND_FAILED = 1, COMMAND_USAGE = 2 };

struct command {
    const char *const *words; /* after the command's own name: paths, runs */
    size_t count;
    uint64_t limit;
    const char *test, *device, *output; /* NULL: not said */
    int64_t run;                        /* 0: all */
    bool is_following;
    double speed; /* 0: as fast as the line takes it */
    struct line *line;
};

/* Each runs to its end and returns an exit status; what it has to say goes out on the line. */
int recorder_main(const struct command *command);   /* record DB */
int replay_main(const struct command *command);     /* replay [--follow] [--speed X] DB RUN|FILE */
int query_list(const struct command *command);      /* query list DB */
int query_info(const struct command *command);      /* query info DB */
int transfer_export(const struct command *command); /* export DB RUN… -o FILE */
int transfer_import(const struct command *command); /* import DB FILE */

/* A run's number: digits only. */
int command_run(const char *word, int64_t *ret_run);

#endif
