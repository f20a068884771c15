/* catalog: the plugins' tables as data. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/cleanup.h"
#include "base/str.h"
#include "catalog/catalog.h"
#include "iodyno/plugin.h"

static struct catalog catalog;

static int teardown(void **state)
{
    (void)state;
    catalog_done(&catalog);
    return 0;
}

/* Sends one frame with pairs "key", "value", … NULL; the pairs' memory is gone afterwards. */
static int apply(const char *path, struct frame frame, ...)
{
    AUTO(str_done) struct str pairs = {0};
    const char *key;
    va_list args;

    va_start(args, frame);
    while ((key = va_arg(args, const char *)))
        str_add_pair(&pairs, key, va_arg(args, const char *));
    va_end(args);
    frame.pairs = pairs.text;
    frame.pairs_size = pairs.size;
    return catalog_apply(&catalog, path, &frame);
}

static const char *refused(const char *path)
{
    for (size_t i = 0; i < catalog.plugin_count; i++) {
        if (strcmp(catalog.plugins[i].path, path) == 0)
            return catalog.plugins[i].refused ? catalog.plugins[i].refused : "";
    }
    return "absent";
}

static int plugin(const char *path, const char *id)
{
    return apply(path, (struct frame){.type = FRAME_PLUGIN, .plugin = {DYNO_ABI_MAJOR, 7, 0}}, "id",
                 id, "title", "A\x1b[2J title", "version", "1.2", "license", "MIT", "path", path,
                 NULL);
}

static int test(const char *path, const char *id)
{
    return apply(path, (struct frame){.type = FRAME_TEST, .test = {DYNO_FOLDER, DYNO_WRITES}}, "id",
                 id, "title", "Write", "summary", "Writes", NULL);
}

static int option(const char *path, const char *key, const char *def)
{
    return apply(
        path, (struct frame){.type = FRAME_OPTION, .option = {DYNO_SIZE, 0, 512, 64 << 20}}, "key",
        key, "label", "Block size", "help", "Bytes a request", "default", def, NULL);
}

static int metric(const char *path, const char *key)
{
    struct frame frame = {.type = FRAME_METRIC,
                          .metric = {DYNO_BYTE, DYNO_DELTA, DYNO_HIGHER, 0, "", "Written"}};

    (void)snprintf(frame.metric.key, sizeof(frame.metric.key), "%s", key);
    return apply(path, frame, NULL);
}

static void a_description_is_copied(void **state)
{
    const struct catalog_test *found;

    (void)state;
    assert_int_equal(plugin("/p.so", "storage"), 0);
    assert_int_equal(test("/p.so", "storage.write"), 0);
    assert_int_equal(option("/p.so", "block-size", "1M"), 0);
    assert_int_equal(
        apply("/p.so", (struct frame){.type = FRAME_OPTION, .option = {DYNO_CHOICE, 0, 0, 0}},
              "key", "method", "choice", "dd", "choice", "queue", "default", "queue", NULL),
        0);
    assert_int_equal(metric("/p.so", "written"), 0);
    assert_int_equal(test("/p.so", "storage.read"), 0);

    assert_string_equal(catalog.plugins[0].title, "A?[2J title");
    assert_string_equal(catalog.plugins[0].version, "1.2");
    assert_null(catalog.plugins[0].refused);
    assert_string_equal(catalog.tests[0].id, "storage.read"); /* sorted */
    assert_int_equal(catalog.tests[0].ordinal, 1);
    assert_int_equal(catalog.tests[1].ordinal, 0);
    found = catalog_find(&catalog, "storage.write");
    assert_non_null(found);
    assert_string_equal(found->plugin, "/p.so");
    assert_int_equal(found->targets, DYNO_FOLDER);
    assert_int_equal(found->flags, DYNO_WRITES);
    assert_int_equal(found->option_count, 2);
    assert_string_equal(catalog_option(found, "block_size")->def, "1M");
    assert_string_equal(catalog_option(found, "method")->choices[1], "queue");
    assert_null(catalog_option(found, "method")->choices[2]);
    assert_null(catalog_option(found, "absent"));
    assert_int_equal(found->metric_count, 1);
    assert_string_equal(found->metrics[0].key, "written");
    assert_null(catalog_find(&catalog, "storage"));
}

static void plugins_may_answer_at_the_same_time(void **state)
{
    (void)state;
    assert_int_equal(plugin("/a.so", "a"), 0);
    assert_int_equal(plugin("/b.so", "b"), 0);
    assert_int_equal(test("/b.so", "b.one"), 0);
    assert_int_equal(test("/a.so", "a.one"), 0);
    assert_int_equal(option("/b.so", "bs", "1K"), 0);
    assert_int_equal(catalog_find(&catalog, "b.one")->option_count, 1);
    assert_int_equal(catalog_find(&catalog, "a.one")->option_count, 0);
}

/* Expects the last frame to have refused the plugin, its tests to be gone, and more to be futile.
 */
