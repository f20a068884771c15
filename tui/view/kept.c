#include "view/kept.h"

#include <stdlib.h>
#include <string.h>

#include "base/str.h"

static void value_done(struct kept_value *value)
{
    free(value->test);
    free(value->target);
    free(value->key);
    free(value->text);
}

static void remove_at(struct kept *kept, size_t index)
{
    value_done(&kept->values[index]);
    memmove(&kept->values[index], &kept->values[index + 1],
            (kept->count - index - 1) * sizeof *kept->values);
    kept->count--;
}

void kept_done(struct kept *kept)
{
    for (size_t i = 0; i < kept->count; i++)
        value_done(&kept->values[i]);
    free(kept->values);
    *kept = (struct kept){0};
}

static bool is_of(const struct kept_value *value, const char *test, const char *target)
{
    return strcmp(value->test, test) == 0 && strcmp(value->target, target) == 0;
}

void kept_drop(struct kept *kept, const char *test, const char *target, const char *key)
{
    for (size_t i = kept->count; i > 0; i--)
        if (is_of(&kept->values[i - 1], test, target) && strcmp(kept->values[i - 1].key, key) == 0)
            remove_at(kept, i - 1);
}

void kept_set(struct kept *kept, const char *test, const char *target, const char *key,
              const char *text)
{
    kept_drop(kept, test, target, key);
    if (!kept->values)
        kept->values = mem_new(KEPT_MAX, sizeof *kept->values);
    if (kept->count == KEPT_MAX)
        remove_at(kept, 0);
    kept->values[kept->count++] = (struct kept_value){
        .test = mem_copy_text(test),
        .target = mem_copy_text(target),
        .key = mem_copy_text(key),
        .text = mem_copy_text(text),
    };
}

const char *kept_find(const struct kept *kept, const char *test, const char *target,
                      const char *key)
{
    for (size_t i = 0; i < kept->count; i++)
        if (is_of(&kept->values[i], test, target) && strcmp(kept->values[i].key, key) == 0)
            return kept->values[i].text;
    return NULL;
}

bool kept_has(const struct kept *kept, const char *test, const char *target)
{
    for (size_t i = 0; i < kept->count; i++)
        if (is_of(&kept->values[i], test, target))
            return true;
    return false;
}

char **kept_options(const struct kept *kept, const char *test, const char *target)
{
    char **options = mem_new(kept->count + 1, sizeof *options);
    size_t count = 0;
    for (size_t i = 0; i < kept->count; i++) {
        if (!is_of(&kept->values[i], test, target))
            continue;
        struct str text = {0};
        str_addf(&text, "%s=%s", kept->values[i].key, kept->values[i].text);
        options[count++] = str_take(&text);
    }
    return options;
}

char **kept_options_free(char **options)
{
    for (size_t i = 0; options && options[i]; i++)
        free(options[i]);
    free(options);
    return NULL;
}
