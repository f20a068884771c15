#include "catalog/catalog.h"

#include <errno.h>
#include <stdarg.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/str.h"
#include "iodyno/plugin.h"

/* Words that the commands take for themselves: an option of that name could not be reached. */
static const char *const RESERVED[] = {
    "interval", "label",  "expect", "json", "jsonl", "csv",     "plain", "no-record", "detach",
    "theme",    "glyphs", "config", "db",   "log",   "version", "help",  "confirm",
};

static void option_done(struct option *option)
{
    free(option->key);
    free(option->label);
    free(option->help);
    free(option->def);
    for (size_t i = 0; option->choices && option->choices[i]; i++)
        free(option->choices[i]);
    free(option->choices);
    *option = (struct option){0};
}

static void test_done(struct catalog_test *test)
{
    free(test->id);
    free(test->title);
    free(test->summary);
    free(test->plugin);
    for (size_t i = 0; i < test->option_count; i++)
        option_done(&test->options[i]);
    free(test->options);
    free(test->metrics);
    *test = (struct catalog_test){0};
}

void catalog_done(struct catalog *catalog)
{
    for (size_t i = 0; i < catalog->test_count; i++)
        test_done(&catalog->tests[i]);
    free(catalog->tests);
    for (size_t i = 0; i < catalog->plugin_count; i++) {
        free(catalog->plugins[i].path);
        free(catalog->plugins[i].id);
        free(catalog->plugins[i].title);
        free(catalog->plugins[i].version);
        free(catalog->plugins[i].license);
        free(catalog->plugins[i].refused);
        free(catalog->plugins[i].last_test);
    }
    free(catalog->plugins);
    *catalog = (struct catalog){0};
}

/* Place of a test by id, or where it would stand. */
static size_t test_place(const struct catalog *catalog, const char *id, bool *ret_is_there)
{
    size_t low = 0, high = catalog->test_count;

    while (low < high) {
        const size_t middle = (low + high) / 2;
        const int order = strcmp(catalog->tests[middle].id, id);

        if (order == 0) {
            *ret_is_there = true;
            return middle;
        }
        if (order < 0)
            low = middle + 1;
        else
            high = middle;
    }
    *ret_is_there = false;
    return low;
}

const struct catalog_test *catalog_find(const struct catalog *catalog, const char *id)
{
    bool is_there;
    const size_t place = test_place(catalog, id, &is_there);

    return is_there ? &catalog->tests[place] : NULL;
}

const struct option *catalog_option(const struct catalog_test *test, const char *key)
{
    for (size_t i = 0; i < test->option_count; i++) {
        if (str_equal_key(test->options[i].key, key))
            return &test->options[i];
    }
    return NULL;
}

static struct catalog_plugin *find_plugin(const struct catalog *catalog, const char *path)
{
    for (size_t i = 0; i < catalog->plugin_count; i++) {
        if (strcmp(catalog->plugins[i].path, path) == 0)
            return &catalog->plugins[i];
    }
    return NULL;
}

/* The entry of a plugin, made when absent. NULL when there are too many. */
static struct catalog_plugin *need_plugin(struct catalog *catalog, const char *path)
{
    struct catalog_plugin *plugin = find_plugin(catalog, path);

    if (plugin || catalog->plugin_count >= CATALOG_PLUGINS_MAX)
        return plugin;
    catalog->plugins =
        mem_grow(catalog->plugins, catalog->plugin_count + 1, sizeof(*catalog->plugins));
    plugin = &catalog->plugins[catalog->plugin_count++];
    *plugin = (struct catalog_plugin){.path = mem_copy_text(path)};
    return plugin;
}

void catalog_refuse(struct catalog *catalog, const char *path, const char *reason)
{
    struct catalog_plugin *plugin = need_plugin(catalog, path);
    size_t kept = 0;

    if (plugin && !plugin->refused)
        plugin->refused = str_clean_copy(reason);
    for (size_t i = 0; i < catalog->test_count; i++) {
        if (strcmp(catalog->tests[i].plugin, path) == 0)
            test_done(&catalog->tests[i]);
        else
            catalog->tests[kept++] = catalog->tests[i];
    }
    catalog->test_count = kept;
}

/* Refuses the plugin for what it said of itself. */
static int __attribute__((format(printf, 3, 4)))
malformed(struct catalog *catalog, const char *path, const char *format, ...)
{
    AUTO(str_done) struct str reason = {0};
    va_list args;

    va_start(args, format);
    str_addv(&reason, format, args);
    va_end(args);
    catalog_refuse(catalog, path, str_text(&reason));
    return -EPROTO;
}

/* Names are lower-case words: they are typed, compared and written to files. */
static bool is_name(const char *text, const char *others)
{
    const size_t size = strlen(text);

    if (size == 0 || size > FRAME_KEY_MAX || text[0] < 'a' || text[0] > 'z')
        return false;
    for (size_t i = 0; i < size; i++) {
        if (!(text[i] >= 'a' && text[i] <= 'z') && !(text[i] >= '0' && text[i] <= '9') &&
            !strchr(others, text[i]))
            return false;
    }
    return true;
}

