/* The record: all frames reach the store, come back the same, and a store that fails is said. */
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
#include "drive.h"

static char folder[] = "/tmp/iodyno-record-XXXXXX";

static int make_folder(void **state)
{
    (void)state;
    return mkdtemp(folder) ? 0 : -1;
}

static int remove_folder(void **state)
{
    static const char *const names[] = {"results.db", "results.db-wal", "results.db-shm"};
    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
        AUTO(str_done) struct str path = {0};
        str_addf(&path, "%s/%s", folder, names[i]);
        (void)unlink(path.text);
    }
    return rmdir(folder);
}

struct replayed {
    double moved;
    size_t samples, owner_frames;
};

static void on_replayed(void *user, struct runner *runner, const struct frame *frame)
{
    struct replayed *replayed = user;
    (void)runner;
    if (!frame)
        return;
    replayed->owner_frames += (frame->flags & FRAME_OWNER) != 0;
    if (frame->type == FRAME_SAMPLE) {
        replayed->samples++;
        replayed->moved += frame->sample.metric == 0 ? frame->sample.value : 0;
    }
}

static const struct model *replay(struct loop *loop, const char *what, const char *database,
                                  struct replayed *replayed, struct runner **ret_runner)
{
    const char *const argv[] = {"replay", database, what, NULL};
    assert_int_equal(runner_replay(loop, argv, on_replayed, replayed, ret_runner), 0);
    for (int turns = 0; turns < 1000 && !runner_is_over(*ret_runner); turns++)
        assert_true(loop_turn(loop, 100) >= 0);
    assert_true(runner_is_over(*ret_runner));
    return runner_model(*ret_runner);
}

static void a_run_comes_back_as_it_was(void **state)
{
    AUTO(drive_done) struct drive drive;
    AUTO(str_done) struct str database = {0};
    AUTO(str_done) struct str number = {0};
    struct replayed replayed = {0};
    struct runner *runner = NULL;
    (void)state;
    str_addf(&database, "%s/results.db", folder);
    drive_init(&drive, "selftest.crash");
    drive.database = database.text;
    const struct model *model = drive_run(&drive, 20 * DRIVE_S);
    assert_int_equal(runner_record_state(drive.runner), RUNNER_RECORDING);
    assert_true(model->run_id > 0);
    str_addf(&number, "%llu", (unsigned long long)model->run_id);
    const struct model *again = replay(drive.loop, number.text, database.text, &replayed, &runner);
    assert_int_equal(again->state, RUN_FAILED);
    assert_string_equal(again->sentence, model->sentence);
    assert_string_equal(again->test, model->test);
    assert_int_equal((int)replayed.samples, (int)drive.samples);
    assert_true(replayed.moved == drive.moved);
    assert_true(replayed.owner_frames >= 2); /* last words and the end */
    (void)runner_free(runner);
}

static void a_flood_is_recorded_to_the_last_byte(void **state)
{
    AUTO(drive_done) struct drive drive;
    AUTO(str_done) struct str database = {0};
    AUTO(str_done) struct str number = {0};
    struct replayed replayed = {0};
    struct runner *runner = NULL;
    (void)state;
    str_addf(&database, "%s/results.db", folder);
    drive_init(&drive, "selftest.flood");
    drive_option(&drive, "time", "300ms");
    drive.database = database.text;
    const struct model *model = drive_run(&drive, 20 * DRIVE_S);
    assert_int_equal(runner_record_state(drive.runner), RUNNER_RECORDING);
    str_addf(&number, "%llu", (unsigned long long)model->run_id);
    const struct model *again = replay(drive.loop, number.text, database.text, &replayed, &runner);
    assert_int_equal(again->state, RUN_DONE);
    assert_int_equal((int)replayed.samples, (int)drive.samples);
    assert_true(replayed.moved == drive_result(&drive, "moved"));
    (void)runner_free(runner);
}

static void what_is_not_there_cannot_be_replayed(void **state)
{
    AUTO(drive_done) struct drive drive;
    AUTO(str_done) struct str database = {0};
    struct replayed replayed = {0};
    struct runner *runner = NULL;
    (void)state;
    str_addf(&database, "%s/results.db", folder);
    drive_init(&drive, "none");
    const struct model *model = replay(drive.loop, "99999", database.text, &replayed, &runner);
    (void)fprintf(stderr, "replay of nothing: %s\n", model->sentence);
    assert_int_equal(model->state, RUN_FAILED);
    assert_true(model->sentence[0] != '\0');
    (void)runner_free(runner);
}

