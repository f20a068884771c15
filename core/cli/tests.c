#include <errno.h>
#include <jansson.h>
#include <stdio.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/err.h"
#include "base/str.h"
#include "base/units.h"
#include "cli/command.h"
#include "cli/follow.h"
#include "cli/json.h"
#include "iodyno/plugin.h"

static const struct argument_row rows[] = {
    {"all", false, "also the self-tests"},
    {"json", false, "one JSON object (iodyno.tests/1)"},
    {NULL, false, NULL},
};

static const char *const type_names[] = {
    [DYNO_BOOL] = "bool",     [DYNO_UINT] = "uint",       [DYNO_SIZE] = "size",
    [DYNO_RATE] = "rate",     [DYNO_TIME] = "time",       [DYNO_CHOICE] = "choice",
    [DYNO_TEXT] = "text",     [DYNO_ADDRESS] = "address", [DYNO_PATH] = "path",
    [DYNO_DEVICE] = "device",
};

static const char *type_name(unsigned type)
{
    return type < ARRAY_SIZE(type_names) && type_names[type] ? type_names[type] : "text";
}

static json_t *flag_list(uint32_t mask, const char *const *names, size_t count)
{
    json_t *list = json_array();
    for (size_t i = 0; i < count; i++)
        if (mask & (1u << i))
            json_array_append_new(list, json_string(names[i]));
    return list;
}

static json_t *bound_json(uint64_t bound)
{
    return json_integer(bound < INT64_MAX ? (json_int_t)bound : INT64_MAX);
}

static json_t *option_json(const struct option *option)
{
    json_t *o = json_object();
    json_object_set_new(o, "key", cli_json_text(option->key));
    json_object_set_new(o, "type", json_string(type_name(option->type)));
    json_object_set_new(o, "default", cli_json_text(option->def));
    bool is_ranged = option->min || option->max;
    json_object_set_new(o, "min", is_ranged ? bound_json(option->min) : json_null());
    json_object_set_new(o, "max", is_ranged ? bound_json(option->max) : json_null());
    json_t *choices = json_array();
    for (char **choice = option->choices; choice && *choice; choice++)
        json_array_append_new(choices, cli_json_text(*choice));
    json_object_set_new(o, "choices", choices);
    json_object_set_new(o, "help", cli_json_text(option->help));
    return o;
}

static json_t *test_json(const struct catalog_test *test)
{
    static const char *const flags[] = {"writes",  "root",       "exclusive",
                                        "endless", "needs-peer", "hidden"};
    json_t *o = json_object();
    json_object_set_new(o, "id", cli_json_text(test->id));
    json_object_set_new(o, "title", cli_json_text(test->title));
    json_object_set_new(o, "summary", cli_json_text(test->summary));
    json_t *targets = json_array();
    for (unsigned kind = DYNO_BLOCK; kind <= DYNO_NET; kind <<= 1)
        if (test->targets & kind)
            json_array_append_new(targets, json_string(target_kind_name(kind)));
    json_object_set_new(o, "targets", targets);
    json_object_set_new(o, "flags", flag_list(test->flags, flags, ARRAY_SIZE(flags)));
    json_t *options = json_array();
    for (size_t i = 0; i < test->option_count; i++)
        json_array_append_new(options, option_json(&test->options[i]));
    json_object_set_new(o, "options", options);
    json_t *metrics = json_array();
    for (size_t i = 0; i < test->metric_count; i++)
        json_array_append_new(metrics, json_pack("{s:s, s:s, s:s}", "key", test->metrics[i].key,
                                                 "unit", units_symbol(test->metrics[i].unit),
                                                 "label", test->metrics[i].label));
    json_object_set_new(o, "metrics", metrics);
    return o;
}

static void print_option(const struct option *option)
{
    struct str range AUTO(str_done) = {0};
    bool has_default = option->def && option->def[0];
    option_range(option, &range);
    printf("  --%-10s %s%s%s%s%s\n", option->key, has_default ? "default " : "no default",
           has_default ? option->def : "", range.size ? ", " : "",
           range.size && option->type == DYNO_CHOICE ? "one of " : "", str_text(&range));
    printf("    %s\n", option->help);
}

static void print_test(const struct catalog_test *test, bool is_whole)
{
    printf("%-18s %s\n", test->id, test->summary);
    if (!is_whole)
        return;
    printf("\nOptions:\n");
    for (size_t i = 0; i < test->option_count; i++)
        print_option(&test->options[i]);
    printf("\nResults, for --expect:\n");
    for (size_t i = 0; i < test->metric_count; i++)
        if (test->metrics[i].kind != DYNO_GAUGE)
            printf("  %-14s %-5s %s\n", test->metrics[i].key, units_symbol(test->metrics[i].unit),
                   test->metrics[i].label);
}

static int print_all(const struct arguments *arguments, const struct catalog *catalog)
{
    const char *only = arguments->word_count ? arguments->words[0] : NULL;
    if (only && !catalog_find(catalog, only))
        return command_fail(EXIT_UNKNOWN_NAME, "there is no test \"%s\"; `iodyno tests` lists them",
                            only);
    json_t *tests = json_array();
    bool is_json = arguments_has(arguments, "json");
    for (size_t i = 0; i < catalog->test_count; i++) {
        const struct catalog_test *test = &catalog->tests[i];
        if (only ? strcmp(only, test->id) != 0
                 : (test->flags & DYNO_HIDDEN) && !arguments_has(arguments, "all"))
            continue;
        if (is_json)
            json_array_append_new(tests, test_json(test));
        else
            print_test(test, only != NULL);
    }
    json_t *refused = json_array();
    for (size_t i = 0; i < catalog->plugin_count; i++) {
        const struct catalog_plugin *plugin = &catalog->plugins[i];
        if (!plugin->refused)
            continue;
        if (is_json)
            json_array_append_new(refused,
                                  json_pack("{s:o, s:o}", "path", cli_json_text(plugin->path),
                                            "reason", cli_json_text(plugin->refused)));
        else
            (void)command_fail(0, "plugin refused: %s: %s", plugin->path, plugin->refused);
    }
    json_t *document = json_object();
    json_object_set_new(document, "schema", json_string("iodyno.tests/1"));
    json_object_set_new(document, "tests", tests);
    json_object_set_new(document, "refused", refused);
    if (is_json)
        return cli_json_print(document);
    json_decref(document);
    if (catalog->test_count == 0)
        return command_fail(EXIT_TEST_FAILED,
                            "no plugin offers a test; `iodyno doctor` tells what is missing");
    return EXIT_DONE;
}

static int run(const struct arguments *arguments)
{
    struct follow *follow = NULL;
    int code = follow_open(arguments_value(arguments, "db"), FOLLOW_TEXT, false, &follow);
    if (!code)
        code = follow_catalog(follow);
    int result = code ? command_fail(EXIT_TEST_FAILED, "cannot ask the plugins: %s", err_text(code))
                      : print_all(arguments, core_catalog(follow_core(follow)));
    follow_close(follow);
    return result;
}

const struct command command_tests = {
    .name = "tests",
    .usage = "tests [TEST] [--all] [--json]",
    .help = "test kinds, their options, defaults and ranges",
    .most_words = 1,
    .rows = rows,
    .run = run,
};
