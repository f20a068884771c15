/* kept: what a person typed into forms, by test and target, for as long as the screen lives. Pure.
 */
#ifndef VIEW_KEPT_H
#define VIEW_KEPT_H

#include <stdbool.h>
#include <stddef.h>

#define KEPT_MAX 512 /* values; beyond, the oldest goes */

struct kept_value {
    char *test, *target, *key, *text;
};
struct kept { /* {0}: none */
    struct kept_value *values;
    size_t count;
};

void kept_done(struct kept *kept);
void kept_set(struct kept *kept, const char *test, const char *target, const char *key,
              const char *text);
void kept_drop(struct kept *kept, const char *test, const char *target, const char *key);
/* NULL: not kept. */
const char *kept_find(const struct kept *kept, const char *test, const char *target,
                      const char *key);
bool kept_has(const struct kept *kept, const char *test, const char *target);
/* "key=text" of each kept value, NULL-ended, as an order takes it; the caller frees the whole with
 * kept_options_free. */
char **kept_options(const struct kept *kept, const char *test, const char *target);
char **kept_options_free(char **options);

#endif
