#include "worker/describe_tables.h"

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/str.h"

#define ENTRY_SIZE_MAX 4096 /* a larger `size` is no size */

/* Bytes an entry must have to be of interface 1.0, counted to the end of its last member. */
#define SIZE_TO(type, last) (offsetof(struct type, last) + sizeof(((struct type *)0)->last))

struct tables { /* one description on its way */
    const struct dyno_plugin *plugin;
    tables_fn fn;
    void *user;
    struct str *why;
    struct str pairs;
};

__attribute__((format(printf, 2, 3))) static int refuse(struct tables *t, const char *format, ...)
{
    struct str text = {0};
    va_list args;
    va_start(args, format);
    str_addv(&text, format, args);
    va_end(args);
    str_add_clean(t->why, str_text(&text), text.size);
    str_done(&text);
    return -EINVAL;
}

static int say(struct tables *t, struct frame *frame)
{
    frame->pairs = t->pairs.size ? t->pairs.text : NULL;
    frame->pairs_size = t->pairs.size;
    int code = t->fn(t->user, frame);
    str_clear(&t->pairs);
    return code;
}

/* Keys and ids are typed by people and stand in files: lower case, digits, '.', '-', '_'. */
static bool is_key(const char *text, size_t limit)
{
    size_t size = strnlen(text, limit + 1);
    return size > 0 && size <= limit &&
           strspn(text, "abcdefghijklmnopqrstuvwxyz0123456789.-_") == size;
}

static int check_key(struct tables *t, const char *what, const char *key, size_t limit)
{
    if (!key)
        return refuse(t, "%s is missing", what);
    if (!is_key(key, limit))
        return refuse(t, "%s \"%.80s\" is not 1 to %zu of a-z 0-9 . - _", what, key, limit);
    return 0;
}

/* A text for people, cleaned; NULL counts as "". */
static int add_text(struct tables *t, const char *key, const char *text)
{
    size_t size = text ? strnlen(text, CATALOG_TEXT_MAX + 1) : 0;
    if (size > CATALOG_TEXT_MAX)
        return refuse(t, "its %s \"%.40s…\" is longer than %d bytes", key, text, CATALOG_TEXT_MAX);
    str_add_bytes(&t->pairs, key, strlen(key) + 1);
    if (size)
        str_add_clean(&t->pairs, text, size);
    str_add_bytes(&t->pairs, "", 1);
    return 0;
}

static int check_size(struct tables *t, const char *what, uint32_t size, size_t least)
{
    if (size < least || size > ENTRY_SIZE_MAX)
        return refuse(t, "%s says %lu bytes, at least %zu were expected", what, (unsigned long)size,
                      least);
    return 0;
}

/* Length of a NULL-ended list, -E2BIG beyond `limit`. */
static int list_count(const void *const *list, size_t limit, size_t *ret_count)
{
    size_t count = 0;
    while (list && list[count]) {
        if (++count > limit)
            return -E2BIG;
    }
    *ret_count = count;
    return 0;
}

static int say_choices(struct tables *t, const char *test, const struct dyno_option *option)
{
    size_t count;
    if (list_count((const void *const *)option->choices, CATALOG_CHOICES_MAX, &count) < 0)
        return refuse(t, "option %s of %s has more than %d choices", option->key, test,
                      CATALOG_CHOICES_MAX);
    if (count == 0)
        return refuse(t, "option %s of %s is a choice without choices", option->key, test);
    for (size_t i = 0; i < count; i++) {
        int code = add_text(t, "choice", option->choices[i]);
        if (code < 0)
            return code;
    }
    return 0;
}

static int say_option(struct tables *t, const char *test, const struct dyno_option *option)
{
    int code = check_size(t, "an option table", option->size, SIZE_TO(dyno_option, choices));
    if (code < 0)
        return code;
    code = check_key(t, "an option's key", option->key, FRAME_KEY_MAX - sizeof("option."));
    if (code < 0)
        return code;
    if (option->type < DYNO_BOOL || option->type > DYNO_DEVICE)
        return refuse(t, "option %s of %s has the unknown type %lu", option->key, test,
                      (unsigned long)option->type);
    if (option->min > option->max)
        return refuse(t, "option %s of %s has a minimum above its maximum", option->key, test);

    struct frame frame = {.type = FRAME_OPTION,
                          .option = {.type = option->type, .min = option->min, .max = option->max}};
    str_add_pair(&t->pairs, "key", option->key);
    code = add_text(t, "label", option->label);
    if (code == 0)
        code = add_text(t, "help", option->help);
    if (code == 0 && option->def)
        code = add_text(t, "default", option->def);
    if (code == 0 && option->type == DYNO_CHOICE)
        code = say_choices(t, test, option);
    return code < 0 ? code : say(t, &frame);
}

static int say_options(struct tables *t, const struct dyno_test *test)
{
    size_t count;
    if (list_count((const void *const *)test->options, CATALOG_OPTIONS_MAX, &count) < 0)
        return refuse(t, "%s has more than %d options", test->id, CATALOG_OPTIONS_MAX);
    for (size_t i = 0; i < count; i++) {
        int code = say_option(t, test->id, test->options[i]);
        if (code < 0)
            return code;
    }
    return 0;
}

