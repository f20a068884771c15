/* dialog: choosing by key, by enter, leaving. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "terminal/keys.h"
#include "widget/dialog.h"

static const struct dialog_answer answers[] = {
    {'d', "d", "detach", 7}, {'s', "s", "stop", 8}, {0, "esc", "stay", 9}, {0, NULL, NULL, 0}};

static struct dialog asked(void)
{
    struct dialog dialog;
    dialog_ask(&dialog, "Leave?", answers);
    assert_true(dialog.is_open);
    assert_int_equal(dialog.count, 3);
    return dialog;
}

static void test_a_letter_chooses(void **state)
{
    struct dialog dialog = asked();
    (void)state;
    assert_int_equal(dialog_key(&dialog, 'x'), DIALOG_WAITS);
    assert_true(dialog.is_open);
    assert_int_equal(dialog_key(&dialog, 's'), 8);
    assert_false(dialog.is_open);
    assert_int_equal(dialog_key(&dialog, 's'), DIALOG_LEFT);
}

static void test_enter_chooses_the_selected(void **state)
{
    struct dialog dialog = asked();
    (void)state;
    assert_int_equal(dialog_key(&dialog, KEY_CODE_UP), DIALOG_WAITS);
    assert_int_equal(dialog.selected, 0);
    for (int i = 0; i < 5; i++)
        assert_int_equal(dialog_key(&dialog, KEY_CODE_DOWN), DIALOG_WAITS);
    assert_int_equal(dialog.selected, 2);
    assert_int_equal(dialog_key(&dialog, KEY_CODE_ENTER), 9);
}

static void test_escape_leaves(void **state)
{
    struct dialog dialog = asked();
    (void)state;
    assert_int_equal(dialog_key(&dialog, KEY_CODE_ESCAPE), DIALOG_LEFT);
    assert_false(dialog.is_open);
}

static void test_no_more_answers_than_fit(void **state)
{
    struct dialog_answer many[DIALOG_ANSWERS_MAX + 2];
    struct dialog dialog;
    (void)state;
    for (int i = 0; i < DIALOG_ANSWERS_MAX + 1; i++)
        many[i] = (struct dialog_answer){0, "x", "y", i};
    many[DIALOG_ANSWERS_MAX + 1] = (struct dialog_answer){0};
    dialog_ask(&dialog, "?", many);
    assert_int_equal(dialog.count, DIALOG_ANSWERS_MAX);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_letter_chooses),
        cmocka_unit_test(test_enter_chooses_the_selected),
        cmocka_unit_test(test_escape_leaves),
        cmocka_unit_test(test_no_more_answers_than_fit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
