/* Plugins with a fault are refused with its reason; the others are there all the same. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/places.h"
#include "base/str.h"
#include "catalog/describe.h"
#include "drive.h"
#include "iodyno/plugin.h"

static void on_done(void *user)
{
    bool *is_done = user;
    *is_done = true;
}

/* Asks all plugins of the given folders. */
static void describe_all(struct catalog *catalog, const char *folders)
{
    struct loop *loop = NULL;
    struct describe *describe = NULL;
    bool is_done = false;
    assert_int_equal(setenv("IODYNO_PLUGIN_PATH", folders, 1), 0);
    assert_int_equal(loop_new(&loop), 0);
    assert_int_equal(describe_start(loop, catalog, on_done, &is_done, &describe), 0);
    uint64_t limit_ns = clock_mono_ns() + 60 * NS_PER_S;
    while (!is_done) {
        assert_true(clock_mono_ns() < limit_ns);
        assert_true(loop_turn(loop, 100) >= 0);
    }
    (void)describe_free(describe);
    (void)loop_free(loop);
}

static const struct catalog_plugin *find_plugin(const struct catalog *catalog, const char *name)
{
    for (size_t i = 0; i < catalog->plugin_count; i++) {
        if (str_ends(catalog->plugins[i].path, name))
            return &catalog->plugins[i];
    }
    return NULL;
}

static void each_fault_is_refused_with_its_reason(void **state)
{
    static const struct {
        const char *file, *reason;
    } faults[] = {
        {"/bad-magic.so", "its magic number is 0x12345678"},
        {"/bad-major.so", "was built for plugin interface 2, this iodyno has 1"},
        {"/bad-size.so", "its plugin table says 16 bytes"},
        {"/bad-null.so", "has no test"},
        {"/bad-pointer.so", "crashed while its tables were read"},
        {"/bad-test-size.so", "a test table says 12 bytes"},
        {"/bad-id.so", "a test's id \"bad.0123456789"},
        {"/bad-foreign-id.so", "does not begin with the plugin's id bad and a dot"},
        {"/bad-no-run.so", "bad.test has no run function"},
        {"/bad-no-symbol.so", "exports no dyno_plugin"},
        {"/bad-many-metrics.so", "more than 62 metrics"},
        {"/bad-twice.so", "metric \"m00\" of \"bad.test\" is there twice"},
        {"/bad-default.so", "bs"},
        {"/bad-crash.so", "crashed while it was loaded"},
        {"/bad-abort.so", "crashed while it was loaded"},
        {"/bad-sleep.so", "2 s"},
        {"/bad-spin.so", ""},
        {"/bad-exit.so", ""},
#ifndef IODYNO_SANITIZED
        {"/bad-memory.so", "crashed while it was loaded"},
#endif
    };
    AUTO(catalog_done) struct catalog catalog = {0};
    (void)state;
    describe_all(&catalog, FAULTS_PLUGINS);
    for (size_t i = 0; i < ARRAY_SIZE(faults); i++) {
        const struct catalog_plugin *plugin = find_plugin(&catalog, faults[i].file);
        assert_non_null(plugin);
        (void)fprintf(stderr, "%s: %s\n", faults[i].file,
                      plugin->refused ? plugin->refused : "(accepted)");
        assert_non_null(plugin->refused);
        assert_true(plugin->refused[0] != '\0');
        assert_non_null(strstr(plugin->refused, faults[i].reason));
    }
    /* The bound itself: 62 metrics, another minor, a table without `room`, a dirty title. */
    const struct catalog_plugin *nothing = find_plugin(&catalog, "/bad-nothing.so");
    assert_non_null(nothing);
    assert_null(nothing->refused);
    const struct catalog_test *test = catalog_find(&catalog, "bad.test");
    assert_non_null(test);
    assert_int_equal((int)test->metric_count, 62);
    assert_string_equal(test->title, "Bad ?[31mtest");
    assert_non_null(catalog_find(&catalog, "selftest.sine"));
    assert_int_equal(catalog_find(&catalog, "selftest.sine")->flags, DYNO_HIDDEN);
}

