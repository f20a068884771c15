/* form: fields from an option table: defaults, typing, cycling, faults. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/cleanup.h"
#include "iodyno/plugin.h"
#include "terminal/keys.h"
#include "widget/form.h"

static char *methods[] = {"dd-fsync", "dd-direct", "queue", NULL};
static const struct option options[] = {
    {DYNO_CHOICE, "method", "Method", "How", "dd-fsync", 0, 0, methods},
    {DYNO_SIZE, "bs", "Block size", "Bytes a block", "1M", 512, 64 << 20, NULL},
    {DYNO_UINT, "count", "Blocks", "Blocks to move", NULL, 1, 1000, NULL},
    {DYNO_BOOL, "sync", "Sync", "Whether", "0", 0, 0, NULL},
};
enum { METHOD, BS, COUNT, SYNC };

static int setup(void **state)
{
    struct form *form = malloc(sizeof *form);
    form_init(form, options, ARRAY_SIZE(options));
    *state = form;
    return 0;
}

static int teardown(void **state)
{
    form_done(*state);
    free(*state);
    return 0;
}

static void press(struct form *form, const int *keys)
{
    for (; *keys; keys++)
        assert_true(form_key(form, *keys));
}

static void test_defaults_are_good(void **state)
{
    struct form *form = *state;
    assert_string_equal(form_text(form, METHOD), "dd-fsync");
    assert_string_equal(form_text(form, BS), "1M");
    assert_string_equal(form_text(form, COUNT), "");
    assert_int_equal(form_first_bad(form), -1);
    assert_string_equal(form->fields[BS].meaning, "1048576 B");
    for (size_t i = 0; i < form->count; i++)
        assert_true(form_is_default(form, i));
}

static void test_choices_cycle_both_ways(void **state)
{
    struct form *form = *state;
    press(form, (const int[]){KEY_CODE_RIGHT, 0});
    assert_string_equal(form_text(form, METHOD), "dd-direct");
    press(form, (const int[]){KEY_CODE_RIGHT, KEY_CODE_RIGHT, 0});
    assert_string_equal(form_text(form, METHOD), "dd-fsync");
    press(form, (const int[]){KEY_CODE_LEFT, 0});
    assert_string_equal(form_text(form, METHOD), "queue");
    press(form, (const int[]){'x', 0}); /* letters are swallowed, not typed */
    assert_string_equal(form_text(form, METHOD), "queue");
    press(form, (const int[]){KEY_CODE_DOWN, KEY_CODE_DOWN, KEY_CODE_DOWN, ' ', 0});
    assert_string_equal(form_text(form, SYNC), "1");
    press(form, (const int[]){KEY_CODE_LEFT, 0});
    assert_string_equal(form_text(form, SYNC), "0");
    assert_int_equal(form_first_bad(form), -1);
}

static void test_a_bad_value_says_why_and_mends(void **state)
{
    struct form *form = *state;
    press(form, (const int[]){KEY_CODE_DOWN, 'Q', 0});
    assert_string_equal(form_text(form, BS), "1MQ");
    assert_int_equal(form_first_bad(form), BS);
    assert_non_null(strstr(form->fields[BS].why, "bs"));
    assert_false(form_is_default(form, BS));
    press(form, (const int[]){KEY_CODE_BACKSPACE, 0});
    assert_int_equal(form_first_bad(form), -1);
    assert_null(form->fields[BS].why);
}

static void test_the_range_is_kept(void **state)
{
    struct form *form = *state;
    form_set(form, "count", "1000");
    assert_int_equal(form_first_bad(form), -1);
    form_set(form, "count", "1001");
    assert_int_equal(form_first_bad(form), COUNT);
    form_set(form, "count", "");
    assert_int_equal(form_first_bad(form), -1);
    form_set(form, "method", "dd-magic");
    assert_int_equal(form_first_bad(form), METHOD);
    form_set(form, "no-such-key", "1"); /* of an older table */
}

static void test_keys_that_are_not_a_forms(void **state)
{
    struct form *form = *state;
    assert_false(form_key(form, KEY_CODE_ENTER));
    assert_false(form_key(form, KEY_CODE_ESCAPE));
    press(form, (const int[]){KEY_CODE_TAB, 0});
    assert_int_equal(form->list.selected, BS);
    press(form, (const int[]){'q', 'h', 'j', 0}); /* typed, neither quit nor arrows */
    assert_string_equal(form_text(form, BS), "1Mqhj");
    assert_int_equal(form->list.selected, BS);
}

static void test_a_form_without_fields(void **state)
{
    struct form form;
    (void)state;
    form_init(&form, NULL, 0);
    assert_false(form_key(&form, 'x'));
    assert_int_equal(form_first_bad(&form), -1);
    form_done(&form);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_defaults_are_good, setup, teardown),
        cmocka_unit_test_setup_teardown(test_choices_cycle_both_ways, setup, teardown),
        cmocka_unit_test_setup_teardown(test_a_bad_value_says_why_and_mends, setup, teardown),
        cmocka_unit_test_setup_teardown(test_the_range_is_kept, setup, teardown),
        cmocka_unit_test_setup_teardown(test_keys_that_are_not_a_forms, setup, teardown),
        cmocka_unit_test(test_a_form_without_fields),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
