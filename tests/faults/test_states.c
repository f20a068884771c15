/* Every self-test ends in the state that is its own, and what it said before stays. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/cleanup.h"
#include "drive.h"

static void a_sine_is_done_and_sums_to_its_rate(void **state)
{
    AUTO(drive_done) struct drive drive;
    (void)state;
    drive_init(&drive, "selftest.sine");
    drive_option(&drive, "time", "1s");
    drive_option(&drive, "rate", "50MB");
    const struct model *model = drive_run(&drive, 10 * DRIVE_S);
    assert_int_equal(model->state, RUN_DONE);
    assert_string_equal(model->sentence, "");
    assert_string_equal(model->label, "a label");
    assert_string_equal(model->title, "Sine");
    assert_string_equal(model_option(model, "rate"), "50MB");
    assert_int_equal(model->metric_count, 9); /* three, and the six of the host */
    assert_true(model->metrics[3].about.is_host && model->metrics[4].about.is_host);
    assert_true(drive_result(&drive, "cpu_user") >= 0);
    assert_int_equal((int)drive.samples, 20);
    assert_true(drive_result(&drive, "rate") == drive.moved); /* of one second */
    assert_int_equal(model->done, model->total);
    assert_false(model->is_partial);
}

static void options_without_a_word_have_their_defaults(void **state)
{
    AUTO(drive_done) struct drive drive;
    (void)state;
    drive_init(&drive, "selftest.ramp");
    drive_option(&drive, "time", "200ms");
    const struct model *model = drive_run(&drive, 10 * DRIVE_S);
    assert_int_equal(model->state, RUN_DONE);
    assert_string_equal(model_option(model, "rate"), "100MB");
}

static void a_cancelled_run_keeps_what_it_had(void **state)
{
    AUTO(drive_done) struct drive drive;
    (void)state;
    drive_init(&drive, "selftest.sine");
    drive_option(&drive, "time", "1h");
    drive.stop_after_ns = DRIVE_S / 2;
    const struct model *model = drive_run(&drive, 10 * DRIVE_S);
    assert_int_equal(model->state, RUN_CANCELLED);
    assert_true(drive.over_ns - drive.stopped_ns < DRIVE_S);
    assert_int_equal(drive.deepest, RUNNER_ASKED);
    assert_true(drive.moved > 0 && drive_result(&drive, "rate") > 0);
}

static void a_crash_names_its_signal_and_keeps_intervals(void **state)
{
    AUTO(drive_done) struct drive drive;
    (void)state;
    drive_init(&drive, "selftest.crash");
    drive_option(&drive, "after", "500ms");
    const struct model *model = drive_run(&drive, 10 * DRIVE_S);
    assert_int_equal(model->state, RUN_FAILED);
    assert_int_equal(model->signal, 11);
    assert_string_equal(model->sentence, "the test crashed with signal 11 (Segmentation fault)");
    assert_true(drive.samples == 5 && drive.moved == 5 * 4096);
    assert_non_null(strstr(str_text(&drive.log), "these are my last words"));
}

static void exit_without_a_result_is_told(void **state)
{
    AUTO(drive_done) struct drive drive;
    (void)state;
    drive_init(&drive, "selftest.exit");
    drive_option(&drive, "after", "200ms");
    const struct model *model = drive_run(&drive, 10 * DRIVE_S);
    assert_int_equal(model->state, RUN_FAILED);
    assert_string_equal(model->sentence, "the test ended without a result (exit code 3)");
    assert_int_equal((int)drive.samples, 2);
}

static void a_flood_sums_exactly(void **state)
{
    AUTO(drive_done) struct drive drive;
    (void)state;
    drive_init(&drive, "selftest.flood");
    drive_option(&drive, "lanes", "4");
    const struct model *model = drive_run(&drive, 20 * DRIVE_S);
    assert_int_equal(model->state, RUN_DONE);
    assert_true(drive_result(&drive, "moved") == drive.moved);
    double made = drive_result(&drive, "samples");
    (void)fprintf(stderr, "flood: %.0f samples made, %zu came, %llu merged\n", made, drive.samples,
                  (unsigned long long)model->merged);
    assert_true((double)drive.samples + (double)model->merged == made);
}

static void wide_values_can_all_be_told(void **state)
{
    AUTO(drive_done) struct drive drive;
    double sent = 0, received = 0;
    (void)state;
    drive_init(&drive, "selftest.wide");
    drive_option(&drive, "time", "500ms");
    const struct model *model = drive_run(&drive, 10 * DRIVE_S);
    for (unsigned tick = 0; tick < 5; tick++) {
        for (unsigned lane = 0; lane < 128; lane++) {
            sent += 1000 + 7 * lane + tick;
            received += 1000 + 7 * (lane + 128) + tick;
        }
    }
    assert_int_equal(model->state, RUN_DONE);
    assert_true(drive_result(&drive, "sent") == sent);
    assert_true(drive_result(&drive, "received") == received);
    assert_true(drive.moved == sent);
    assert_int_equal((int)(drive.samples + model->merged), 5 * 256);
    assert_string_equal(model_fact(model, "rule"), "1000 + 7 x lane + tick");
    assert_int_equal((int)drive.events, 1);
}

static void silence_is_called_stalled(void **state)
{
    AUTO(drive_done) struct drive drive;
    (void)state;
    drive_init(&drive, "selftest.silent");
    const struct model *model = drive_run(&drive, 10 * DRIVE_S);
    assert_int_equal(model->state, RUN_DONE);
    assert_int_equal(model->stalls, 1);
    assert_int_equal((int)model->event_count, 1);
    assert_string_equal(model->events[0].code, "stalled");
    assert_true(model->events[0].is_owner);
}