/* Text of a frame for a person: cleaned; `other` when it is absent. */
static char *text_of(const struct frame *frame, const char *key, const char *other)
{
    const char *text = frame_pair(frame, key);

    return str_clean_copy(text && *text ? text : other);
}

/* Key of the first text that is too long, or NULL. */
static const char *overlong(const struct frame *frame)
{
    const char *key, *value;

    for (size_t pos = 0; frame_pair_next(frame, &pos, &key, &value);) {
        if (strlen(value) > CATALOG_TEXT_MAX && strcmp(key, "path") != 0 &&
            strcmp(key, "reason") != 0)
            return key;
    }
    return NULL;
}

static int apply_plugin(struct catalog *catalog, struct catalog_plugin *plugin,
                        const struct frame *frame)
{
    const char *id = frame_pair(frame, "id"), *path = plugin->path;

    if (plugin->id)
        return malformed(catalog, path, "its description names the plugin twice");
    if (!id || !is_name(id, "-_"))
        return malformed(catalog, path, "its id is no lower-case word");
    if (frame->plugin.abi_major != DYNO_ABI_MAJOR)
        return malformed(
            catalog, path, "it was built for plugin interface %u.%u, this program has %d.%d",
            frame->plugin.abi_major, frame->plugin.abi_minor, DYNO_ABI_MAJOR, DYNO_ABI_MINOR);
    for (size_t i = 0; i < catalog->plugin_count; i++) {
        const struct catalog_plugin *other = &catalog->plugins[i];

        if (other->id && !other->refused && strcmp(other->id, id) == 0)
            return malformed(catalog, path, "plugin \"%s\" is already there: %s", id, other->path);
    }
    plugin->id = mem_copy_text(id);
    plugin->title = text_of(frame, "title", id);
    plugin->version = text_of(frame, "version", "");
    plugin->license = text_of(frame, "license", "");
    return 0;
}

static size_t tests_of(const struct catalog *catalog, const char *path)
{
    size_t count = 0;

    for (size_t i = 0; i < catalog->test_count; i++)
        count += strcmp(catalog->tests[i].plugin, path) == 0;
    return count;
}

static int apply_test(struct catalog *catalog, struct catalog_plugin *plugin,
                      const struct frame *frame)
{
    const char *id = frame_pair(frame, "id"), *path = plugin->path;
    struct catalog_test *test;
    bool is_there;
    size_t place;
    const size_t ordinal = tests_of(catalog, path);

    /* "storage.write" of plugin "storage": so that no plugin takes another's place. */
    if (!id || !is_name(id, "-_.") || !str_starts(id, plugin->id) ||
        id[strlen(plugin->id)] != '.' || id[strlen(plugin->id) + 1] == '\0')
        return malformed(catalog, path, "test id \"%s\" is no lower-case word behind \"%s.\"",
                         id ? id : "", plugin->id);
    if (frame->test.targets == 0)
        return malformed(catalog, path, "test \"%s\" runs on no kind of target", id);
    if (ordinal >= CATALOG_TESTS_MAX)
        return malformed(catalog, path, "it has more than %d tests", CATALOG_TESTS_MAX);
    place = test_place(catalog, id, &is_there);
    if (is_there)
        return malformed(catalog, path, "test \"%s\" is already there: %s", id,
                         catalog->tests[place].plugin);
    catalog->tests = mem_grow(catalog->tests, catalog->test_count + 1, sizeof(*catalog->tests));
    test = &catalog->tests[place];
    memmove(test + 1, test, (catalog->test_count - place) * sizeof(*test));
    catalog->test_count++;
    *test = (struct catalog_test){.id = mem_copy_text(id),
                                  .title = text_of(frame, "title", id),
                                  .summary = text_of(frame, "summary", ""),
                                  .plugin = mem_copy_text(path),
                                  .targets = frame->test.targets,
                                  .flags = frame->test.flags,
                                  .ordinal = (unsigned)ordinal};
    free(plugin->last_test);
    plugin->last_test = mem_copy_text(id);
    return 0;
}

static bool is_reserved(const char *key)
{
    for (size_t i = 0; i < ARRAY_SIZE(RESERVED); i++) {
        if (str_equal_key(key, RESERVED[i]))
            return true;
    }
    return false;
}

/* The "choice" pairs, NULL-ended; NULL when there are none or too many. */
static char **copy_choices(const struct frame *frame)
{
    const char *key, *value;
    char **choices = NULL;
    size_t count = 0;

    for (size_t pos = 0; frame_pair_next(frame, &pos, &key, &value);)
        count += strcmp(key, "choice") == 0;
    if (count == 0 || count > CATALOG_CHOICES_MAX)
        return NULL;
    choices = mem_new(count + 1, sizeof(*choices));
    count = 0;
    for (size_t pos = 0; frame_pair_next(frame, &pos, &key, &value);) {
        if (strcmp(key, "choice") == 0)
            choices[count++] = str_clean_copy(value);
    }
    return choices;
}

