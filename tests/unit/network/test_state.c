/* state: cookies nobody guesses, numbers with words. */
#include "prelude.h"

#include "network/state.h"

static void a_cookie_is_36_letters_and_digits(void **state)
{
    (void)state;
    char one[COOKIE_SIZE], other[COOKIE_SIZE];
    assert_int_equal(state_make_cookie(one), 0);
    assert_int_equal(state_make_cookie(other), 0);
    assert_int_equal(strlen(one), COOKIE_SIZE - 1);
    assert_int_equal(strspn(one, "abcdefghijklmnopqrstuvwxyz234567"), COOKIE_SIZE - 1);
    assert_string_not_equal(one, other);
}

static void numbers_have_words(void **state)
{
    (void)state;
    assert_string_equal(state_name(STATE_ACCESS_DENIED), "ACCESS_DENIED");
    assert_null(state_name(3));
    assert_false(state_is_known(99));
    assert_non_null(strstr(state_error_text(142), "authentication"));
    assert_non_null(strstr(state_error_text(205), "stream"));
    assert_null(state_error_text(999999));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_cookie_is_36_letters_and_digits),
        cmocka_unit_test(numbers_have_words),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