static void is_refused(const char *path, const char *reason)
{
    if (strcmp(refused(path), reason) != 0)
        fail_msg("refused: %s", refused(path));
    for (size_t i = 0; i < catalog.test_count; i++)
        assert_string_not_equal(catalog.tests[i].plugin, path);
    assert_int_equal(test(path, "storage.more"), -EPROTO);
    assert_string_equal(refused(path), reason);
}

static void the_later_of_two_equal_ids_is_refused(void **state)
{
    (void)state;
    assert_int_equal(plugin("/a.so", "storage"), 0);
    assert_int_equal(test("/a.so", "storage.write"), 0);
    assert_int_equal(plugin("/b.so", "storage"), -EPROTO);
    is_refused("/b.so", "plugin \"storage\" is already there: /a.so");
    assert_string_equal(refused("/a.so"), "");
    assert_non_null(catalog_find(&catalog, "storage.write"));
    assert_int_equal(test("/a.so", "storage.write"), -EPROTO);
    is_refused("/a.so", "test \"storage.write\" is already there: /a.so");
}

static void a_test_must_bear_its_plugins_name(void **state)
{
    (void)state;
    assert_int_equal(plugin("/a.so", "storage"), 0);
    assert_int_equal(test("/a.so", "memory.write"), -EPROTO);
    is_refused("/a.so", "test id \"memory.write\" is no lower-case word behind \"storage.\"");
    assert_int_equal(plugin("/b.so", "storage"), 0); /* the refused one's id is free again */
    assert_int_equal(test("/b.so", "storage."), -EPROTO);
}

static void a_foreign_interface_is_refused(void **state)
{
    (void)state;
    assert_int_equal(
        apply("/a.so", (struct frame){.type = FRAME_PLUGIN, .plugin = {DYNO_ABI_MAJOR + 1, 3, 0}},
              "id", "a", NULL),
        -EPROTO);
    is_refused("/a.so", "it was built for plugin interface 2.3, this program has 1.2");
}

static void unfit_options_refuse_the_plugin(void **state)
{
    static const struct {
        const char *key, *def, *reason;
    } BAD[] = {
        {"Bs", "1M", "an option of \"storage.write\" has no lower-case word for a key"},
        {"", "1M", "an option of \"storage.write\" has no lower-case word for a key"},
        {"json", "1M", "option \"json\" of \"storage.write\" is already taken"},
        {"no_record", "1M", "option \"no_record\" of \"storage.write\" is already taken"},
        {"block_size", "1M", "option \"block_size\" of \"storage.write\" is already taken"},
        {"bs", "1",
         "the default of an option of \"storage.write\" is unfit: bs: expected a size from 512 to "
         "64M, got \"1\""},
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(BAD); i++) {
        assert_int_equal(plugin("/a.so", "storage"), 0);
        assert_int_equal(test("/a.so", "storage.write"), 0);
        assert_int_equal(option("/a.so", "block-size", "1M"), 0);
        assert_int_equal(option("/a.so", BAD[i].key, BAD[i].def), -EPROTO);
        is_refused("/a.so", BAD[i].reason);
        catalog_done(&catalog);
    }
}

static int choice(const char *first, const char *second)
{
    catalog_done(&catalog);
    assert_int_equal(plugin("/a.so", "storage"), 0);
    assert_int_equal(test("/a.so", "storage.write"), 0);
    return apply("/a.so", (struct frame){.type = FRAME_OPTION, .option = {DYNO_CHOICE, 0, 0, 0}},
                 "key", "method", first ? "choice" : NULL, first, "choice", second, NULL);
}

static void choices_are_distinct_words(void **state)
{
    (void)state;
    assert_int_equal(choice("dd", "queue"), 0);
    assert_int_equal(choice(NULL, NULL), -EPROTO);
    assert_int_equal(choice("dd-x", "dd_x"), -EPROTO);
    assert_int_equal(choice("dd", ""), -EPROTO);
    assert_int_equal(choice("dd", "a|b"), -EPROTO);
    is_refused("/a.so", "option \"method\" of \"storage.write\" has unfit choices");
}

static void a_metric_stands_once(void **state)
{
    (void)state;
    assert_int_equal(plugin("/a.so", "storage"), 0);
    assert_int_equal(test("/a.so", "storage.write"), 0);
    assert_int_equal(metric("/a.so", "written"), 0);
    assert_int_equal(metric("/a.so", "written"), -EPROTO);
    is_refused("/a.so", "metric \"written\" of \"storage.write\" is there twice");
}

static void order_is_kept(void **state)
{
    (void)state;
    assert_int_equal(test("/a.so", "a.one"), -EPROTO);
    is_refused("/a.so", "its description is out of order");
    assert_int_equal(plugin("/b.so", "b"), 0);
    assert_int_equal(option("/b.so", "bs", "1M"), -EPROTO);
    is_refused("/b.so", "its description is out of order");
    assert_int_equal(plugin("/c.so", "c"), 0);
    assert_int_equal(plugin("/c.so", "c"), -EPROTO);
    assert_int_equal(plugin("/d.so", "d"), 0);
    assert_int_equal(test("/d.so", "d.one"), 0);
    assert_int_equal(metric("/d.so", "written"), 0);
    assert_int_equal(option("/d.so", "bs", "1M"), -EPROTO);
    assert_int_equal(apply("/e.so", (struct frame){.type = FRAME_PROGRESS}, NULL), -EPROTO);
}

