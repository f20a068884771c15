#include "catalog/options.h"

#include <errno.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/str.h"
#include "base/units.h"
#include "iodyno/plugin.h"

#define NO_UPPER_BOUND ((uint64_t)INT64_MAX) /* the largest file offset says no more than that */

/* One row per type: from it come parser, range, meaning and sentence. */
struct kind {
    const char *noun; /* "expected NOUN" */
    int (*parse)(const struct option *option, const char *text, uint64_t *ret_number);
    void (*spell)(uint64_t number, struct str *into); /* as one types it; NULL: has no range */
    void (*mean)(uint64_t number, struct str *into);  /* in the base unit; NULL: nothing to add */
};

static const struct {
    const char *word;
    uint64_t number;
} BOOLS[] = {{"1", 1},    {"0", 0},     {"yes", 1}, {"no", 0},
             {"true", 1}, {"false", 0}, {"on", 1},  {"off", 0}};

static int parse_bool(const struct option *option, const char *text, uint64_t *ret_number)
{
    (void)option;
    for (size_t i = 0; i < ARRAY_SIZE(BOOLS); i++) {
        if (strcmp(text, BOOLS[i].word) == 0) {
            *ret_number = BOOLS[i].number;
            return 0;
        }
    }
    return -EINVAL;
}

static int parse_uint(const struct option *option, const char *text, uint64_t *ret_number)
{
    (void)option;
    return units_parse_u64(text, ret_number);
}

static int parse_size(const struct option *option, const char *text, uint64_t *ret_number)
{
    (void)option;
    return units_parse_size(text, ret_number);
}

static int parse_rate(const struct option *option, const char *text, uint64_t *ret_number)
{
    (void)option;
    return units_parse_rate(text, ret_number);
}

static int parse_time(const struct option *option, const char *text, uint64_t *ret_number)
{
    (void)option;
    return units_parse_time(text, ret_number);
}

static int parse_choice(const struct option *option, const char *text, uint64_t *ret_number)
{
    for (uint64_t i = 0; option->choices && option->choices[i]; i++) {
        if (str_equal_key(text, option->choices[i])) {
            *ret_number = i;
            return 0;
        }
    }
    return -EINVAL;
}

static int parse_text(const struct option *option, const char *text, uint64_t *ret_number)
{
    (void)option;
    for (; *text; text++) {
        if ((unsigned char)*text < ' ' || *text == 0x7f)
            return -EINVAL;
    }
    *ret_number = 0;
    return 0;
}

/* Whether all bytes are letters, digits or among `others`. */
static bool is_made_of(const char *text, const char *others)
{
    for (; *text; text++) {
        const bool is_alnum = (*text >= 'a' && *text <= 'z') || (*text >= 'A' && *text <= 'Z') ||
                              (*text >= '0' && *text <= '9');

        if (!is_alnum && !strchr(others, *text))
            return false;
    }
    return true;
}

static int parse_address(const struct option *option, const char *text, uint64_t *ret_number)
{
    (void)option;
    if (strlen(text) > 255 || text[0] == '-' || !is_made_of(text, ".:-_%[]"))
        return -EINVAL;
    *ret_number = 0;
    return 0;
}

static int parse_device(const struct option *option, const char *text, uint64_t *ret_number)
{
    (void)option;
    if (strlen(text) > 255 || text[0] == '-' || !is_made_of(text, ".:-_@"))
        return -EINVAL;
    *ret_number = 0;
    return 0;
}

static void spell_uint(uint64_t number, struct str *into)
{
    str_addf(into, "%llu", (unsigned long long)number);
}

static void spell_size(uint64_t number, struct str *into)
{
    str_add(into, units_size_option(number).text);
}

struct step {
    uint64_t factor;
    const char *unit;
};

/* In the largest unit that gives a whole number. */
static void spell_whole(uint64_t number, const struct step *steps, size_t count, const char *space,
                        struct str *into)
{
    size_t i = 0;

    while (i + 1 < count && (number == 0 || number % steps[i].factor != 0))
        i++;
    str_addf(into, "%llu%s%s", (unsigned long long)(number / steps[i].factor), space,
             steps[i].unit);
}

static void spell_rate(uint64_t number, struct str *into)
{
    static const struct step STEPS[] = {{1000000000, "G"}, {1000000, "M"}, {1000, "K"}, {1, ""}};

    spell_whole(number, STEPS, ARRAY_SIZE(STEPS), "", into);
}

static void spell_time(uint64_t number, struct str *into)
{
    static const struct step STEPS[] = {{3600000000000, "h"}, {60000000000, "m"}, {1000000000, "s"},
                                        {1000000, "ms"},      {1000, "us"},       {1, "ns"}};

    if (number == 0)
        str_add(into, "0");
    else
        spell_whole(number, STEPS, ARRAY_SIZE(STEPS), "", into);
}

static void mean_bool(uint64_t number, struct str *into)
{
    str_add(into, number ? "yes" : "no");
}

static void mean_size(uint64_t number, struct str *into)
{
    str_addf(into, "%llu B", (unsigned long long)number);
}

