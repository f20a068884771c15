/* output: printed bytes become lines, so many a second. */
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "run/output.h"

#define NOW_NS (1000 * NS_PER_S)

static void keep(void *user, const char *line)
{
    str_addf(user, "%s|", line);
}

static void push(struct output *output, uint64_t now_ns, const char *text, struct str *said)
{
    output_push(output, now_ns, text, strlen(text), keep, said);
}

static void bytes_become_clean_lines(void **state)
{
    AUTO(output_done) struct output output = {0};
    AUTO(str_done) struct str said = {0};
    (void)state;
    output_open(&output, NOW_NS, keep, &said);
    push(&output, NOW_NS, "one\ntw", &said);
    push(&output, NOW_NS, "o\r\n\n\nthr\tee\033\nhalf", &said);
    assert_string_equal(str_text(&said), "one|two|thr ee?|");
    output_finish(&output, keep, &said);
    assert_string_equal(str_text(&said), "one|two|thr ee?|half|");
    output_finish(&output, keep, &said);
    assert_string_equal(str_text(&said), "one|two|thr ee?|half|");
}

static void a_long_line_becomes_several(void **state)
{
    AUTO(output_done) struct output output = {0};
    AUTO(str_done) struct str said = {0};
    char line[2 * OUTPUT_LINE_MAX + 3];
    (void)state;
    output_open(&output, NOW_NS, keep, &said);
    memset(line, 'x', sizeof(line));
    line[2 * OUTPUT_LINE_MAX] = '\n'; /* exactly two */
    line[2 * OUTPUT_LINE_MAX + 1] = 'y';
    line[2 * OUTPUT_LINE_MAX + 2] = '\n';
    output_push(&output, NOW_NS, line, sizeof(line), keep, &said);
    assert_int_equal(said.size, 2 * (OUTPUT_LINE_MAX + 1) + 2);
    assert_int_equal(said.text[OUTPUT_LINE_MAX], '|');
    assert_true(str_ends(said.text, "x|y|"));
}

static void lines_beyond_the_limit_are_counted(void **state)
{
    AUTO(output_done) struct output output = {0};
    AUTO(str_done) struct str said = {0};
    (void)state;
    output_open(&output, NOW_NS, keep, &said);
    for (unsigned i = 0; i < OUTPUT_LINES_A_SECOND + 7; i++)
        push(&output, NOW_NS + i, "a\n", &said);
    assert_int_equal(said.size, 2 * OUTPUT_LINES_A_SECOND);
    str_clear(&said);
    push(&output, NOW_NS + NS_PER_S - 1, "still too many\n", &said);
    assert_int_equal(said.size, 0);
    push(&output, NOW_NS + NS_PER_S, "b\n", &said);
    assert_string_equal(str_text(&said), "(8 lines of output left out)|b|");
}

static void what_comes_too_early_is_held(void **state)
{
    AUTO(output_done) struct output output = {0};
    AUTO(str_done) struct str said = {0};
    char much[OUTPUT_HELD_MAX];
    (void)state;
    push(&output, NOW_NS, "early\nbi", &said);
    memset(much, 'z', sizeof(much));
    output_push(&output, NOW_NS, much, sizeof(much), keep, &said); /* does not fit any more */
    output_finish(&output, keep, &said);
    assert_int_equal(said.size, 0);
    output_open(&output, NOW_NS, keep, &said);
    push(&output, NOW_NS, "rd\n", &said);
    assert_string_equal(str_text(&said), "(1 line of output left out)|early|bird|");
}

static void a_pipe_is_read_until_its_end(void **state)
{
    AUTO(output_done) struct output output = {0};
    AUTO(str_done) struct str said = {0};
    int ends[2];
    (void)state;
    assert_int_equal(pipe2(ends, O_CLOEXEC | O_NONBLOCK), 0);
    output_open(&output, NOW_NS, keep, &said);
    assert_true(output_read(&output, NOW_NS, ends[0], keep, &said));
    assert_int_equal(write(ends[1], "last words\n", 11), 11);
    (void)close(ends[1]);
    assert_false(output_read(&output, NOW_NS, ends[0], keep, &said));
    assert_string_equal(str_text(&said), "last words|");
    (void)close(ends[0]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bytes_become_clean_lines),
        cmocka_unit_test(a_long_line_becomes_several),
        cmocka_unit_test(lines_beyond_the_limit_are_counted),
        cmocka_unit_test(what_comes_too_early_is_held),
        cmocka_unit_test(a_pipe_is_read_until_its_end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
