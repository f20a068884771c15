/* options: the schema of one option, from which parser, range, default, help, form and stored row
 * come. Pure. */
#ifndef CATALOG_OPTIONS_H
#define CATALOG_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct str;

#define OPTION_TEXT_MAX 1024 /* bytes of a value as typed */

struct option {    /* owned by the catalog */
    unsigned type; /* enum dyno_option_type */
    char *key, *label, *help;
    char *def; /* NULL: unset */
    uint64_t min, max;
    char **choices; /* NULL-ended or NULL */
};

struct option_value {
    bool is_set;
    uint64_t number; /* base unit; choice index; 0/1 */
    char *text;      /* as typed or the default; owned; NULL when unset */
};

/* Parses `text` (NULL or "": unset; the default is not looked at) for this option. `why` is cleared
 * first. 0; -EINVAL or -ERANGE with one sentence in
 * `why` that names what was expected ("bs: expected a size from 512 to 64M, got \"1Q\""). */
int option_parse(const struct option *option, const char *text, struct option_value *ret_value,
                 struct str *why);
void option_value_done(struct option_value *value);

/* "512 … 64M", "dd-fsync|dd-direct"; "" when free text. */
void option_range(const struct option *option, struct str *into);
/* The base unit spelled out beside the typed value: "1048576 B". */
void option_meaning(const struct option *option, const struct option_value *value,
                    struct str *into);

#endif
