/* follow: takes one run of the core to its end and prints it in the form asked for. Turns the loop
 * itself. */
#ifndef CLI_FOLLOW_H
#define CLI_FOLLOW_H

#include "cli/arguments.h"
#include "core.h"

enum follow_form {
    FOLLOW_TEXT,
    FOLLOW_PLAIN,
    FOLLOW_JSON,
    FOLLOW_JSONL,
    FOLLOW_CSV,
    FOLLOW_MARKDOWN,
    FOLLOW_DD,
    FOLLOW_BW_MEM,
    FOLLOW_IPERF3
};

#define FOLLOW_ROWS                                                                                \
    {"json", false, "one JSON object at the end"},                                                 \
        {"jsonl", false, "one JSON object a line, as it happens"},                                 \
        {"csv", false, "the intervals as CSV"},                                                    \
    {                                                                                              \
        "plain", false, "lines without cursor movement"                                            \
    }

struct follow;

/* The form that the options ask for; -EINVAL when two do. */
int follow_form(const struct arguments *arguments, enum follow_form *ret_form);

/* `database` NULL: the default one. Opens the core. */
int follow_open(const char *database, enum follow_form form, bool is_live,
                struct follow **ret_follow);
struct follow *follow_close(struct follow *follow);
struct core *follow_core(struct follow *follow);

/* Turns the loop until the plugins are described; 0 or negative errno. */
int follow_catalog(struct follow *follow);

/* Called once with the run's number in the database, as soon as the test is under way. When it
 * turns out that there will be none, the run is cancelled and counts as failed. */
void follow_on_recorded(struct follow *follow, void (*fn)(void *user, uint64_t id), void *user);

/* Turns the loop until the run is over; SIGINT cancels, SIGTERM too. Returns the exit code. */
int follow_run(struct follow *follow, unsigned run);
/* Whether there was a run at all: false when a record could not even be opened. */
bool follow_has_begun(const struct follow *follow);
/* The run cannot be told in the form that was asked for, which has been said. */
bool follow_is_unfit(const struct follow *follow);

#endif