static int say_metric(struct tables *t, const char *test, const struct dyno_metric *metric)
{
    struct frame frame = {.type = FRAME_METRIC};
    struct frame_metric *about = &frame.metric;
    int code = check_size(t, "a metric table", metric->size, SIZE_TO(dyno_metric, label));
    if (code < 0)
        return code;
    code = check_key(t, "a metric's key", metric->key, sizeof(about->key) - 1);
    if (code < 0)
        return code;
    if (metric->unit < DYNO_BYTE || metric->unit > DYNO_PER_S || metric->kind < DYNO_DELTA ||
        metric->kind > DYNO_TOTAL || metric->better < DYNO_HIGHER || metric->better > DYNO_NONE)
        return refuse(t, "metric %s of %s has an unknown unit, kind or better (%lu, %lu, %lu)",
                      metric->key, test, (unsigned long)metric->unit, (unsigned long)metric->kind,
                      (unsigned long)metric->better);
    const char *label = metric->label ? metric->label : metric->key;
    size_t size = strnlen(label, sizeof(about->label));
    if (size >= sizeof(about->label))
        return refuse(t, "the label of metric %s of %s is longer than %zu bytes", metric->key, test,
                      sizeof(about->label) - 1);

    about->unit = (uint16_t)metric->unit;
    about->kind = (uint16_t)metric->kind;
    about->better = (uint16_t)metric->better;
    memcpy(about->key, metric->key, strlen(metric->key));
    struct str clean = {0};
    str_add_clean(&clean, label, size);
    memcpy(about->label, str_text(&clean),
           clean.size < sizeof(about->label) ? clean.size : sizeof(about->label) - 1);
    str_done(&clean);
    return say(t, &frame);
}

static int say_metrics(struct tables *t, const struct dyno_test *test)
{
    size_t count;
    if (list_count((const void *const *)test->metrics, CATALOG_METRICS_MAX, &count) < 0)
        return refuse(t, "%s has more than %d metrics", test->id, CATALOG_METRICS_MAX);
    for (size_t i = 0; i < count; i++) {
        int code = say_metric(t, test->id, test->metrics[i]);
        if (code < 0)
            return code;
    }
    return 0;
}

static int check_test(struct tables *t, const struct dyno_test *test)
{
    const uint32_t targets = DYNO_BLOCK | DYNO_FOLDER | DYNO_MEM | DYNO_NET;
    const char *plugin = t->plugin->id;
    int code = check_size(t, "a test table", test->size, SIZE_TO(dyno_test, run));
    if (code < 0)
        return code;
    code = check_key(t, "a test's id", test->id, FRAME_KEY_MAX - 1);
    if (code < 0)
        return code;
    if (!str_starts(test->id, plugin) || test->id[strlen(plugin)] != '.')
        return refuse(t, "test %s does not begin with the plugin's id %s and a dot", test->id,
                      plugin);
    if (!(test->targets & targets) || (test->targets & ~targets))
        return refuse(t, "test %s has the unknown targets 0x%lx", test->id,
                      (unsigned long)test->targets);
    if (!test->run)
        return refuse(t, "test %s has no run function", test->id);
    return 0;
}

static int say_test(struct tables *t, const struct dyno_test *test)
{
    int code = check_test(t, test);
    if (code < 0)
        return code;
    struct frame frame = {.type = FRAME_TEST,
                          .test = {.targets = test->targets, .flags = test->flags}};
    str_add_pair(&t->pairs, "id", test->id);
    code = add_text(t, "title", test->title ? test->title : test->id);
    if (code == 0)
        code = add_text(t, "summary", test->summary);
    if (code == 0)
        code = say(t, &frame);
    if (code == 0)
        code = say_options(t, test);
    return code == 0 ? say_metrics(t, test) : code;
}

static int say_plugin(struct tables *t, const char *path)
{
    const struct dyno_plugin *plugin = t->plugin;
    int code = check_key(t, "the plugin's id", plugin->id, FRAME_KEY_MAX / 2);
    if (code < 0)
        return code;
    size_t count;
    if (list_count((const void *const *)plugin->tests, CATALOG_TESTS_MAX, &count) < 0)
        return refuse(t, "it has more than %d tests", CATALOG_TESTS_MAX);
    if (count == 0)
        return refuse(t, "it has no test");

    struct frame frame = {
        .type = FRAME_PLUGIN,
        .plugin = {.abi_major = plugin->abi_major, .abi_minor = plugin->abi_minor}};
    str_add_pair(&t->pairs, "id", plugin->id);
    code = add_text(t, "title", plugin->title);
    if (code == 0)
        code = add_text(t, "version", plugin->version);
    if (code == 0)
        code = add_text(t, "license", plugin->license);
    if (code < 0)
        return code;
    str_add_pair(&t->pairs, "path", path);
    code = say(t, &frame);
    for (size_t i = 0; code == 0 && i < count; i++)
        code = say_test(t, plugin->tests[i]);
    return code;
}

int describe_tables(const struct dyno_plugin *plugin, const char *path, tables_fn fn, void *user,
                    struct str *why)
{
    struct tables t = {.plugin = plugin, .fn = fn, .user = user, .why = why};
    int code = say_plugin(&t, path);
    str_done(&t.pairs);
    return code;
}

const struct dyno_test *describe_tables_find(const struct dyno_plugin *plugin, const char *id)
{
    for (size_t i = 0; plugin->tests[i]; i++) {
        if (strcmp(plugin->tests[i]->id, id) == 0)
            return plugin->tests[i];
    }
    return NULL;
}
