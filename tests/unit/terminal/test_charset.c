#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <langinfo.h>
#include <locale.h>
#include <stdlib.h>
#include <string.h>

#include "terminal/charset.h"

static void what_is_encoded_is_decoded(void **state)
{
    static const uint32_t cases[] = {'A',    0x7f,   0x80,   0x7ff,   0x800,   0x203a,
                                     0x2588, 0xfffc, 0xffff, 0x10000, 0x1f600, 0x10ffff};

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        char bytes[5] = {0};
        size_t size, used = charset_encode(cases[i], bytes);
        assert_int_equal(charset_decode(bytes, &size), cases[i]);
        assert_int_equal(size, used);
    }
}

static void bad_bytes_are_one_each(void **state)
{
    static const char *const cases[] = {
        "\x80",     "\xff",     "\xc0\x80", "\xed\xa0\x80", "\xf4\x90\x80\x80",
        "\xe2\x82", "\xf0\x9f", "\xc3("};

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        size_t size;
        assert_int_equal(charset_decode(cases[i], &size), CHARSET_BAD);
        assert_int_equal(size, 1);
    }
    size_t size = 9;
    assert_int_equal(charset_decode("", &size), 0);
    assert_int_equal(size, 0);
}

static bool open_with(const char *lc_all, const char *lang)
{
    (void)setlocale(LC_CTYPE, "C");
    (void)unsetenv("LC_CTYPE");
    (void)setenv("LC_ALL", lc_all, 1);
    (void)setenv("LANG", lang, 1);
    return charset_open();
}

static void an_unset_locale_becomes_utf8_and_a_set_one_is_obeyed(void **state)
{
    (void)state;
    assert_true(open_with("", ""));
    assert_true(open_with("", "C.UTF-8"));
    assert_false(open_with("C", ""));
    assert_false(open_with("POSIX", "C.UTF-8"));
    assert_false(open_with("", "C"));
    /* not installed anywhere: the name still tells the encoding */
    assert_true(open_with("", "xx_XX.UTF-8"));
    assert_false(open_with("", "xx_XX.ISO-8859-1"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_encoded_is_decoded),
        cmocka_unit_test(bad_bytes_are_one_each),
        cmocka_unit_test(an_unset_locale_becomes_utf8_and_a_set_one_is_obeyed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
