/* log: one line at a time, to the sink the program chose. */
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/log.h"
#include "iodyno/plugin.h"

static int ends[2];

static int setup(void **state)
{
    (void)state;
    return pipe2(ends, O_CLOEXEC | O_NONBLOCK);
}

static int teardown(void **state)
{
    (void)state;
    (void)close(ends[0]);
    (void)close(ends[1]);
    log_open(-1, LOG_WARNING, "test");
    return 0;
}

static void said(const char *wanted)
{
    char text[256] = "";
    const ssize_t size = read(ends[0], text, sizeof(text) - 1);

    assert_string_equal(size > 0 ? text : "", wanted);
}

static void a_line_names_program_and_level(void **state)
{
    (void)state;
    log_open(ends[1], LOG_INFO, "iodyno-worker");
    log_say(LOG_ERROR, "cannot open %s", "a");
    said("iodyno-worker: error: cannot open a\n");
    log_say(LOG_INFO, "on the level");
    said("iodyno-worker: info: on the level\n");
}

static void lines_below_the_level_are_dropped(void **state)
{
    (void)state;
    log_open(ends[1], LOG_WARNING, "a");
    log_say(LOG_INFO, "quiet");
    said("");
    log_open(-1, LOG_DEBUG, "a");
    log_say(LOG_ERROR, "nowhere");
    said("");
}

static void foreign_text_cannot_forge_a_line(void **state)
{
    (void)state;
    log_open(ends[1], LOG_WARNING, "a");
    log_say(LOG_WARNING, "%s", "one\nb: error: two\x1b[2J");
    said("a: warning: one?b: error: two?[2J\n");
}

static void levels_are_those_of_plugins(void **state)
{
    (void)state;
    assert_int_equal(LOG_DEBUG, DYNO_DEBUG);
    assert_int_equal(LOG_ERROR, DYNO_ERROR);
    assert_string_equal(log_level_name(DYNO_WARNING), "warning");
    assert_string_equal(log_level_name(0), "unknown");
    assert_string_equal(log_level_name(99), "unknown");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_line_names_program_and_level, setup, teardown),
        cmocka_unit_test_setup_teardown(lines_below_the_level_are_dropped, setup, teardown),
        cmocka_unit_test_setup_teardown(foreign_text_cannot_forge_a_line, setup, teardown),
        cmocka_unit_test(levels_are_those_of_plugins),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
