#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>
#include <termios.h>
#include <unistd.h>

#include "pseudo.h"
#include "terminal/glyph.h"

static void the_name_of_the_terminal_decides_on_a_pseudo_terminal(void **state)
{
    static const struct {
        const char *term;
        enum glyph_tier tier;
    } cases[] = {
        {"xterm-256color", GLYPH_EIGHTHS},
        {"xterm", GLYPH_EIGHTHS},
        {"screen", GLYPH_EIGHTHS},
        {"tmux-256color", GLYPH_EIGHTHS},
        {"foot", GLYPH_EIGHTHS},
        {"putty", GLYPH_HALVES},
        {"linux", GLYPH_SHADES},
        {"vt100", GLYPH_ASCII},
        {"vt220", GLYPH_ASCII},
        {"ansi", GLYPH_ASCII},
        {"dumb", GLYPH_ASCII},
        {"", GLYPH_ASCII},
        {"no-such-terminal", GLYPH_ASCII},
    };
    struct pseudo pseudo = {0};

    (void)state;
    if (pseudo_begin(&pseudo, 24, 80) < 0)
        skip();
    enum glyph_tier got[sizeof(cases) / sizeof(cases[0])];
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
        got[i] = glyph_choose(STDOUT_FILENO, cases[i].term, true);
    enum glyph_tier without = glyph_choose(STDOUT_FILENO, "xterm-256color", false);
    enum glyph_tier unnamed = glyph_choose(STDOUT_FILENO, NULL, true);
    pseudo_end(&pseudo);
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
        assert_int_equal(got[i], cases[i].tier);
    assert_int_equal(without, GLYPH_ASCII);
    assert_int_equal(unnamed, GLYPH_ASCII);
}

/* Pseudo-terminals say 38400 by default and mean nothing by it. */
static void a_slow_pseudo_terminal_is_no_serial_line(void **state)
{
    struct pseudo pseudo = {0};
    struct termios modes;

    (void)state;
    if (pseudo_begin(&pseudo, 24, 80) < 0)
        skip();
    (void)tcgetattr(STDOUT_FILENO, &modes);
    (void)cfsetspeed(&modes, B9600);
    (void)tcsetattr(STDOUT_FILENO, TCSANOW, &modes);
    bool by_speed = glyph_is_serial(STDOUT_FILENO, "xterm");
    bool by_name = glyph_is_serial(STDOUT_FILENO, "vt220");
    pseudo_end(&pseudo);
    assert_false(by_speed);
    assert_true(by_name);
}

static void a_console_without_an_answer_has_what_all_have(void **state)
{
    struct glyph_map map;
    struct pseudo pseudo = {0};

    (void)state;
    if (pseudo_begin(&pseudo, 24, 80) < 0)
        skip();
    glyph_map_read(STDOUT_FILENO, "linux", &map);
    pseudo_end(&pseudo);
    assert_true(map.is_known);
    assert_true(glyph_map_has(&map, 0x2588));
    assert_true(glyph_map_has(&map, 'A'));
    assert_false(glyph_map_has(&map, 0x2584)); /* half block */
    assert_false(glyph_map_has(&map, 0x203a));
    assert_false(glyph_map_has(&map, 0x1f600));
    glyph_map_read(STDOUT_FILENO, "xterm", &map);
    assert_false(map.is_known);
    assert_true(glyph_map_has(&map, 0x1f600));
}

/* A real console, where one is at hand: what is chosen must be within what the font has. */
static void a_real_console_is_asked_for_its_font(void **state)
{
    struct glyph_map map;
    int fd = open("/dev/tty63", O_RDWR | O_NOCTTY | O_CLOEXEC);

    (void)state;
    if (fd < 0)
        skip();
    glyph_map_read(fd, "linux", &map);
    enum glyph_tier tier = glyph_choose(fd, "linux", true);
    (void)close(fd);
    assert_true(map.is_known);
    for (int eighths = 1; eighths <= 8 && tier != GLYPH_ASCII; eighths++) {
        assert_true(tier != GLYPH_EIGHTHS || glyph_map_has(&map, 0x2580u + (unsigned)eighths));
    }
    if (tier >= GLYPH_SHADES)
        assert_true(glyph_map_has(&map, 0x2592));
    if (tier >= GLYPH_HALVES)
        assert_true(glyph_map_has(&map, 0x2584));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_name_of_the_terminal_decides_on_a_pseudo_terminal),
        cmocka_unit_test(a_slow_pseudo_terminal_is_no_serial_line),
        cmocka_unit_test(a_console_without_an_answer_has_what_all_have),
        cmocka_unit_test(a_real_console_is_asked_for_its_font),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
