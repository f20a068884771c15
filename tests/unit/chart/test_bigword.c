#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../terminal/pseudo.h"
#include "chart/bigword.h"
#include "terminal/canvas.h"

static struct pseudo pseudo;

static int open_it(void **state)
{
    (void)state;
    return pseudo_open(&pseudo, 24, 80, "xterm-256color", "eighths");
}

static int close_it(void **state)
{
    (void)state;
    pseudo_close(&pseudo);
    return 0;
}

static char *draw(struct rect area, const char *word, enum glyph_tier tier)
{
    canvas_begin();
    bigword_draw(area, word, ROLE_OK, tier);
    canvas_end();
    return canvas_dump();
}

static void letters_are_as_wide_as_they_may(void **state)
{
    (void)state;
    assert_int_equal(bigword_columns("OK", 20), 20);
    assert_int_equal(bigword_columns("OK", 19), 10);
    assert_int_equal(bigword_columns("OK", 9), 0);
    assert_int_equal(bigword_columns("", 80), 0);
    char *got = draw((struct rect){0, 1, 5, 12}, "OK 1", GLYPH_ASCII);
    assert_int_equal(strncmp(got, " OK 1\n\n", 7), 0); /* no room: plain */
    free(got);
    got = draw((struct rect){0, 0, 5, 12}, "OK", GLYPH_ASCII);
    assert_int_equal(strncmp(got,
                             " ##  #  #\n"
                             "#  # # #\n"
                             "#  # ##\n"
                             "#  # # #\n"
                             " ##  #  #\n",
                             43),
                     0);
    free(got);
}

static void all_letters_differ(void **state)
{
    static const char all[] = "ABCDEFGHIJKLMNPQRSTUVWXYZ0123456789"; /* O is 0 */
    char *shapes[sizeof all] = {0};

    (void)state;
    for (size_t i = 0; all[i]; i++) {
        char word[2] = {all[i], '\0'};
        shapes[i] = draw((struct rect){0, 0, 5, 6}, word, GLYPH_EIGHTHS);
        for (size_t k = 0; k < i; k++)
            assert_string_not_equal(shapes[i], shapes[k]);
    }
    for (size_t i = 0; all[i]; i++)
        free(shapes[i]);
}

static void an_area_of_more_rows_has_larger_letters(void **state)
{
    (void)state;
    char *got = draw((struct rect){0, 0, 10, 40}, "1", GLYPH_ASCII);
    assert_int_equal(strncmp(got,
                             "        ####\n"
                             "        ####\n"
                             "    ########\n"
                             "    ########\n"
                             "        ####\n",
                             65),
                     0);
    free(got);
    got = draw((struct rect){0, 0, 10, 19}, "1", GLYPH_ASCII); /* no columns for them */
    assert_int_equal(strncmp(got, "    ##\n  ####\n    ##\n", 21), 0);
    free(got);
    got = draw((struct rect){0, 0, 5, 40}, ".", GLYPH_ASCII);
    assert_int_equal(strncmp(got, "\n\n\n\n  ##\n", 9), 0);
    free(got);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(letters_are_as_wide_as_they_may, open_it, close_it),
        cmocka_unit_test_setup_teardown(all_letters_differ, open_it, close_it),
        cmocka_unit_test_setup_teardown(an_area_of_more_rows_has_larger_letters, open_it, close_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
