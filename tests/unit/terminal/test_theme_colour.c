#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <string.h>

#include "terminal/theme_colour.h"

static struct theme_colour parsed(const char *text)
{
    struct theme_colour colour = {7, 7, 7};

    assert_int_equal(theme_colour_parse(text, strlen(text), &colour), 0);
    return colour;
}

static void three_forms_are_kept_as_written(void **state)
{
    (void)state;
    struct theme_colour colour = parsed(" #FFb000 | 214 |yellow");
    assert_int_equal(colour.rgb, 0xffb000);
    assert_int_equal(colour.index256, 214);
    assert_int_equal(colour.ansi, 3);
}

static void missing_forms_are_the_nearest(void **state)
{
    (void)state;
    struct theme_colour colour = parsed("#ff0000");
    assert_int_equal(colour.index256, 196);
    assert_int_equal(colour.ansi, 1);
    colour = parsed("232");
    assert_int_equal(colour.rgb, 0x080808);
    assert_int_equal(colour.ansi, 0);
    colour = parsed("bright-cyan");
    assert_int_equal(colour.rgb, 0x55ffff);
    assert_int_equal(colour.index256, 14);
    colour = parsed("#8a8a8a");
    assert_int_equal(colour.index256, 245);
}

static void default_stands_alone(void **state)
{
    (void)state;
    struct theme_colour colour = parsed(" default ");
    assert_int_equal(colour.rgb, -1);
    assert_int_equal(colour.index256, -1);
    assert_int_equal(colour.ansi, -1);
}

static void bad_text_leaves_the_colour(void **state)
{
    static const char *const cases[] = {"",
                                        " ",
                                        "|",
                                        "256",
                                        "#12345",
                                        "#1234567",
                                        "#12345g",
                                        "purple",
                                        "red |",
                                        "12x",
                                        "-1",
                                        "red|default",
                                        "99999999999999999999",
                                        "a-very-long-name-of-a-colour-too-long"};

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct theme_colour colour = {1, 2, 3};
        assert_int_equal(theme_colour_parse(cases[i], strlen(cases[i]), &colour), -EINVAL);
        assert_int_equal(colour.rgb, 1);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(three_forms_are_kept_as_written),
        cmocka_unit_test(missing_forms_are_the_nearest),
        cmocka_unit_test(default_stands_alone),
        cmocka_unit_test(bad_text_leaves_the_colour),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
