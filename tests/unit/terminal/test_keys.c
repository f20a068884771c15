#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "terminal/keys.h"

enum { UP, DOWN, STOP, JUMP };

static const struct key_row plain[] = {
    {{KEY_CODE_UP}, UP, "", NULL, ""},
    {{KEY_CODE_DOWN}, DOWN, "", NULL, ""},
    {{'x', 'X', 's', 'S'}, STOP, "x", "stop", ""},
    {{0}, 0, NULL, NULL, NULL},
};
static const struct key_row uses_j[] = {
    {{KEY_CODE_DOWN}, DOWN, "", NULL, ""},
    {{'j'}, JUMP, "j", "jump", ""},
    {{0}, 0, NULL, NULL, NULL},
};

static void each_key_of_a_row_does_its_action(void **state)
{
    (void)state;
    assert_int_equal(keys_action(plain, 'x'), STOP);
    assert_int_equal(keys_action(plain, 'S'), STOP);
    assert_int_equal(keys_action(plain, KEY_CODE_UP), UP);
    assert_int_equal(keys_action(plain, 'q'), -1);
    assert_int_equal(keys_action(plain, 0), -1);
}

static void vi_keys_are_arrows_unless_taken(void **state)
{
    (void)state;
    assert_int_equal(keys_action(plain, 'k'), UP);
    assert_int_equal(keys_action(plain, 'j'), DOWN);
    assert_int_equal(keys_action(plain, 'h'), -1);
    assert_int_equal(keys_action(uses_j, 'j'), JUMP);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_key_of_a_row_does_its_action),
        cmocka_unit_test(vi_keys_are_arrows_unless_taken),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
