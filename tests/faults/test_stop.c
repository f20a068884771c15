/* An owner of several runs is asked to stop one of them. */
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/clock.h"
#include "base/str.h"
#include "core.h"
#include "loop/process.h"

#define LIMIT_NS (20 * NS_PER_S)

static struct {
    struct core *core;
    char folder[64];
    struct str database;
} t;

static int setup(void **state)
{
    (void)state;
    (void)snprintf(t.folder, sizeof(t.folder), "/tmp/iodyno-stop-XXXXXX");
    if (!mkdtemp(t.folder))
        return -1;
    str_addf(&t.database, "%s/results.db", t.folder);
    const struct core_plan plan = {.root = "", .database = t.database.text};
    if (core_open(&plan, &t.core) != 0 || core_describe(t.core) != 0)
        return -1;
    while (!core_catalog_is_ready(t.core))
        if (loop_turn(core_loop(t.core), 1000) < 0)
            return -1;
    return 0;
}

static int teardown(void **state)
{
    static const char *const ends[] = {"", "-wal", "-shm"};
    (void)state;
    t.core = core_close(t.core);
    (void)usleep(300000); /* recorders put the last into place */
    for (size_t i = 0; i < 3; i++) {
        char path[128];
        (void)snprintf(path, sizeof(path), "%s%s", t.database.text, ends[i]);
        (void)unlink(path);
    }
    str_done(&t.database);
    return rmdir(t.folder);
}

static const struct model *model_of(unsigned run)
{
    return runner_model(core_run(t.core, run));
}

/* Starts a run that ends only when it is told to, and waits for its number. */
static unsigned start_run(void)
{
    static const char *const options[] = {"time=1h", NULL};
    const struct order_wish wish = {.test = "selftest.sine",
                                    .target = "dram",
                                    .options = options,
                                    .report_ns = NS_PER_S,
                                    .tick_most_ns = NS_PER_S,
                                    .is_recorded = true};
    struct str why = {0};
    unsigned run = 0;
    if (core_start(t.core, &wish, &run, &why) != 0)
        fail_msg("%s", str_text(&why));
    str_done(&why);
    const uint64_t limit_ns = clock_mono_ns() + LIMIT_NS;
    while (!model_of(run)->run_id) {
        assert_true(clock_mono_ns() < limit_ns);
        assert_true(loop_turn(core_loop(t.core), 100) >= 0);
    }
    return run;
}

static void wait_for_end(unsigned run)
{
    const uint64_t limit_ns = clock_mono_ns() + LIMIT_NS;
    while (!runner_is_over(core_run(t.core, run))) {
        assert_true(clock_mono_ns() < limit_ns);
        assert_true(loop_turn(core_loop(t.core), 100) >= 0);
    }
}

static void ask_to_stop(uint64_t id)
{
    unsigned long long start = 0;
    assert_int_equal(process_start_time(getpid(), &start), 0);
    assert_int_equal(process_tell(getpid(), start, CORE_STOP_SIGNAL, (int)id), 0);
}

static void only_the_run_that_is_named_is_stopped(void **state)
{
    (void)state;
    const unsigned first = start_run(), second = start_run(), third = start_run();
    ask_to_stop(model_of(third)->run_id + 1000); /* none of ours */
    ask_to_stop(model_of(second)->run_id);
    ask_to_stop(model_of(third)->run_id);
    wait_for_end(second);
    wait_for_end(third);
    assert_int_equal(model_of(second)->state, RUN_CANCELLED);
    assert_int_equal(model_of(third)->state, RUN_CANCELLED);
    assert_int_equal(runner_stop_state(core_run(t.core, first)), RUNNER_GOING);
    assert_false(model_of(first)->has_end);
}

static void a_replay_is_not_the_run_it_shows(void **state)
{
    (void)state;
    const unsigned live = start_run();
    char number[32];
    (void)snprintf(number, sizeof(number), "%llu", (unsigned long long)model_of(live)->run_id);
    const char *const arguments[] = {"replay", "--follow", core_database(t.core), number, NULL};
    unsigned replay = 0;
    assert_int_equal(core_replay(t.core, arguments, &replay), 0);
    const uint64_t limit_ns = clock_mono_ns() + LIMIT_NS;
    while (!model_of(replay)->has_start) {
        assert_true(clock_mono_ns() < limit_ns);
        assert_true(loop_turn(core_loop(t.core), 100) >= 0);
    }
    ask_to_stop(model_of(live)->run_id);
    wait_for_end(live);
    wait_for_end(replay);
    assert_int_equal(model_of(replay)->state, RUN_CANCELLED); /* as the record says, not cut off */
}

/* `stop` asks again each second; the run may have ended meanwhile, and its owner with it. */
static void a_late_wish_harms_nobody(void **state)
{
    (void)state;
    t.core = core_close(t.core);
    ask_to_stop(17);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(only_the_run_that_is_named_is_stopped, setup, teardown),
        cmocka_unit_test_setup_teardown(a_replay_is_not_the_run_it_shows, setup, teardown),
        cmocka_unit_test_setup_teardown(a_late_wish_harms_nobody, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
