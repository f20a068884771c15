/* describe: asks iodyno-worker about every plugin file. The test stands as its own fake worker: it
 * copies itself into a tree of the installed shape, runs there, and plays the worker when it is
 * started with --describe; what a "plugin" does is told by its file name. */
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/str.h"
#include "catalog/describe.h"
#include "iodyno/plugin.h"
#include "wire/channel.h"

/* ---- the fake worker ---- */

static void send_frame(struct frame frame, const struct str *pairs)
{
    static struct packet packet;

    frame.pairs = pairs->text;
    frame.pairs_size = pairs->size;
    packet.size = 0;
    if (packet_add(&packet, &frame) < 0 || channel_send_wait(CHANNEL_FD, &packet, 5000) < 0)
        _exit(9);
}

static void send_plugin(const char *id)
{
    struct str pairs = {0};

    str_add_pair(&pairs, "id", id);
    send_frame((struct frame){.type = FRAME_PLUGIN, .plugin = {DYNO_ABI_MAJOR, 0, 0}}, &pairs);
    str_clear(&pairs);
    str_add_pairf(&pairs, "id", "%s.one", id);
    send_frame((struct frame){.type = FRAME_TEST, .test = {DYNO_MEM, 0}}, &pairs);
    str_done(&pairs);
}

static void count_call(const char *path)
{
    AUTO(str_done) struct str name = {0};
    AUTO_CLOSE int fd = -1;

    str_addf(&name, "%s.calls", path);
    fd = open(str_text(&name), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
    if (fd < 0 || write(fd, "x", 1) != 1)
        _exit(8);
}

static int play_worker(const char *path)
{
    const char *name = strrchr(path, '/') + 1;
    struct str pairs = {0};

    count_call(path);
    if (str_starts(name, "crash")) {
        (void)signal(SIGSEGV, SIG_DFL);
        (void)raise(SIGSEGV);
    }
    if (str_starts(name, "hang")) {
        send_plugin("hang");
        for (;;)
            (void)pause();
    }
    if (str_starts(name, "silent"))
        return 3;
    if (str_starts(name, "garbage"))
        return write(CHANNEL_FD, "garbage!", 8) != 8;
    if (str_starts(name, "refused")) {
        str_add_pair(&pairs, "path", path);
        str_add_pair(&pairs, "reason", "it is too old");
        send_frame((struct frame){.type = FRAME_REFUSED}, &pairs);
        str_done(&pairs);
        return 1;
    }
    if (str_starts(name, "endless")) {
        for (;;)
            send_plugin("endless");
    }
    send_plugin(str_starts(name, "twin") ? "twin" : "good");
    return 0;
}

/* ---- the tests ---- */

static struct {
    struct loop *loop;
    struct describe *describe;
    struct catalog catalog;
    unsigned calls;
    struct str folder;
} t;

static void make_plugin(const char *name)
{
    AUTO(str_done) struct str path = {0};
    AUTO_CLOSE int fd = -1;

    str_addf(&path, "%s/%s", str_text(&t.folder), name);
    fd = open(str_text(&path), O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
    assert_true(fd >= 0);
}

static void remove_tree(const char *folder)
{
    const pid_t pid = fork();

    if (pid == 0) {
        (void)execl("/bin/rm", "rm", "-rf", folder, (char *)NULL);
        _exit(127);
    }
    (void)waitpid(pid, NULL, 0);
}

static int setup(void **state)
{
    static char folder[64];

    (void)state;
    (void)snprintf(folder, sizeof(folder), "/tmp/iodyno-plugins-XXXXXX");
    if (!mkdtemp(folder) || setenv("IODYNO_PLUGIN_PATH", folder, 1) < 0)
        return -1;
    str_clear(&t.folder);
    str_add(&t.folder, folder);
    t.calls = 0;
    return loop_new(&t.loop);
}

static int teardown(void **state)
{
    (void)state;
    t.describe = describe_free(t.describe);
    t.loop = loop_free(t.loop);
    catalog_done(&t.catalog);
    remove_tree(str_text(&t.folder));
    str_done(&t.folder);
    return 0;
}

static void on_done(void *user)
{
    (void)user;
    t.calls++;
    t.describe = describe_free(t.describe);
    loop_stop(t.loop, 0);
}

static void describe_all(void)
{
    const unsigned before = t.calls;

    assert_int_equal(describe_start(t.loop, &t.catalog, on_done, NULL, &t.describe), 0);
    assert_int_equal(t.calls, before); /* never from within the call */
    assert_int_equal(loop_run(t.loop), 0);
    assert_int_equal(t.calls, before + 1);
}

/* Why the plugin file was refused, "" when it was not. */
static const char *refusal(const char *name)
{
    for (size_t i = 0; i < t.catalog.plugin_count; i++) {
        const struct catalog_plugin *plugin = &t.catalog.plugins[i];

        if (str_ends(plugin->path, name))
            return plugin->refused ? plugin->refused : "";
    }
    fail_msg("%s is not in the catalog", name);
    return NULL;
}

static void no_plugin_is_an_answer_too(void **state)
{
    (void)state;
    make_plugin("not-a-plugin.txt");
    describe_all();
    assert_int_equal(t.catalog.plugin_count, 0);
}

static void a_good_plugin_stands_in_the_catalog(void **state)
{
    (void)state;
    make_plugin("good.so");
    describe_all();
    assert_string_equal(refusal("/good.so"), "");
    assert_non_null(catalog_find(&t.catalog, "good.one"));
}

static void each_failure_has_its_sentence(void **state)
{
    (void)state;
    make_plugin("crash.so");
    make_plugin("endless.so");
    make_plugin("garbage.so");
    make_plugin("good.so");
    make_plugin("refused.so");
    make_plugin("silent.so");
    describe_all();
    assert_string_equal(refusal("/crash.so"),
                        "crashed with signal 11 (Segmentation fault) while loading");
    assert_string_equal(refusal("/garbage.so"), "its description broke the protocol");
    assert_string_equal(refusal("/refused.so"), "it is too old");
    assert_string_equal(refusal("/silent.so"), "ended with exit code 3 and said nothing of itself");
    assert_string_equal(refusal("/endless.so"), "its description is longer than 512 KiB");
    assert_string_equal(refusal("/good.so"), "");
    assert_int_equal(t.catalog.test_count, 1);
}

static void a_hanging_plugin_costs_two_seconds(void **state)
{
    const uint64_t before_ns = clock_mono_ns();

    (void)state;
    make_plugin("hang-a.so");
    make_plugin("hang-b.so");
    make_plugin("good.so");
    describe_all();
    assert_in_range(clock_mono_ns() - before_ns, 2 * NS_PER_S, 4 * NS_PER_S);
    assert_string_equal(refusal("/hang-a.so"), "did not answer in 2 s");
    assert_string_equal(refusal("/hang-b.so"), "did not answer in 2 s");
    assert_int_equal(t.catalog.test_count, 1);
    while (waitpid(-1, NULL, WNOHANG) >= 0) /* both were killed */
        assert_true(loop_turn(t.loop, 10) >= 0);
}

static void of_twins_the_first_by_name_stays(void **state)
{
    (void)state;
    make_plugin("twin-b.so");
    make_plugin("twin-a.so");
    describe_all();
    assert_string_equal(refusal("/twin-a.so"), "");
    assert_true(str_starts(refusal("/twin-b.so"), "plugin \"twin\" is already there: "));
}

static off_t calls_of(const char *name)
{
    AUTO(str_done) struct str path = {0};
    struct stat st = {0};

    str_addf(&path, "%s/%s.calls", str_text(&t.folder), name);
    (void)stat(str_text(&path), &st);
    return st.st_size;
}

static void answers_are_remembered_until_the_file_changes(void **state)
{
    AUTO(str_done) struct str path = {0};
    const struct timespec times[2] = {{1, 0}, {1, 0}};

    (void)state;
    make_plugin("good.so");
    make_plugin("crash.so");
    describe_all();
    describe_all();
    assert_int_equal(calls_of("good.so"), 1);
    assert_int_equal(calls_of("crash.so"), 1);
    assert_int_equal(t.catalog.plugin_count, 2);
    assert_int_equal(t.catalog.test_count, 1);
    assert_true(str_starts(refusal("/crash.so"), "crashed with signal 11"));
    str_addf(&path, "%s/good.so", str_text(&t.folder));
    assert_int_equal(utimensat(AT_FDCWD, str_text(&path), times, 0), 0);
    describe_all();
    assert_int_equal(calls_of("good.so"), 2);
    assert_int_equal(calls_of("crash.so"), 1);
}

static void freeing_kills_what_still_runs(void **state)
{
    (void)state;
    make_plugin("hang.so");
    assert_int_equal(describe_start(t.loop, &t.catalog, on_done, NULL, &t.describe), 0);
    t.describe = describe_free(t.describe);
    while (waitpid(-1, NULL, WNOHANG) >= 0)
        assert_true(loop_turn(t.loop, 10) >= 0);
    assert_int_equal(t.calls, 0);
}

/* ---- the tree ---- */

static void copy_self(const char *to)
{
    AUTO_CLOSE int in = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
    AUTO_CLOSE int out = open(to, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0700);
    static char piece[1 << 16];
    ssize_t size;

    while ((size = read(in, piece, sizeof(piece))) > 0) {
        if (write(out, piece, (size_t)size) != size)
            exit(99);
    }
}

/* Runs this program again from within its own tree; returns its exit code. */
static int run_in_tree(void)
{
    char root[] = "/tmp/iodyno-describe-XXXXXX", path[128];
    static const char *const FOLDERS[] = {"bin", "libexec", "libexec/iodyno"};
    int status = -1;
    pid_t pid;

    if (!mkdtemp(root))
        return 99;
    for (size_t i = 0; i < ARRAY_SIZE(FOLDERS); i++) {
        (void)snprintf(path, sizeof(path), "%s/%s", root, FOLDERS[i]);
        if (mkdir(path, 0700) < 0)
            return 99;
    }
    (void)snprintf(path, sizeof(path), "%s/libexec/iodyno/iodyno-worker", root);
    copy_self(path);
    (void)snprintf(path, sizeof(path), "%s/bin/test", root);
    copy_self(path);
    pid = fork();
    if (pid == 0) {
        (void)execl(path, path, "--in-tree", (char *)NULL);
        _exit(127);
    }
    (void)waitpid(pid, &status, 0);
    remove_tree(root);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 99;
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        CASE(no_plugin_is_an_answer_too),       CASE(a_good_plugin_stands_in_the_catalog),
        CASE(each_failure_has_its_sentence),    CASE(a_hanging_plugin_costs_two_seconds),
        CASE(of_twins_the_first_by_name_stays), CASE(answers_are_remembered_until_the_file_changes),
        CASE(freeing_kills_what_still_runs),
    };

    if (argc == 3 && strcmp(argv[1], "--describe") == 0)
        return play_worker(argv[2]);
    if (argc == 2 && strcmp(argv[1], "--in-tree") == 0)
        return cmocka_run_group_tests(tests, NULL, NULL);
    return run_in_tree();
}