static bool has_good_choices(const struct option *option)
{
    if ((option->type == DYNO_CHOICE) != (option->choices != NULL))
        return false;
    for (size_t i = 0; option->choices && option->choices[i]; i++) {
        if (option->choices[i][0] == '\0' || strpbrk(option->choices[i], "|, "))
            return false;
        for (size_t other = 0; other < i; other++) {
            if (str_equal_key(option->choices[i], option->choices[other]))
                return false;
        }
    }
    return true;
}

static int apply_option(struct catalog *catalog, struct catalog_plugin *plugin,
                        struct catalog_test *test, const struct frame *frame)
{
    const char *key = frame_pair(frame, "key"), *def = frame_pair(frame, "default");
    AUTO(option_value_done) struct option_value value = {0};
    AUTO(option_done) struct option option = {0};
    AUTO(str_done) struct str why = {0};
    const char *path = plugin->path;

    if (test->metric_count)
        return malformed(catalog, path, "test \"%s\" names options behind metrics", test->id);
    if (!key || !is_name(key, "-_") || strlen("option.") + strlen(key) > FRAME_KEY_MAX)
        return malformed(catalog, path, "an option of \"%s\" has no lower-case word for a key",
                         test->id);
    if (is_reserved(key) || catalog_option(test, key))
        return malformed(catalog, path, "option \"%s\" of \"%s\" is already taken", key, test->id);
    if (test->option_count >= CATALOG_OPTIONS_MAX)
        return malformed(catalog, path, "test \"%s\" has more than %d options", test->id,
                         CATALOG_OPTIONS_MAX);
    option = (struct option){.type = frame->option.type,
                             .key = mem_copy_text(key),
                             .label = text_of(frame, "label", key),
                             .help = text_of(frame, "help", ""),
                             .def = def && *def ? str_clean_copy(def) : NULL,
                             .min = frame->option.min,
                             .max = frame->option.max,
                             .choices = copy_choices(frame)};
    if (!has_good_choices(&option))
        return malformed(catalog, path, "option \"%s\" of \"%s\" has unfit choices", key, test->id);
    if (option_parse(&option, def, &value, &why) < 0)
        return malformed(catalog, path, "the default of an option of \"%s\" is unfit: %s", test->id,
                         str_text(&why));
    test->options = mem_grow(test->options, test->option_count + 1, sizeof(*test->options));
    test->options[test->option_count++] = option;
    option = (struct option){0};
    return 0;
}

static int apply_metric(struct catalog *catalog, struct catalog_plugin *plugin,
                        struct catalog_test *test, const struct frame *frame)
{
    AUTO(str_done) struct str label = {0};
    struct frame_metric metric = frame->metric;

    if (!is_name(metric.key, "-_.") || metric.is_host)
        return malformed(catalog, plugin->path,
                         "a metric of \"%s\" has no lower-case word for a key", test->id);
    for (size_t i = 0; i < test->metric_count; i++) {
        if (str_equal_key(test->metrics[i].key, metric.key))
            return malformed(catalog, plugin->path, "metric \"%s\" of \"%s\" is there twice",
                             metric.key, test->id);
    }
    if (test->metric_count >= CATALOG_METRICS_MAX)
        return malformed(catalog, plugin->path, "test \"%s\" has more than %d metrics", test->id,
                         CATALOG_METRICS_MAX);
    str_add_clean(&label, metric.label, strlen(metric.label)); /* never longer than before */
    memset(metric.label, 0, sizeof(metric.label));
    memcpy(metric.label, str_text(&label), label.size);
    test->metrics = mem_grow(test->metrics, test->metric_count + 1, sizeof(*test->metrics));
    test->metrics[test->metric_count++] = metric;
    return 0;
}

static struct catalog_test *last_test(struct catalog *catalog, const struct catalog_plugin *plugin)
{
    bool is_there = false;
    size_t place = 0;

    if (plugin->last_test)
        place = test_place(catalog, plugin->last_test, &is_there);
    return is_there ? &catalog->tests[place] : NULL;
}

int catalog_apply(struct catalog *catalog, const char *path, const struct frame *frame)
{
    struct catalog_plugin *plugin = need_plugin(catalog, path);
    struct catalog_test *test;
    const char *text;

    if (!plugin || plugin->refused)
        return -EPROTO;
    if (frame->type == FRAME_REFUSED) {
        text = frame_pair(frame, "reason");
        catalog_refuse(catalog, path, text && *text ? text : "it was refused without a reason");
        return 0;
    }
    text = overlong(frame);
    if (text)
        return malformed(catalog, path, "the %s in its description is longer than %d bytes", text,
                         CATALOG_TEXT_MAX);
    if (frame->type == FRAME_PLUGIN)
        return apply_plugin(catalog, plugin, frame);
    if (frame->type == FRAME_TEST && plugin->id)
        return apply_test(catalog, plugin, frame);
    test = last_test(catalog, plugin);
    if (frame->type == FRAME_OPTION && test)
        return apply_option(catalog, plugin, test, frame);
    if (frame->type == FRAME_METRIC && test)
        return apply_metric(catalog, plugin, test, frame);
    return malformed(catalog, path, "its description is out of order");
}
