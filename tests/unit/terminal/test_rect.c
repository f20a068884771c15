#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "terminal/rect.h"

static void taking_cuts_off_and_leaves_the_rest(void **state)
{
    struct rect area = {2, 3, 20, 40};

    (void)state;
    struct rect top = rect_take_top(&area, 5);
    struct rect right = rect_take_right(&area, 10);
    struct rect bottom = rect_take_bottom(&area, 1);
    struct rect left = rect_take_left(&area, 4);
    assert_memory_equal(&top, (&(struct rect){2, 3, 5, 40}), sizeof(top));
    assert_memory_equal(&right, (&(struct rect){7, 33, 15, 10}), sizeof(right));
    assert_memory_equal(&bottom, (&(struct rect){21, 3, 1, 30}), sizeof(bottom));
    assert_memory_equal(&left, (&(struct rect){7, 3, 14, 4}), sizeof(left));
    assert_memory_equal(&area, (&(struct rect){7, 7, 14, 26}), sizeof(area));
}

static void taking_too_much_takes_all(void **state)
{
    struct rect area = {0, 0, 3, 10};

    (void)state;
    struct rect all = rect_take_bottom(&area, 9);
    assert_int_equal(all.row, 0);
    assert_int_equal(all.rows, 3);
    assert_true(rect_is_empty(area));
    assert_int_equal(rect_take_top(&area, 1).rows, 0);
    assert_int_equal(rect_take_left(&area, -4).columns, 0);
}

static void insetting_ends_at_nothing(void **state)
{
    (void)state;
    struct rect inner = rect_inset((struct rect){1, 1, 5, 5}, 1, 3);
    assert_int_equal(inner.row, 2);
    assert_int_equal(inner.rows, 3);
    assert_int_equal(inner.columns, 0);
    assert_true(rect_is_empty(inner));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(taking_cuts_off_and_leaves_the_rest),
        cmocka_unit_test(taking_too_much_takes_all),
        cmocka_unit_test(insetting_ends_at_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