static void chatter_becomes_log_lines(void **state)
{
    AUTO(drive_done) struct drive drive;
    (void)state;
    drive_init(&drive, "selftest.chatter");
    drive_option(&drive, "after", "1500ms");
    const struct model *model = drive_run(&drive, 10 * DRIVE_S);
    const char *log = str_text(&drive.log);
    assert_int_equal(model->state, RUN_DONE);
    assert_non_null(strstr(log, "chatter line 0 ?[31m?\n"));
    assert_non_null(strstr(log, "(136 lines of output left out)"));
    assert_null(strstr(log, "\033"));
    assert_non_null(strstr(log, "and an unfinished one"));
    assert_non_null(strstr(log, "said through the host"));
    assert_int_equal((int)(drive.logs - drive.owner_logs), 1);
    /* 64 in the first second; later one that counts, three pieces of 3000 bytes, the last one */
    assert_int_equal((int)drive.owner_logs, 64 + 1 + 3 + 1);
}

static void a_bad_frame_is_a_protocol_error(void **state)
{
    static const char *const kinds[] = {"garbage", "odd", "huge", "end"};
    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(kinds); i++) {
        AUTO(drive_done) struct drive drive;
        drive_init(&drive, "selftest.bad-frame");
        drive_option(&drive, "what", kinds[i]);
        drive_option(&drive, "after", "100ms");
        const struct model *model = drive_run(&drive, 10 * DRIVE_S);
        assert_int_equal(model->state, RUN_FAILED);
        assert_int_equal(model->code, -EPROTO);
        assert_memory_equal(model->sentence, "protocol error: ", 16);
        assert_int_equal((int)drive.samples, 1);
    }
}

static void a_breach_fails_the_run(void **state)
{
    static const char *const kinds[] = {"metric", "lane",    "total",  "backwards",
                                        "nan",    "overlap", "result", "fact"};
    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(kinds); i++) {
        AUTO(drive_done) struct drive drive;
        drive_init(&drive, "selftest.breach");
        drive_option(&drive, "what", kinds[i]);
        drive_option(&drive, "after", "100ms");
        const struct model *model = drive_run(&drive, 10 * DRIVE_S);
        assert_int_equal(model->state, RUN_FAILED);
        assert_memory_equal(model->sentence, "the plugin broke its contract: ", 31);
        assert_true(drive.moved == 4096);
        assert_non_null(strstr(str_text(&drive.log), "the plugin broke its contract: "));
    }
}

static void an_error_is_explained(void **state)
{
    static const struct {
        const char *code, *sentence;
        unsigned state;
        const char *expected;
    } cases[] = {
        {"5", "the card said no", RUN_FAILED, "the card said no"},
        {"28", NULL, RUN_FAILED, "No space left"},
        {"19", "the card is gone", RUN_REMOVED, "the card is gone"},
    };
    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        AUTO(drive_done) struct drive drive;
        drive_init(&drive, "selftest.fail");
        drive_option(&drive, "after", "100ms");
        drive_option(&drive, "code", cases[i].code);
        if (cases[i].sentence)
            drive_option(&drive, "sentence", cases[i].sentence);
        const struct model *model = drive_run(&drive, 10 * DRIVE_S);
        assert_int_equal(model->state, cases[i].state);
        assert_int_equal(model->code, -atol(cases[i].code));
        assert_non_null(strstr(model->sentence, cases[i].expected));
    }
}

static void what_cannot_run_is_refused_with_a_start(void **state)
{
    static const struct {
        const char *test, *option, *value, *plugin, *expected;
    } cases[] = {
        {"selftest.nothing", NULL, NULL, NULL, "no test selftest.nothing"},
        {"selftest.sine", "frobnicate", "1", NULL, "no option frobnicate"},
        {"selftest.sine", "time", "5parsecs", NULL, "expected"},
        {"selftest.sine", NULL, NULL, "/nowhere/plugin.so", "/nowhere/plugin.so"},
        {"selftest.sine", NULL, NULL, "/etc/passwd", "cannot be loaded"},
    };
    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        AUTO(drive_done) struct drive drive;
        drive_init(&drive, cases[i].test);
        drive.plugin = cases[i].plugin;
        if (cases[i].option)
            drive_option(&drive, cases[i].option, cases[i].value);
        const struct model *model = drive_run(&drive, 10 * DRIVE_S);
        assert_int_equal(model->state, RUN_REFUSED);
        assert_true(model->has_start);
        assert_string_equal(model->test, cases[i].test);
        assert_non_null(strstr(model->sentence, cases[i].expected));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_sine_is_done_and_sums_to_its_rate),
        cmocka_unit_test(options_without_a_word_have_their_defaults),
        cmocka_unit_test(a_cancelled_run_keeps_what_it_had),
        cmocka_unit_test(a_crash_names_its_signal_and_keeps_intervals),
        cmocka_unit_test(exit_without_a_result_is_told),
        cmocka_unit_test(a_flood_sums_exactly),
        cmocka_unit_test(wide_values_can_all_be_told),
        cmocka_unit_test(silence_is_called_stalled),
        cmocka_unit_test(chatter_becomes_log_lines),
        cmocka_unit_test(a_bad_frame_is_a_protocol_error),
        cmocka_unit_test(a_breach_fails_the_run),
        cmocka_unit_test(an_error_is_explained),
        cmocka_unit_test(what_cannot_run_is_refused_with_a_start),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
