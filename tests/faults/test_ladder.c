/* Workers that do not end by themselves: the owner's ladder, the watchdog's, what is left behind.
 */
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

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/units.h"
#include "drive.h"

static void a_hang_is_killed_after_five_seconds(void **state)
{
    AUTO(drive_done) struct drive drive;
    (void)state;
    drive_init(&drive, "selftest.hang");
    drive_option(&drive, "after", "300ms");
    drive.stop_after_ns = DRIVE_S / 2;
    const struct model *model = drive_run(&drive, 15 * DRIVE_S);
    double took_s = (double)(drive.over_ns - drive.stopped_ns) / 1e9;
    (void)fprintf(stderr, "hang: ended %.2f s after it was asked\n", took_s);
    assert_int_equal(model->state, RUN_CANCELLED);
    assert_int_equal(model->signal, SIGKILL);
    assert_int_equal(drive.deepest, RUNNER_KILLED);
    assert_true(took_s > 4.9 && took_s < 6);
    assert_true(drive.moved == 3 * 4096);
}

/* Closes the line of a worker that hangs, as the death of its owner would. */
static void without_an_owner_the_worker_kills_itself(void **state)
{
    AUTO(drive_done) struct drive drive;
    (void)state;
    drive_init(&drive, "selftest.hang");
    drive_start(&drive);
    drive_turn(&drive, DRIVE_S / 2);
    long pid = drive_child("iodyno-worker");
    assert_true(pid > 0 && drive_lives(pid));
    drive.runner = runner_free(drive.runner);
    uint64_t begun_ns = clock_mono_ns();
    while (drive_lives(pid) && clock_mono_ns() - begun_ns < 10 * DRIVE_S)
        drive_turn(&drive, DRIVE_S / 20);
    double took_s = (double)(clock_mono_ns() - begun_ns) / 1e9;
    (void)fprintf(stderr, "hang without an owner: gone after %.2f s\n", took_s);
    assert_true(took_s < 6);
    assert_int_equal(drive_child("iodyno-worker"), 0); /* and reaped */
}

static void without_an_owner_a_good_test_just_ends(void **state)
{
    AUTO(drive_done) struct drive drive;
    (void)state;
    drive_init(&drive, "selftest.sine");
    drive_option(&drive, "time", "1h");
    drive_start(&drive);
    drive_turn(&drive, DRIVE_S / 2);
    long pid = drive_child("iodyno-worker");
    assert_true(pid > 0);
    drive.runner = runner_free(drive.runner);
    drive_turn(&drive, DRIVE_S);
    assert_false(drive_lives(pid));
}

static void what_a_test_leaves_behind_goes_with_it(void **state)
{
    AUTO(drive_done) struct drive drive;
    uint64_t pid = 0;
    (void)state;
    drive_init(&drive, "selftest.leak");
    drive_option(&drive, "after", "300ms");
    const struct model *model = drive_run(&drive, 10 * DRIVE_S);
    assert_int_equal(model->state, RUN_DONE);
    const char *child = model_fact(model, "child");
    assert_non_null(child);
    assert_int_equal(units_parse_u64(child, &pid), 0);
    drive_turn(&drive, DRIVE_S / 5);
    assert_false(drive_lives((long)pid));
}

static void a_worker_killed_from_outside_has_failed(void **state)
{
    AUTO(drive_done) struct drive drive;
    (void)state;
    drive_init(&drive, "selftest.sine");
    drive_option(&drive, "time", "1h");
    drive_start(&drive);
    drive_turn(&drive, DRIVE_S / 2);
    assert_int_equal(kill((pid_t)drive_child("iodyno-worker"), SIGKILL), 0);
    const struct model *model = drive_wait(&drive, 10 * DRIVE_S);
    assert_int_equal(model->state, RUN_FAILED);
    assert_int_equal(model->signal, SIGKILL);
    assert_non_null(strstr(model->sentence, "killed from outside with signal 9"));
    assert_true(drive.moved > 0);
}

/* The observer frees its runner at the first frame it hears of. */
static void free_at_once(void *user, struct runner *runner, const struct frame *frame)
{
    struct runner **where = user;
    if (frame && *where) {
        (void)runner_free(runner);
        *where = NULL;
    }
}

static void a_runner_may_be_freed_while_it_speaks(void **state)
{
    AUTO(drive_done) struct drive drive;
    struct runner *runner = NULL;
    (void)state;
    drive_init(&drive, "selftest.sine");
    drive_start(&drive); /* a second one beside it, to go on */
    struct frame order = {.type = FRAME_ORDER,
                          .order = {.tick_ns = 100 * NS_PER_MS, .report_ns = 100 * NS_PER_MS},
                          .pairs = drive.pairs.text,
                          .pairs_size = drive.pairs.size};
    struct runner_order plan = {.order = &order, .fn = free_at_once, .user = &runner};
    assert_int_equal(runner_start(drive.loop, &plan, &runner), 0);
    const struct model *model = drive_wait(&drive, 10 * DRIVE_S);
    assert_int_equal(model->state, RUN_DONE);
    assert_null(runner);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_hang_is_killed_after_five_seconds),
        cmocka_unit_test(without_an_owner_the_worker_kills_itself),
        cmocka_unit_test(without_an_owner_a_good_test_just_ends),
        cmocka_unit_test(what_a_test_leaves_behind_goes_with_it),
        cmocka_unit_test(a_worker_killed_from_outside_has_failed),
        cmocka_unit_test(a_runner_may_be_freed_while_it_speaks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
