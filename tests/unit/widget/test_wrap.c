/* wrap: lines break at blanks. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "widget/wrap.h"

static void test_breaks_at_a_blank(void **state)
{
    (void)state;
    assert_int_equal(wrap_size("how dd would do it", 10), strlen("how dd"));
    assert_int_equal(wrap_size("how dd would", 12), strlen("how dd would"));
    assert_int_equal(wrap_size("how dd would", 11), strlen("how dd"));
}

static void test_a_long_word_is_cut(void **state)
{
    (void)state;
    assert_int_equal(wrap_size("abcdefghij", 4), 4);
    assert_int_equal(wrap_size("", 4), 0);
    assert_int_equal(wrap_size("abc", 0), 3); /* no room at all: not broken up, clipped later */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_breaks_at_a_blank),
        cmocka_unit_test(test_a_long_word_is_cut),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
