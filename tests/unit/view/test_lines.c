/* lines: scrolling stays inside; wrapped text keeps its label once. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "view/lines.h"
#include "widget/list.h"

static void test_scrolling(void **state)
{
    struct lines lines = {.rows = 10};
    (void)state;
    for (int i = 0; i < 25; i++)
        lines_add(&lines, ROLE_TEXT, "x");
    lines_scroll(&lines, LIST_UP);
    assert_int_equal(lines.top, 0);
    lines_scroll(&lines, LIST_PAGE_DOWN);
    assert_int_equal(lines.top, 9);
    lines_scroll(&lines, LIST_LAST);
    assert_int_equal(lines.top, 15);
    lines_scroll(&lines, LIST_DOWN);
    assert_int_equal(lines.top, 15);
    lines_scroll(&lines, LIST_FIRST);
    assert_int_equal(lines.top, 0);
    lines_clear(&lines);
    lines_scroll(&lines, LIST_LAST);
    assert_int_equal(lines.top, 0);
    lines_done(&lines);
}

static void test_wrapping(void **state)
{
    struct lines lines = {0};
    (void)state;
    lines_wrap(&lines, "by hand", ROLE_TEXT, "dd if=/dev/zero of=FILE bs=1M", 20);
    assert_int_equal(lines.count, 2);
    assert_string_equal(lines.items[0].label, "by hand");
    assert_string_equal(lines.items[0].text, "dd if=/dev/zero");
    assert_string_equal(lines.items[1].label, "");
    assert_string_equal(lines.items[1].text, "of=FILE bs=1M");
    lines_wrap(&lines, NULL, ROLE_TEXT, "", 20);
    assert_int_equal(lines.count, 3);
    assert_null(lines.items[2].label);
    lines_done(&lines);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_scrolling),
        cmocka_unit_test(test_wrapping),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
