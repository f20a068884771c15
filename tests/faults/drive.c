#include "drive.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/places.h"
#include "base/units.h"

static void on_frame(void *user, struct runner *runner, const struct frame *frame)
{
    struct drive *drive = user;
    if (runner_stop_state(runner) > drive->deepest && runner_stop_state(runner) != RUNNER_OVER)
        drive->deepest = runner_stop_state(runner);
    if (!frame)
        return;
    drive->frames++;
    if (frame->type == FRAME_SAMPLE) {
        drive->samples++;
        drive->moved += frame->sample.metric == 0 ? frame->sample.value : 0;
    } else if (frame->type == FRAME_LOG) {
        drive->logs++;
        drive->owner_logs += (frame->flags & FRAME_OWNER) != 0;
        str_addf(&drive->log, "%s\n", frame_pair(frame, "text"));
    } else if (frame->type == FRAME_EVENT) {
        drive->events++;
    } else if (frame->type == FRAME_END) {
        drive->ended_ns = clock_mono_ns();
    }
}

static void on_stop(void *user)
{
    struct drive *drive = user;
    drive->stopped_ns = clock_mono_ns();
    runner_stop(drive->runner);
}

void drive_init(struct drive *drive, const char *test)
{
    *drive = (struct drive){.tick_ns = 100 * NS_PER_MS};
    assert_int_equal(loop_new(&drive->loop), 0);
    str_add_pair(&drive->pairs, "test", test);
    str_add_pair(&drive->pairs, "target.kind", "mem");
    str_add_pair(&drive->pairs, "target.id", "dram");
    str_add_pair(&drive->pairs, "target.path", "");
    str_add_pair(&drive->pairs, "label", "a label");
}

void drive_option(struct drive *drive, const char *key, const char *value)
{
    AUTO(str_done) struct str name = {0};
    str_addf(&name, "option.%s", key);
    str_add_pair(&drive->pairs, name.text, value);
}

static void add_plugin(struct drive *drive)
{
    AUTO(str_done) struct str folders = {0};
    AUTO(str_done) struct str path = {0};
    assert_int_equal(places_plugins(&folders), 0);
    str_addf(&path, "%s/selftest.so", folders.text);
    str_add_pair(&drive->pairs, "plugin", drive->plugin ? drive->plugin : path.text);
}

void drive_start(struct drive *drive)
{
    add_plugin(drive);
    struct frame order = {.type = FRAME_ORDER,
                          .order = {.tick_ns = drive->tick_ns, .report_ns = drive->tick_ns},
                          .pairs = drive->pairs.text,
                          .pairs_size = drive->pairs.size};
    struct runner_order plan = {
        .order = &order, .database = drive->database, .fn = on_frame, .user = drive};
    assert_int_equal(runner_start(drive->loop, &plan, &drive->runner), 0);
    drive->begun_ns = clock_mono_ns();
    if (drive->stop_after_ns)
        assert_int_equal(loop_add_timer(drive->loop, drive->stop_after_ns, 0, on_stop, drive,
                                        &drive->stop_timer),
                         0);
}

const struct model *drive_wait(struct drive *drive, uint64_t limit_ns)
{
    while (!runner_is_over(drive->runner)) {
        if (clock_mono_ns() - drive->begun_ns > limit_ns)
            fail_msg("the run is not over after %.1f s", (double)limit_ns / 1e9);
        assert_true(loop_turn(drive->loop, 100) >= 0);
    }
    drive->over_ns = clock_mono_ns();
    const struct model *model = runner_model(drive->runner);
    (void)fprintf(stderr, "%s: %s%s%s; %zu frames, %.2f s\n", model->test ? model->test : "?",
                  run_state_name(model->state), model->sentence && *model->sentence ? ": " : "",
                  model->sentence ? model->sentence : "", drive->frames,
                  (double)(drive->over_ns - drive->begun_ns) / 1e9);
    return model;
}

const struct model *drive_run(struct drive *drive, uint64_t limit_ns)
{
    drive_start(drive);
    return drive_wait(drive, limit_ns);
}

void drive_done(struct drive *drive)
{
    drive->stop_timer = loop_timer_remove(drive->stop_timer);
    drive->runner = runner_free(drive->runner);
    drive->loop = loop_free(drive->loop);
    str_done(&drive->pairs);
    str_done(&drive->log);
}

double drive_result(const struct drive *drive, const char *key)
{
    double value = -1;
    assert_int_equal(model_result(runner_model(drive->runner), key, &value), 0);
    return value;
}

bool drive_lives(long pid)
{
    AUTO(str_done) struct str stat = {0};
    char path[64];
    (void)snprintf(path, sizeof(path), "/proc/%ld/stat", pid);
    if (file_read(path, 4096, &stat) < 0)
        return false;
    const char *state = strrchr(str_text(&stat), ')');
    return state && state[1] && state[2] != 'Z';
}

long drive_child(const char *name)
{
    AUTO(str_done) struct str list = {0};
    char path[64], comm[64];
    (void)snprintf(path, sizeof(path), "/proc/self/task/%ld/children", (long)getpid());
    assert_int_equal(file_read(path, 65536, &list), 0);
    char *save = NULL;
    if (list.size == 0)
        return 0;
    for (char *word = strtok_r(list.text, " ", &save); word; word = strtok_r(NULL, " ", &save)) {
        AUTO(str_done) struct str text = {0};
        uint64_t pid;
        assert_int_equal(units_parse_u64(word, &pid), 0);
        (void)snprintf(path, sizeof(path), "/proc/%s/comm", word);
        if (file_read(path, sizeof(comm), &text) == 0 && str_starts(text.text, name))
            return (long)pid;
    }
    return 0;
}

void drive_turn(struct drive *drive, uint64_t for_ns)
{
    uint64_t until_ns = clock_mono_ns() + for_ns;
    for (uint64_t now_ns = clock_mono_ns(); now_ns < until_ns; now_ns = clock_mono_ns())
        assert_true(loop_turn(drive->loop, (int)((until_ns - now_ns) / NS_PER_MS) + 1) >= 0);
}