static void copy_plugin(const char *folder, const char *name, mode_t mode)
{
    AUTO(str_done) struct str path = {0};
    str_addf(&path, "%s/%s", folder, name);
    AUTO_FCLOSE FILE *from = fopen(FAULTS_PLUGINS "/bad-nothing.so", "rb");
    AUTO_FCLOSE FILE *to = fopen(path.text, "wb");
    assert_true(from && to);
    char bytes[4096];
    size_t got;
    while ((got = fread(bytes, 1, sizeof(bytes), from)) > 0)
        assert_int_equal(fwrite(bytes, 1, got, to), got);
    assert_int_equal(fflush(to), 0);
    assert_int_equal(chmod(path.text, mode), 0);
}

static void what_others_may_write_is_not_loaded(void **state)
{
    static const struct {
        mode_t file, folder;
        uid_t owner;
        const char *reason; /* NULL: accepted */
    } cases[] = {
        {0644, 0755, 0, NULL},
        {0646, 0755, 0, "other users may write to it (chmod go-w /"},
        {0664, 0755, 0, "other users may write to it"},
        {0644, 0777, 0, "other users may write to its folder"},
        {0644, 0775, 0, "other users may write to its folder"},
        {0644, 0755, 4321, "belongs to user 4321"},
    };
    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        char folder[] = "/tmp/iodyno-trust-XXXXXX";
        AUTO(catalog_done) struct catalog catalog = {0};
        AUTO(str_done) struct str path = {0};
        if (cases[i].owner && geteuid() != 0)
            continue;
        assert_non_null(mkdtemp(folder));
        copy_plugin(folder, "copy.so", cases[i].file);
        str_addf(&path, "%s/copy.so", folder);
        if (cases[i].owner)
            assert_int_equal(chown(path.text, cases[i].owner, cases[i].owner), 0);
        assert_int_equal(chmod(folder, cases[i].folder), 0);
        describe_all(&catalog, folder);
        const struct catalog_plugin *plugin = find_plugin(&catalog, "/copy.so");
        assert_non_null(plugin);
        (void)fprintf(stderr, "mode %o in %o: %s\n", (unsigned)cases[i].file,
                      (unsigned)cases[i].folder, plugin->refused ? plugin->refused : "accepted");
        if (cases[i].reason)
            assert_non_null(strstr(plugin->refused ? plugin->refused : "", cases[i].reason));
        else
            assert_null(plugin->refused);
        assert_int_equal(unlink(path.text), 0);
        assert_int_equal(rmdir(folder), 0);
    }
}

static void a_plugin_with_as_many_metrics_as_may_be_runs(void **state)
{
    AUTO(drive_done) struct drive drive;
    (void)state;
    drive_init(&drive, "bad.test");
    drive.plugin = FAULTS_PLUGINS "/bad-nothing.so";
    const struct model *model = drive_run(&drive, 10 * DRIVE_S);
    assert_int_equal(model->state, RUN_DONE);
    assert_int_equal((int)model->metric_count, FRAME_METRICS_MAX);
    assert_true(drive_result(&drive, "cpu_sys") >= 0);
}

static void a_run_of_a_refused_plugin_is_refused_or_crashes(void **state)
{
    static const struct {
        const char *plugin;
        unsigned state;
        const char *reason;
    } cases[] = {
        {FAULTS_PLUGINS "/bad-magic.so", RUN_REFUSED, "its magic number"},
        {FAULTS_PLUGINS "/bad-pointer.so", RUN_FAILED, "crashed with signal 11"},
        {FAULTS_PLUGINS "/bad-crash.so", RUN_FAILED, "crashed with signal 11"},
        {FAULTS_PLUGINS "/bad-exit.so", RUN_FAILED, "ended without a result (exit code 0)"},
    };
    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        AUTO(drive_done) struct drive drive;
        drive_init(&drive, "bad.test");
        drive.plugin = cases[i].plugin;
        const struct model *model = drive_run(&drive, 10 * DRIVE_S);
        assert_int_equal(model->state, cases[i].state);
        assert_non_null(strstr(model->sentence, cases[i].reason));
        assert_true(model->has_start);
        assert_string_equal(model->label, "a label");
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_fault_is_refused_with_its_reason),
        cmocka_unit_test(what_others_may_write_is_not_loaded),
        cmocka_unit_test(a_plugin_with_as_many_metrics_as_may_be_runs),
        cmocka_unit_test(a_run_of_a_refused_plugin_is_refused_or_crashes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
