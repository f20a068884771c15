/* line: typing, moving and cutting by whole characters; the bound. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "terminal/keys.h"
#include "widget/line.h"

static void press(struct line *line, const int *keys)
{
    for (; *keys; keys++)
        assert_true(line_key(line, *keys));
}

static void test_typing_at_the_cursor(void **state)
{
    struct line line = {0};
    (void)state;
    press(&line, (const int[]){'5', '0', 'M', KEY_CODE_LEFT, '0', 0});
    assert_string_equal(line.text, "500M");
    assert_int_equal(line.cursor, 3);
    press(&line, (const int[]){KEY_CODE_HOME, KEY_CODE_DELETE, '6', KEY_CODE_END, 'x', 0});
    assert_string_equal(line.text, "600Mx");
    press(&line, (const int[]){KEY_CODE_BACKSPACE, KEY_CODE_BACKSPACE, 0});
    assert_string_equal(line.text, "600");
}

static void test_characters_stay_whole(void **state)
{
    struct line line = {0};
    (void)state;
    press(&line, (const int[]){'a', 0xe4, 0x20ac, 0x1f600, 0});
    assert_string_equal(line.text, "a\xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80");
    press(&line, (const int[]){KEY_CODE_LEFT, KEY_CODE_LEFT, KEY_CODE_BACKSPACE, 0});
    assert_string_equal(line.text, "a\xe2\x82\xac\xf0\x9f\x98\x80");
    press(&line, (const int[]){KEY_CODE_DELETE, 0});
    assert_string_equal(line.text, "a\xf0\x9f\x98\x80");
    assert_int_equal(line.size, 5);
}

static void test_edges_do_nothing(void **state)
{
    struct line line = {0};
    (void)state;
    press(&line,
          (const int[]){KEY_CODE_BACKSPACE, KEY_CODE_DELETE, KEY_CODE_LEFT, KEY_CODE_RIGHT, 0});
    assert_string_equal(line.text, "");
    assert_false(line_key(&line, KEY_CODE_ENTER));
    assert_false(line_key(&line, 0x1b));
    assert_false(line_key(&line, 0xd800));
    assert_int_equal(line.size, 0);
}

static void test_the_bound(void **state)
{
    struct line line = {0};
    (void)state;
    for (int i = 0; i < 2 * LINE_MAX_BYTES; i++)
        assert_true(line_key(&line, 'x'));
    assert_int_equal(line.size, LINE_MAX_BYTES - 1);
    assert_int_equal(strlen(line.text), LINE_MAX_BYTES - 1);

    char text[LINE_MAX_BYTES + 8];
    memset(text, 'y', sizeof text);
    memcpy(text + LINE_MAX_BYTES - 2, "\xe2\x82\xac", 4); /* would be cut in the middle */
    line_set(&line, text);
    assert_int_equal(line.size, LINE_MAX_BYTES - 2);
    assert_int_equal(line.text[line.size - 1], 'y');
    line_key(&line, 0x15);
    assert_string_equal(line.text, "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_typing_at_the_cursor),
        cmocka_unit_test(test_characters_stay_whole),
        cmocka_unit_test(test_edges_do_nothing),
        cmocka_unit_test(test_the_bound),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
