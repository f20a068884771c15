/* ask: one question to iodyno-store (or another of our programs), its rows collected. Turns a loop
 * of its own. */
#ifndef CLI_ASK_H
#define CLI_ASK_H

#include <stddef.h>

#include "base/str.h"
#include "wire/frame.h"

struct answer {
    struct str *rows; /* the pairs of each row */
    size_t row_count;
    struct str problem; /* a sentence; empty: none */
};

/* `arguments` after the program's name, NULL-ended; "program" NULL: iodyno-store. 0 or negative
 * errno. */
int ask(const char *program, const char *const *arguments, struct answer *ret_answer);
void answer_done(struct answer *answer);
/* Value of a key in a row, "" when absent. */
const char *answer_value(const struct answer *answer, size_t row, const char *key);

/* The database that --db names or the default, resolved. 0 or negative errno. */
int ask_database(const char *given, struct str *into);

/* A file's name, or a run's number, as iodyno-store takes it: never like one of its options. */
const char *ask_file(const char *word, struct str *name);

#endif