static void mean_rate(uint64_t number, struct str *into)
{
    str_addf(into, "%llu bit/s", (unsigned long long)number);
}

static void mean_time(uint64_t number, struct str *into)
{
    static const struct step STEPS[] = {
        {1000000000, "s"}, {1000000, "ms"}, {1000, "us"}, {1, "ns"}};

    if (number == 0)
        str_add(into, "0 s");
    else
        spell_whole(number, STEPS, ARRAY_SIZE(STEPS), " ", into);
}

static const struct kind KINDS[] = {
    [DYNO_BOOL] = {"yes or no", parse_bool, NULL, mean_bool},
    [DYNO_UINT] = {"a number", parse_uint, spell_uint, NULL},
    [DYNO_SIZE] = {"a size", parse_size, spell_size, mean_size},
    [DYNO_RATE] = {"a rate in bit/s", parse_rate, spell_rate, mean_rate},
    [DYNO_TIME] = {"a time", parse_time, spell_time, mean_time},
    [DYNO_CHOICE] = {"one of", parse_choice, NULL, NULL},
    [DYNO_TEXT] = {"text without control characters", parse_text, NULL, NULL},
    [DYNO_ADDRESS] = {"a host name or address", parse_address, NULL, NULL},
    [DYNO_PATH] = {"a path without control characters", parse_text, NULL, NULL},
    [DYNO_DEVICE] = {"a device as \"iodyno list\" names it", parse_device, NULL, NULL},
};

static const struct kind *kind_of(const struct option *option)
{
    return option->type > 0 && option->type < ARRAY_SIZE(KINDS) ? &KINDS[option->type] : NULL;
}

static bool has_range(const struct option *option, const struct kind *kind)
{
    return kind->spell && (option->min != 0 || option->max != 0);
}

static void add_choices(const struct option *option, const char *between, struct str *into)
{
    for (size_t i = 0; option->choices && option->choices[i]; i++)
        str_addf(into, "%s%s", i ? between : "", option->choices[i]);
}

/* "bs: expected a size from 512 to 64M, got "1Q"" */
static void explain(const struct option *option, const struct kind *kind, const char *text,
                    struct str *why)
{
    str_addf(why, "%s: expected %s", option->key, kind->noun);
    if (option->type == DYNO_CHOICE) {
        str_add(why, " ");
        add_choices(option, ", ", why);
    }
    if (has_range(option, kind) && option->max < NO_UPPER_BOUND) {
        str_add(why, " from ");
        kind->spell(option->min, why);
        str_add(why, " to ");
        kind->spell(option->max, why);
    } else if (has_range(option, kind)) {
        str_add(why, " of at least ");
        kind->spell(option->min, why);
    }
    str_add(why, ", got \"");
    str_add_clean(why, text, strnlen(text, OPTION_TEXT_MAX));
    str_add(why, "\"");
}

int option_parse(const struct option *option, const char *text, struct option_value *ret_value,
                 struct str *why)
{
    const struct kind *kind = kind_of(option);
    uint64_t number = 0;
    int code;

    str_clear(why);
    if (!kind) {
        str_addf(why, "%s: this program does not know the type of this option", option->key);
        return -EINVAL;
    }
    /* "auto" where nothing stands as the default: what is left to the test. */
    bool is_auto = text && kind->spell && !option->def && strcmp(text, "auto") == 0;
    if (!text || !*text || is_auto) {
        *ret_value = (struct option_value){0};
        return 0;
    }
    if (strnlen(text, OPTION_TEXT_MAX + 1) > OPTION_TEXT_MAX) {
        str_addf(why, "%s: expected at most %d bytes", option->key, OPTION_TEXT_MAX);
        return -ERANGE;
    }
    code = kind->parse(option, text, &number);
    if (code == 0 && has_range(option, kind) && (number < option->min || number > option->max))
        code = -ERANGE;
    if (code < 0) {
        explain(option, kind, text, why);
        return code;
    }
    *ret_value =
        (struct option_value){.is_set = true, .number = number, .text = mem_copy_text(text)};
    return 0;
}

void option_value_done(struct option_value *value)
{
    free(value->text);
    *value = (struct option_value){0};
}

void option_range(const struct option *option, struct str *into)
{
    const struct kind *kind = kind_of(option);

    if (!kind)
        return;
    if (option->type == DYNO_BOOL)
        str_add(into, "yes|no");
    if (option->type == DYNO_CHOICE)
        add_choices(option, "|", into);
    if (!has_range(option, kind))
        return;
    bool is_open = option->max >= NO_UPPER_BOUND;
    str_add(into, is_open ? "at least " : "");
    kind->spell(option->min, into);
    if (is_open)
        return;
    str_add(into, " … ");
    kind->spell(option->max, into);
}

void option_meaning(const struct option *option, const struct option_value *value, struct str *into)
{
    const struct kind *kind = kind_of(option);

    if (kind && kind->mean && value->is_set)
        kind->mean(value->number, into);
}
