#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <string.h>

#include "terminal/charset.h"
#include "terminal/glyph.h"

static void names_are_read_back(void **state)
{
    (void)state;
    for (int i = 0; i < GLYPH_TIERS; i++) {
        enum glyph_tier tier = GLYPH_TIERS;
        assert_int_equal(glyph_tier_from_name(glyph_tier_name((enum glyph_tier)i), &tier), 0);
        assert_int_equal(tier, i);
    }
    enum glyph_tier untouched = GLYPH_HALVES;
    assert_int_equal(glyph_tier_from_name("auto", &untouched), -EINVAL);
    assert_int_equal(untouched, GLYPH_HALVES);
}

static void something_is_never_drawn_as_nothing(void **state)
{
    (void)state;
    for (int tier = 0; tier < GLYPH_TIERS; tier++) {
        assert_string_equal(glyph_fill_up((enum glyph_tier)tier, 0), " ");
        for (int eighths = 1; eighths <= 8; eighths++) {
            assert_string_not_equal(glyph_fill_up((enum glyph_tier)tier, eighths), " ");
            assert_string_not_equal(glyph_fill_right((enum glyph_tier)tier, eighths), " ");
        }
        assert_string_equal(glyph_fill_up((enum glyph_tier)tier, 99),
                            glyph_fill_up((enum glyph_tier)tier, 8));
        assert_string_equal(glyph_fill_right((enum glyph_tier)tier, -1), " ");
    }
}

static void ascii_has_no_byte_above_127(void **state)
{
    (void)state;
    for (int sign = 0; sign < GLYPH_SIGNS; sign++) {
        const char *text = glyph_sign(GLYPH_ASCII, (enum glyph_sign)sign);
        assert_int_equal(strlen(text), 1);
        assert_in_range((unsigned char)text[0], 0x21, 0x7e);
    }
    for (uint32_t c = 0x80; c < 0x30000; c++) {
        for (const char *text = glyph_plain(c); *text; text++)
            assert_in_range((unsigned char)*text, 0x20, 0x7e);
    }
}

static void our_own_signs_stay_readable(void **state)
{
    static const struct {
        const char *text, *plain;
    } cases[] = {{"›", ">"}, {"‹", "<"}, {"·", "-"}, {"…", "..."}, {"±", "+-"}, {"×", "x"},
                 {"←", "<"}, {"→", ">"}, {"↑", "^"}, {"↓", "v"},   {"┄", "-"},  {"─", "-"},
                 {"│", "|"}, {"┼", "+"}, {"┤", "+"}, {"┬", "+"},   {"█", "#"},  {"░", "."},
                 {"▁", "."}, {"▇", "#"}, {"▏", "."}, {"▉", "#"},   {"○", "o"},  {"◆", "*"},
                 {"µ", "u"}, {"–", "-"}, {"—", "-"}, {"≤", "<="},  {"≥", ">="}, {"é", "?"},
                 {"┆", "|"}, {"╌", "-"}, {"漢", "?"}};

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        size_t size;
        assert_string_equal(glyph_plain(charset_decode(cases[i].text, &size)), cases[i].plain);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_are_read_back),
        cmocka_unit_test(something_is_never_drawn_as_nothing),
        cmocka_unit_test(ascii_has_no_byte_above_127),
        cmocka_unit_test(our_own_signs_stay_readable),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
