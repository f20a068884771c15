/* stack: the lowest screen stays; the bound. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "screen/stack.h"

static void test_push_and_pop(void **state)
{
    struct stack stack = {0};
    struct stack_entry entry = {0};
    int a, b;
    (void)state;
    assert_null(stack_top(&stack));
    assert_false(stack_pop(&stack, &entry));
    assert_true(stack_push(&stack, 0, &a));
    assert_true(stack_push(&stack, 3, &b));
    assert_int_equal(stack_top(&stack)->screen, 3);
    assert_true(stack_pop(&stack, &entry));
    assert_int_equal(entry.screen, 3);
    assert_ptr_equal(entry.state, &b);
    assert_false(stack_pop(&stack, &entry));
    assert_ptr_equal(stack_top(&stack)->state, &a);
}

static void test_the_bound(void **state)
{
    struct stack stack = {0};
    (void)state;
    for (int i = 0; i < STACK_MAX; i++)
        assert_true(stack_push(&stack, i, NULL));
    assert_false(stack_push(&stack, 99, NULL));
    assert_int_equal(stack_top(&stack)->screen, STACK_MAX - 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_push_and_pop),
        cmocka_unit_test(test_the_bound),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