static void a_database_that_cannot_be_written_is_said(void **state)
{
    AUTO(drive_done) struct drive drive;
    (void)state;
    drive_init(&drive, "selftest.sine");
    drive_option(&drive, "time", "500ms");
    drive.database = "/proc/no/such/place/results.db";
    const struct model *model = drive_run(&drive, 20 * DRIVE_S);
    assert_int_equal(model->state, RUN_DONE);
    assert_int_equal(runner_record_state(drive.runner), RUNNER_NOT_RECORDED);
    (void)fprintf(stderr, "not recorded: %s\n", runner_record_text(drive.runner));
    assert_true(runner_record_text(drive.runner)[0] != '\0');
    assert_int_equal((int)model->run_id, 0);
}

static void a_store_that_does_not_read_ends_the_record(void **state)
{
    AUTO(drive_done) struct drive drive;
    AUTO(str_done) struct str database = {0};
    (void)state;
    str_addf(&database, "%s/results.db", folder);
    drive_init(&drive, "selftest.flood");
    drive_option(&drive, "time", "3s");
    drive_option(&drive, "lanes", "4");
    drive.database = database.text;
    drive_start(&drive);
    drive_turn(&drive, DRIVE_S / 20);
    long store = drive_child("iodyno-store");
    assert_true(store > 0);
    assert_int_equal(kill((pid_t)store, SIGSTOP), 0);
    const struct model *model = drive_wait(&drive, 20 * DRIVE_S);
    (void)kill((pid_t)store, SIGCONT);
    assert_int_equal(model->state, RUN_DONE);
    assert_true(drive_result(&drive, "moved") == drive.moved);
    assert_true(drive.over_ns - drive.begun_ns < 5 * DRIVE_S); /* nobody waited */
    assert_int_equal(runner_record_state(drive.runner), RUNNER_NOT_RECORDED);
    assert_string_equal(runner_record_text(drive.runner),
                        "the disk of the record could not keep up with the run");
    drive_turn(&drive, DRIVE_S / 2);
    assert_int_equal(drive_child("iodyno-store"), 0);
}

static void a_store_that_stops_at_the_end_is_not_waited_for(void **state)
{
    AUTO(drive_done) struct drive drive;
    AUTO(str_done) struct str database = {0};
    (void)state;
    str_addf(&database, "%s/results.db", folder);
    drive_init(&drive, "selftest.sine");
    drive_option(&drive, "time", "500ms");
    drive.database = database.text;
    drive_start(&drive);
    drive_turn(&drive, DRIVE_S / 5);
    long store = drive_child("iodyno-store");
    assert_int_equal(kill((pid_t)store, SIGSTOP), 0);
    const struct model *model = drive_wait(&drive, 20 * DRIVE_S);
    (void)kill((pid_t)store, SIGCONT);
    double waited_s = (double)(drive.over_ns - drive.ended_ns) / 1e9;
    assert_int_equal(model->state, RUN_DONE);
    assert_true(waited_s > 1.9 && waited_s < 3);
    drive_turn(&drive, DRIVE_S); /* it has all frames and finishes the record */
    assert_int_equal(drive_child("iodyno-store"), 0);
}

static void a_store_that_is_killed_is_said(void **state)
{
    AUTO(drive_done) struct drive drive;
    AUTO(str_done) struct str database = {0};
    (void)state;
    str_addf(&database, "%s/results.db", folder);
    drive_init(&drive, "selftest.sine");
    drive_option(&drive, "time", "500ms");
    drive.database = database.text;
    drive_start(&drive);
    drive_turn(&drive, DRIVE_S / 5);
    assert_int_equal(kill((pid_t)drive_child("iodyno-store"), SIGKILL), 0);
    const struct model *model = drive_wait(&drive, 20 * DRIVE_S);
    assert_int_equal(model->state, RUN_DONE);
    assert_int_equal(runner_record_state(drive.runner), RUNNER_NOT_RECORDED);
    assert_string_equal(runner_record_text(drive.runner), "iodyno-store crashed");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_run_comes_back_as_it_was),
        cmocka_unit_test(a_flood_is_recorded_to_the_last_byte),
        cmocka_unit_test(what_is_not_there_cannot_be_replayed),
        cmocka_unit_test(a_database_that_cannot_be_written_is_said),
        cmocka_unit_test(a_store_that_does_not_read_ends_the_record),
        cmocka_unit_test(a_store_that_stops_at_the_end_is_not_waited_for),
        cmocka_unit_test(a_store_that_is_killed_is_said),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
