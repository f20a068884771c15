#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <fcntl.h>
#include <locale.h>
#include <stdlib.h>
#include <string.h>
#include <termios.h>
#include <unistd.h>

#include "terminal/typed.h"

/* The test holds the far end of a terminal. */
struct line {
    int far, near;
};

static int open_line(struct line *line)
{
    char name[64];

    line->far = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
    if (line->far < 0 || grantpt(line->far) < 0 || unlockpt(line->far) < 0 ||
        ptsname_r(line->far, name, sizeof(name)) != 0)
        return -1;
    line->near = open(name, O_RDWR | O_NOCTTY | O_CLOEXEC);
    return line->near;
}

static void close_line(struct line *line)
{
    (void)close(line->near);
    (void)close(line->far);
}

static void type(const struct line *line, const char *bytes)
{
    assert_int_equal(write(line->far, bytes, strlen(bytes)), strlen(bytes));
}

static void assert_typed(const uint32_t *expected, size_t count)
{
    uint32_t character = 0;

    for (size_t i = 0; i < count; i++) {
        assert_true(typed_next(2000, &character));
        assert_int_equal(character, expected[i]);
    }
    assert_false(typed_next(0, &character));
}

static void a_line_s_own_end_is_no_key(void **state)
{
    static const struct {
        const char *bytes;
        uint32_t expected[4];
        size_t count;
    } cases[] = {
        {"j", {'j'}, 1},
        {"\r", {'\r'}, 1},
        {"j\n", {'j'}, 1}, /* a line with one key */
        {"\n", {'\n'}, 1}, /* an empty one */
        {"30\n\n", {'3', '0', '\n'}, 3},
        {"j\r", {'j', '\r'}, 2}, /* keys by themselves */
        {"\r\n", {'\r'}, 1},     /* one Enter in two bytes */
        {"\033\n", {033}, 1},
        {"\x03", {3}, 1},
        {"\x13\x11", {0x13, 0x11}, 2}, /* no flow control of the line */
    };

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct line line;
        if (open_line(&line) < 0)
            skip();
        typed_open(line.near);
        type(&line, cases[i].bytes);
        assert_typed(cases[i].expected, cases[i].count);
        close_line(&line);
    }
}

static void characters_may_come_in_parts(void **state)
{
    static const uint32_t e_acute[] = {0xe9}, after_bad[] = {'a'};
    struct line line;
    uint32_t character;

    (void)state;
    if (!setlocale(LC_CTYPE, "C.UTF-8") || open_line(&line) < 0)
        skip();
    typed_open(line.near);
    type(&line, "\xc3");
    assert_false(typed_next(20, &character));
    type(&line, "\xa9");
    assert_typed(e_acute, 1);
    type(&line, "\xff"
                "a");
    assert_typed(after_bad, 1);
    typed_again('b');
    assert_true(typed_next(0, &character));
    assert_int_equal(character, 'b');
    assert_false(typed_next(0, &character));
    close_line(&line);
}

static void output_is_left_as_it_is(void **state)
{
    struct line line;
    struct termios before, after;

    (void)state;
    if (open_line(&line) < 0)
        skip();
    assert_int_equal(tcgetattr(line.near, &before), 0);
    typed_open(line.near);
    assert_int_equal(tcgetattr(line.near, &after), 0);
    assert_int_equal(after.c_oflag, before.c_oflag);
    assert_int_equal(after.c_lflag & (tcflag_t)(ICANON | ECHO | ISIG), 0);
    close_line(&line);
}

static void the_end_of_the_line_is_no_character(void **state)
{
    struct line line;
    uint32_t character;

    (void)state;
    if (open_line(&line) < 0)
        skip();
    typed_open(line.near);
    (void)close(line.far);
    assert_false(typed_next(1000, &character));
    (void)close(line.near);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_line_s_own_end_is_no_key),
        cmocka_unit_test(characters_may_come_in_parts),
        cmocka_unit_test(output_is_left_as_it_is),
        cmocka_unit_test(the_end_of_the_line_is_no_character),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
