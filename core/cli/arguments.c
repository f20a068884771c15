#include "cli/arguments.h"

#include <errno.h>
#include <string.h>

#include "base/str.h"

static const struct argument_row *find_row(const struct argument_row *rows, const char *name,
                                           size_t size)
{
    for (; rows && rows->name; rows++) {
        if (strlen(rows->name) != size)
            continue;
        size_t i = 0;
        while (i < size && (name[i] == rows->name[i] || (name[i] == '_' && rows->name[i] == '-')))
            i++;
        if (i == size)
            return rows;
    }
    return NULL;
}

static int too_many(struct str *why)
{
    str_addf(why, "more than %d words", ARGUMENTS_MAX);
    return -EINVAL;
}

/* One option; *arg moves on when its value is the next word. */
static int take_option(char ***arg, const struct argument_row *rows,
                       const struct argument_row *common, bool keep_others, struct arguments *into,
                       struct str *why)
{
    const char *text = **arg;
    const char *name = text[1] == '-' ? text + 2 : text + 1;
    const char *equals = strchr(name, '=');
    size_t size = equals ? (size_t)(equals - name) : strlen(name);
    const struct argument_row *row = find_row(rows, name, size);
    if (!row)
        row = find_row(common, name, size);
    if (!row && keep_others && text[1] == '-' && size > 0) {
        if (into->other_count == ARGUMENTS_MAX)
            return too_many(why);
        into->others[into->other_count++] = name;
        return 0;
    }
    if (!row) {
        str_addf(why, "there is no option %s%.*s here", text[1] == '-' ? "--" : "-", (int)size,
                 name);
        return -EINVAL;
    }
    if (!row->has_value && equals) {
        str_addf(why, "--%s takes no value", row->name);
        return -EINVAL;
    }
    const char *value = equals ? equals + 1 : "";
    if (row->has_value && !equals) {
        if (!(*arg)[1]) {
            str_addf(why, "--%s needs a value: %s", row->name, row->help);
            return -EINVAL;
        }
        value = *++*arg;
    }
    if (into->given_count == ARGUMENTS_MAX)
        return too_many(why);
    into->given[into->given_count++] = (struct argument){.name = row->name, .value = value};
    return 0;
}

int arguments_parse(char **argv, const struct argument_row *rows, const struct argument_row *common,
                    bool keep_others, struct arguments *ret_arguments, struct str *why)
{
    struct arguments arguments = {0};
    bool only_words = false;
    for (char **arg = argv; *arg; arg++) {
        if (!only_words && strcmp(*arg, "--") == 0) {
            only_words = true;
        } else if (!only_words && (*arg)[0] == '-' && (*arg)[1]) {
            int code = take_option(&arg, rows, common, keep_others, &arguments, why);
            if (code)
                return code;
        } else if (arguments.word_count == ARGUMENTS_MAX) {
            return too_many(why);
        } else {
            arguments.words[arguments.word_count++] = *arg;
        }
    }
    *ret_arguments = arguments;
    return 0;
}

const char *arguments_value(const struct arguments *arguments, const char *name)
{
    for (size_t i = arguments->given_count; i > 0; i--)
        if (strcmp(arguments->given[i - 1].name, name) == 0)
            return arguments->given[i - 1].value;
    return NULL;
}

bool arguments_has(const struct arguments *arguments, const char *name)
{
    return arguments_value(arguments, name) != NULL;
}
