/* history: rows, then one completion, whatever the program does. */
#include <dirent.h>
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>

#include <cmocka.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/str.h"
#include "history/history.h"

#define TURNS_MAX 1000
#define TURN_MS 100

static struct {
    struct loop *loop;
    struct history_query *query;
    unsigned rows, completions;
    bool is_freeing_at_row, is_freeing_at_end;
    struct str problem, keys;
} t;

static int setup(void **state)
{
    (void)state;
    memset(&t, 0, sizeof(t));
    return loop_new(&t.loop);
}

static int teardown(void **state)
{
    (void)state;
    t.query = history_free(t.query);
    t.loop = loop_free(t.loop);
    str_done(&t.problem);
    str_done(&t.keys);
    return 0;
}

static void on_row(void *user, const struct frame *row, const char *problem)
{
    (void)user;
    if (row) {
        t.rows++;
        str_addf(&t.keys, "%s ", frame_pair(row, "schema"));
        if (t.is_freeing_at_row)
            t.query = history_free(t.query);
        return;
    }
    t.completions++;
    str_add(&t.problem, problem ? problem : "");
    if (t.is_freeing_at_end)
        t.query = history_free(t.query);
}

static void turn_until_complete(void)
{
    for (int i = 0; i < TURNS_MAX && t.completions == 0; i++)
        assert_true(loop_turn(t.loop, TURN_MS) >= 0);
    for (int i = 0; i < 3; i++)
        assert_true(loop_turn(t.loop, 10) >= 0); /* nothing more may come */
}

static void ask(const char *const *arguments)
{
    assert_int_equal(history_ask(t.loop, arguments, on_row, NULL, &t.query), 0);
}

static void test_row_and_completion(void **state)
{
    static const char *const info[] = {"query", "info", "/nonexistent/results.db", NULL};
    (void)state;
    ask(info);
    turn_until_complete();
    assert_int_equal(t.rows, 1);
    assert_string_equal(t.keys.text, "0 ");
    assert_int_equal(t.completions, 1);
    assert_string_equal(str_text(&t.problem), "");
}

static void test_nothing_recorded_yet(void **state)
{
    static const char *const list[] = {"query", "list", "/nonexistent/results.db", NULL};
    (void)state;
    t.is_freeing_at_end = true;
    ask(list);
    turn_until_complete();
    assert_int_equal(t.rows, 0);
    assert_int_equal(t.completions, 1);
    assert_string_equal(str_text(&t.problem), "");
}

static void test_refusal_is_the_problem(void **state)
{
    static const char *const replay[] = {"replay", "/nonexistent/results.db", "17", NULL};
    (void)state;
    ask(replay);
    turn_until_complete();
    assert_int_equal(t.completions, 1);
    assert_non_null(strstr(t.problem.text, "there is no run 17"));
}

static void test_status_is_the_problem(void **state)
{
    static const char *const wrong[] = {"query", "everything", NULL};
    (void)state;
    ask(wrong);
    turn_until_complete();
    assert_int_equal(t.completions, 1);
    assert_string_equal(t.problem.text, "iodyno-store ended with status 2");
}

/* A recorder waits for its run: it never answers. */
static void test_no_answer(void **state)
{
    static const char *const record[] = {"record", "/tmp/iodyno-history-test/results.db", NULL};
    (void)state;
    uint64_t begin_ns = clock_mono_ns();
    assert_int_equal(history_ask_program(t.loop, "iodyno-store", record, 300 * NS_PER_MS, on_row,
                                         NULL, &t.query),
                     0);
    turn_until_complete();
    assert_int_equal(t.completions, 1);
    assert_string_equal(t.problem.text, "the store did not answer");
    assert_true(clock_mono_ns() - begin_ns >= 300 * NS_PER_MS);
    assert_true(clock_mono_ns() - begin_ns < 10 * NS_PER_S);
    static const char *const files[] = {"", "-wal", "-shm"};
    for (size_t i = 0; i < ARRAY_SIZE(files); i++) {
        char path[80];
        (void)snprintf(path, sizeof(path), "/tmp/iodyno-history-test/results.db%s", files[i]);
        (void)unlink(path);
    }
    (void)rmdir("/tmp/iodyno-history-test");
}

static void test_freed_within_a_row(void **state)
{
    static const char *const info[] = {"query", "info", "/nonexistent/results.db", NULL};
    (void)state;
    t.is_freeing_at_row = true;
    ask(info);
    for (int i = 0; i < TURNS_MAX && t.rows == 0; i++)
        assert_true(loop_turn(t.loop, TURN_MS) >= 0);
    for (int i = 0; i < 3; i++)
        assert_true(loop_turn(t.loop, 50) >= 0);
    assert_int_equal(t.rows, 1);
    assert_int_equal(t.completions, 0);
    assert_null(t.query);
}

static void test_freed_at_once(void **state)
{
    static const char *const list[] = {"query", "list", "/nonexistent/results.db", NULL};
    (void)state;
    ask(list);
    t.query = history_free(t.query);
    for (int i = 0; i < 5; i++)
        assert_true(loop_turn(t.loop, 50) >= 0);
    assert_int_equal(t.completions, 0);
    assert_null(history_free(NULL));
}

static void test_no_such_program(void **state)
{
    static const char *const none[] = {"--probe", NULL};
    (void)state;
    assert_int_equal(
        history_ask_program(t.loop, "iodyno-nothing", none, NS_PER_S, on_row, NULL, &t.query),
        -ENOENT);
    assert_null(t.query);
}

#define CASE(test) cmocka_unit_test_setup_teardown(test, setup, teardown)

int main(void)
{
    static const struct CMUnitTest tests[] = {
        CASE(test_row_and_completion),
        CASE(test_nothing_recorded_yet),
        CASE(test_refusal_is_the_problem),
        CASE(test_status_is_the_problem),
        CASE(test_no_answer),
        CASE(test_freed_within_a_row),
        CASE(test_freed_at_once),
        CASE(test_no_such_program),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
