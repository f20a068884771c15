/* arguments: the command line as words and options, by the table of the command. Pure. */
#ifndef CLI_ARGUMENTS_H
#define CLI_ARGUMENTS_H

#include <stdbool.h>
#include <stddef.h>

#define ARGUMENTS_MAX 128

struct str;

struct argument_row { /* one option a command knows; a table ends with name NULL */
    const char *name; /* without the dashes; "o" is -o */
    bool has_value;
    const char *help;
};

struct arguments {
    const char *words[ARGUMENTS_MAX];
    size_t word_count;
    struct argument {
        const char *name, *value; /* name is the table's; value "" for a flag */
    } given[ARGUMENTS_MAX];
    size_t given_count;
    const char
        *others[ARGUMENTS_MAX + 1]; /* "key=value" of unknown options, NULL-ended, when asked for */
    size_t other_count;
};

/* Takes argv after the command's name. `keep_others`: options that no table knows are test options.
 * 0, or -EINVAL with a sentence. Values may follow after '=' or as the next word. */
int arguments_parse(char **argv, const struct argument_row *rows, const struct argument_row *common,
                    bool keep_others, struct arguments *ret_arguments, struct str *why);
/* Last value given, NULL when absent. */
const char *arguments_value(const struct arguments *arguments, const char *name);
bool arguments_has(const struct arguments *arguments, const char *name);

#endif
