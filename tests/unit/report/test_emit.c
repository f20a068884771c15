/* emit: JSON text; numbers that read back as they were. */
#include <float.h>
#include <locale.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/cleanup.h"
#include "base/str.h"
#include "report/emit.h"

static void test_shapes(void **state)
{
    (void)state;
    AUTO(str_done) struct str text = {0};
    struct emit emit = {.into = &text};
    emit_open(&emit, NULL, '{');
    emit_text(&emit, "a", "b\"\\\n\t\x01\xff");
    emit_text(&emit, "none", NULL);
    emit_bool(&emit, "yes", true);
    emit_open(&emit, "list", '[');
    emit_number(&emit, NULL, 1);
    emit_number(&emit, NULL, 0.5);
    emit_close(&emit);
    emit_open(&emit, "empty", '{');
    emit_close(&emit);
    emit_close(&emit);
    assert_string_equal(text.text, "{\"a\": \"b\\\"\\\\\\n\\t??\", \"none\": null, \"yes\": true, "
                                   "\"list\": [1, 0.5], \"empty\": {}}");
}

static void test_tall_has_a_line_for_each_member(void **state)
{
    (void)state;
    AUTO(str_done) struct str text = {0};
    struct emit emit = {.into = &text, .is_tall = true};
    emit_open(&emit, NULL, '{');
    emit_number(&emit, "a", 1);
    emit_open(&emit, "list", '[');
    emit_open(&emit, NULL, '{');
    emit_number(&emit, "x", 2);
    emit_number(&emit, "y", 3);
    emit_close(&emit);
    emit_close(&emit);
    emit_close(&emit);
    assert_string_equal(text.text, "{\n \"a\": 1,\n \"list\": [\n  {\"x\": 2, \"y\": 3}]\n}");
}

static void test_numbers(void **state)
{
    (void)state;
    static const struct {
        double value;
        const char *text;
    } cases[] = {{0, "0"},
                 {-0.0, "0"},
                 {524288000, "524288000"},
                 {9007199254740992.0, "9007199254740992"},
                 {0.1, "0.1"},
                 {-1.5, "-1.5"},
                 {1e300, "1e+300"},
                 {0.1 + 0.2, "0.30000000000000004"},
                 {NAN, "null"},
                 {INFINITY, "null"}};
    for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
        assert_string_equal(number_text(cases[i].value).text, cases[i].text);
    static const double hard[] = {DBL_MAX, DBL_MIN,           DBL_TRUE_MIN,
                                  1.0 / 3, 4893020.123456789, 9007199254740994.0};
    for (size_t i = 0; i < ARRAY_SIZE(hard); i++)
        assert_true(strtod(number_text(hard[i]).text, NULL) == hard[i]);
}

static void test_locale_does_not_matter(void **state)
{
    (void)state;
    static const char *const locales[] = {"de_DE.UTF-8", "de_DE.utf8", "fr_FR.UTF-8"};
    const char *set = NULL;
    for (size_t i = 0; i < ARRAY_SIZE(locales) && !set; i++)
        set = setlocale(LC_NUMERIC, locales[i]);
    if (!set)
        skip();
    assert_string_equal(number_text(0.5).text, "0.5");
    (void)setlocale(LC_NUMERIC, "C");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_shapes),
        cmocka_unit_test(test_tall_has_a_line_for_each_member),
        cmocka_unit_test(test_numbers),
        cmocka_unit_test(test_locale_does_not_matter),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
