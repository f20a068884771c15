/* list: moving over rows that cannot be selected, scrolling, shrinking. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "widget/list.h"

static bool is_even(const void *user, int index)
{
    (void)user;
    return index % 2 == 0;
}

static bool is_none(const void *user, int index)
{
    (void)user;
    (void)index;
    return false;
}

static void test_moves_stay_inside(void **state)
{
    struct list list = {0};
    (void)state;
    list_set_count(&list, 3);
    assert_int_equal(list.selected, 0);
    assert_true(list_move(&list, LIST_UP));
    assert_int_equal(list.selected, 0);
    assert_true(list_move(&list, LIST_LAST));
    assert_int_equal(list.selected, 2);
    assert_true(list_move(&list, LIST_DOWN));
    assert_int_equal(list.selected, 2);
    assert_true(list_move(&list, LIST_FIRST));
    assert_int_equal(list.selected, 0);
    assert_false(list_move(&list, 1));
    assert_false(list_move(&list, -1));
}

static void test_headings_are_passed_over(void **state)
{
    struct list list = {.is_selectable = is_even};
    (void)state;
    list_set_count(&list, 6); /* 0 2 4 */
    list_move(&list, LIST_DOWN);
    assert_int_equal(list.selected, 2);
    list_move(&list, LIST_LAST);
    assert_int_equal(list.selected, 4);
    list_move(&list, LIST_DOWN);
    assert_int_equal(list.selected, 4);
    list_select(&list, 3);
    assert_int_equal(list.selected, 4);
    list_select(&list, 5);
    assert_int_equal(list.selected, 4);
    list_move(&list, LIST_UP);
    assert_int_equal(list.selected, 2);
}

static void test_nothing_to_select(void **state)
{
    struct list list = {.is_selectable = is_none};
    (void)state;
    list_set_count(&list, 4);
    assert_int_equal(list.selected, -1);
    assert_true(list_move(&list, LIST_DOWN));
    assert_int_equal(list.selected, -1);
    list_show(&list, 2);
    assert_int_equal(list.top, 0);
    list_set_count(&list, 0);
    assert_int_equal(list.selected, -1);
}

static void test_scrolling_keeps_the_selection_in_view(void **state)
{
    struct list list = {0};
    (void)state;
    list_set_count(&list, 100);
    list_show(&list, 10);
    assert_int_equal(list.top, 0);
    list_select(&list, 50);
    list_show(&list, 10);
    assert_int_equal(list.top, 41);
    list_select(&list, 45);
    list_show(&list, 10);
    assert_int_equal(list.top, 41);
    list_move(&list, LIST_PAGE_UP);
    assert_int_equal(list.selected, 36);
    list_show(&list, 10);
    assert_int_equal(list.top, 36);
    list_move(&list, LIST_LAST);
    list_show(&list, 10);
    assert_int_equal(list.top, 90);
    list_show(&list, 200);
    assert_int_equal(list.top, 0);
}

static void test_a_heading_is_shown_with_its_first_row(void **state)
{
    struct list list = {.is_selectable = is_even, .top = 5};
    (void)state;
    list_set_count(&list, 20);
    list_select(&list, 4);
    list_show(&list, 6);
    assert_int_equal(list.top, 3);
}

static void test_a_shrinking_list(void **state)
{
    struct list list = {0};
    (void)state;
    list_set_count(&list, 10);
    list_select(&list, 9);
    list_set_count(&list, 3);
    assert_int_equal(list.selected, 2);
    list_show(&list, 5);
    assert_int_equal(list.top, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_moves_stay_inside),
        cmocka_unit_test(test_headings_are_passed_over),
        cmocka_unit_test(test_nothing_to_select),
        cmocka_unit_test(test_scrolling_keeps_the_selection_in_view),
        cmocka_unit_test(test_a_heading_is_shown_with_its_first_row),
        cmocka_unit_test(test_a_shrinking_list),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