static void counts_end_at_their_bounds(void **state)
{
    char name[32];

    (void)state;
    assert_int_equal(plugin("/a.so", "a"), 0);
    for (int i = 0; i < CATALOG_TESTS_MAX; i++) {
        (void)snprintf(name, sizeof(name), "a.t%d", i);
        assert_int_equal(test("/a.so", name), 0);
    }
    for (int i = 0; i < CATALOG_OPTIONS_MAX; i++) {
        (void)snprintf(name, sizeof(name), "o%d", i);
        assert_int_equal(option("/a.so", name, "1M"), 0);
    }
    for (int i = 0; i < CATALOG_METRICS_MAX; i++) {
        (void)snprintf(name, sizeof(name), "m%d", i);
        assert_int_equal(metric("/a.so", name), 0);
    }
    assert_int_equal(metric("/a.so", "more"), -EPROTO);
    assert_int_equal(catalog.test_count, 0);

    assert_int_equal(plugin("/b.so", "b"), 0);
    assert_int_equal(test("/b.so", "b.t"), 0);
    for (int i = 0; i < CATALOG_OPTIONS_MAX; i++) {
        (void)snprintf(name, sizeof(name), "o%d", i);
        assert_int_equal(option("/b.so", name, "1M"), 0);
    }
    assert_int_equal(option("/b.so", "more", "1M"), -EPROTO);

    assert_int_equal(plugin("/c.so", "c"), 0);
    for (int i = 0; i < CATALOG_TESTS_MAX; i++) {
        (void)snprintf(name, sizeof(name), "c.t%d", i);
        assert_int_equal(test("/c.so", name), 0);
    }
    assert_int_equal(test("/c.so", "c.more"), -EPROTO);
}

static void plugins_end_at_their_bound(void **state)
{
    char path[32];

    (void)state;
    for (int i = 0; i < CATALOG_PLUGINS_MAX; i++) {
        (void)snprintf(path, sizeof(path), "/%d.so", i);
        catalog_refuse(&catalog, path, "no");
    }
    assert_int_equal(plugin("/more.so", "more"), -EPROTO);
    catalog_refuse(&catalog, "/more.so", "no");
    assert_int_equal(catalog.plugin_count, CATALOG_PLUGINS_MAX);
}

static void texts_end_at_their_bound(void **state)
{
    char text[CATALOG_TEXT_MAX + 2];

    (void)state;
    memset(text, 'x', sizeof(text));
    text[CATALOG_TEXT_MAX] = '\0';
    assert_int_equal(plugin("/a.so", "a"), 0);
    assert_int_equal(apply("/a.so", (struct frame){.type = FRAME_TEST, .test = {DYNO_MEM, 0}}, "id",
                           "a.one", "summary", text, NULL),
                     0);
    text[CATALOG_TEXT_MAX] = 'x';
    text[CATALOG_TEXT_MAX + 1] = '\0';
    assert_int_equal(apply("/a.so", (struct frame){.type = FRAME_TEST, .test = {DYNO_MEM, 0}}, "id",
                           "a.two", "summary", text, NULL),
                     -EPROTO);
    is_refused("/a.so", "the summary in its description is longer than 512 bytes");
}

static void a_refused_frame_drops_the_tests_and_keeps_the_first_reason(void **state)
{
    (void)state;
    assert_int_equal(plugin("/a.so", "a"), 0);
    assert_int_equal(test("/a.so", "a.one"), 0);
    assert_int_equal(apply("/a.so", (struct frame){.type = FRAME_REFUSED}, "path", "/a.so",
                           "reason", "too\nold", NULL),
                     0);
    is_refused("/a.so", "too?old");
    catalog_refuse(&catalog, "/a.so", "another");
    assert_string_equal(refused("/a.so"), "too?old");
    catalog_refuse(&catalog, "/b.so", "crashed");
    assert_string_equal(refused("/b.so"), "crashed");
}

#define CASE(name) cmocka_unit_test_teardown(name, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(a_description_is_copied),
        CASE(plugins_may_answer_at_the_same_time),
        CASE(the_later_of_two_equal_ids_is_refused),
        CASE(a_test_must_bear_its_plugins_name),
        CASE(a_foreign_interface_is_refused),
        CASE(unfit_options_refuse_the_plugin),
        CASE(choices_are_distinct_words),
        CASE(a_metric_stands_once),
        CASE(order_is_kept),
        CASE(counts_end_at_their_bounds),
        CASE(plugins_end_at_their_bound),
        CASE(texts_end_at_their_bound),
        CASE(a_refused_frame_drops_the_tests_and_keeps_the_first_reason),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
