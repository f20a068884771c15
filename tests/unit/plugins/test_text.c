/* text: numbers, fields and bounds of small files. */
#include "common/text.h"

#include "../grown.h"

#include <errno.h>

static void numbers_are_digits_and_nothing_else(void **state)
{
    (void)state;
    uint64_t value = 7;
    grow("/n", "42\n");
    assert_int_equal(text_number(grown_root, "/n", &value), 0);
    assert_int_equal(value, 42);
    static const char *const bad[] = {"", "max\n", "-1\n", "1 2\n", "18446744073709551616\n"};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        grow("/n", bad[i]);
        assert_true(text_number(grown_root, "/n", &value) < 0);
    }
    assert_int_equal(value, 42);
    grow("/n", "18446744073709551615");
    assert_int_equal(text_number(grown_root, "/n", &value), 0);
    assert_true(value == UINT64_MAX);
    assert_int_equal(text_number(grown_root, "/none", &value), -ENOENT);
    assert_int_equal(text_number(grown_root, "/", &value), -EINVAL);
}

static void a_field_begins_its_line(void **state)
{
    (void)state;
    uint64_t value;
    static const char text[] = "SwapMemTotal: 1 kB\nMemTotal:\t 2 kB\nMemFree: x\n";
    assert_int_equal(text_field(text, "MemTotal:", &value), 0);
    assert_int_equal(value, 2);
    assert_int_equal(text_field(text, "MemFree:", &value), -EINVAL);
    assert_int_equal(text_field(text, "Nothing:", &value), -ENOENT);
    assert_int_equal(text_field("", "Nothing:", &value), -ENOENT);
}

static void what_does_not_fit_is_left_out(void **state)
{
    (void)state;
    char text[5];
    grow("/long", "abcdefgh");
    assert_int_equal(text_read(grown_root, "/long", text, sizeof text), 4);
    assert_string_equal(text, "abcd");
    assert_int_equal(text_read_bytes(grown_root, "/long", text, sizeof text), 5);
    grow("/blank", "a \t\n\n");
    assert_int_equal(text_read(grown_root, "/blank", text, sizeof text), 1);
    assert_string_equal(text, "a");
    assert_int_equal(text_read(grown_root, "/none", text, sizeof text), -ENOENT);
    assert_string_equal(text, "");
}

int main(void)
{
#define GROWN(test) cmocka_unit_test_setup_teardown(test, grown_setup, grown_teardown)
    const struct CMUnitTest tests[] = {
        GROWN(numbers_are_digits_and_nothing_else),
        cmocka_unit_test(a_field_begins_its_line),
        GROWN(what_does_not_fit_is_left_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
