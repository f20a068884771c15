#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "pseudo.h"
#include "terminal/canvas.h"

static struct pseudo pseudo;

static int open_full(void **state)
{
    (void)state;
    return pseudo_open(&pseudo, 4, 12, "xterm-256color", "eighths");
}

static int open_ascii(void **state)
{
    (void)state;
    return pseudo_open(&pseudo, 4, 30, "xterm-256color", "ascii");
}

static int close_it(void **state)
{
    (void)state;
    pseudo_close(&pseudo);
    return 0;
}

static void assert_screen(const char *expected)
{
    canvas_end();
    char *got = canvas_dump();
    assert_string_equal(got, expected);
    free(got);
}

static void text_is_clipped_on_all_sides(void **state)
{
    (void)state;
    canvas_begin();
    assert_int_equal(canvas_text(0, 8, 99, ROLE_TEXT, "abcdefgh"), 4);
    assert_int_equal(canvas_text(1, 0, 3, ROLE_TEXT, "abcdefgh"), 3);
    (void)canvas_text(2, -3, 8, ROLE_TEXT, "abcdefgh");
    assert_int_equal(canvas_text(9, 0, 8, ROLE_TEXT, "abc"), 0);
    assert_int_equal(canvas_text(-1, 0, 8, ROLE_TEXT, "abc"), 0);
    assert_int_equal(canvas_text(3, 11, 2, ROLE_TEXT, "z!"), 1);
    assert_int_equal(canvas_text(3, 40, 2, ROLE_TEXT, "z!"), 0);
    assert_int_equal(canvas_text(3, 0, -2, ROLE_TEXT, "z!"), 0);
    assert_screen("        abcd\nabc\ndefgh\n           z\n");
}

static void a_wide_character_is_whole_or_absent(void **state)
{
    (void)state;
    canvas_begin();
    assert_int_equal(canvas_width("漢字"), 4);
    (void)canvas_text(0, 0, 3, ROLE_TEXT, "漢字");
    (void)canvas_text(1, 9, 99, ROLE_TEXT, "漢字");
    (void)canvas_text(2, 0, 9, ROLE_TEXT, "e\xcc\x81!");
    assert_int_equal(canvas_width("e\xcc\x81!"), 2);
    assert_screen("漢\n         漢\ne\xcc\x81!\n\n");
}

static void foreign_bytes_cannot_move_what_stands_there(void **state)
{
    (void)state;
    canvas_begin();
    (void)canvas_text(0, 0, 12, ROLE_TEXT, "a\033[2Jb\n");
    (void)canvas_text(1, 0, 12, ROLE_TEXT, "\xff\xc3(\xe2\x80\xae<");
    (void)canvas_text(2, 0, 12, ROLE_TEXT,
                      "a\xc2\x9b\xe2\x80\x8b"
                      "b");
    assert_screen("a?[2Jb?\n?"
                  "?(<\na?b\n\n");
}

static void right_text_ends_at_the_edge(void **state)
{
    (void)state;
    canvas_begin();
    canvas_text_right(0, 0, 12, ROLE_TEXT, "67.1");
    canvas_text_right(1, 2, 4, ROLE_TEXT, "123456");
    canvas_fill(2, 1, 5, ROLE_TEXT, 0, "ab");
    canvas_rule(3, 0, 99);
    assert_screen("        67.1\n  1234\n ababa\n────────────\n");
}

static void ascii_shows_no_byte_above_127(void **state)
{
    (void)state;
    canvas_begin();
    (void)canvas_text(0, 0, 30, ROLE_TEXT, "› 0.9 ± 0.4 ms · 512 … 64M ×2");
    (void)canvas_text(1, 0, 30, ROLE_TEXT, "←→ ‹ü› 漢");
    canvas_rule(2, 0, 3);
    assert_int_equal(canvas_width("…"), 3);
    assert_screen("> 0.9 +- 0.4 ms - 512 ... 64M\n<> <?> ?\n---\n\n");
}

static void nothing_is_drawn_without_a_terminal(void **state)
{
    (void)state;
    canvas_begin();
    assert_int_equal(canvas_text(0, 0, 10, ROLE_TEXT, "abc"), 0);
    canvas_fill(0, 0, 5, ROLE_TEXT, 0, "");
    canvas_highlight(0, 0, 5, ROLE_SELECT);
    canvas_end();
    assert_true(rect_is_empty(canvas_area()));
    char *got = canvas_dump();
    assert_string_equal(got, "");
    free(got);
    assert_int_equal(canvas_width("abc"), 3);
}

static int no_terminal(void **state)
{
    (void)state;
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(nothing_is_drawn_without_a_terminal, no_terminal, NULL),
        cmocka_unit_test_setup_teardown(text_is_clipped_on_all_sides, open_full, close_it),
        cmocka_unit_test_setup_teardown(a_wide_character_is_whole_or_absent, open_full, close_it),
        cmocka_unit_test_setup_teardown(foreign_bytes_cannot_move_what_stands_there, open_full,
                                        close_it),
        cmocka_unit_test_setup_teardown(right_text_ends_at_the_edge, open_full, close_it),
        cmocka_unit_test_setup_teardown(ascii_shows_no_byte_above_127, open_ascii, close_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
