#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdlib.h>

#include "../terminal/pseudo.h"
#include "chart/gauge.h"
#include "terminal/canvas.h"

static struct pseudo pseudo;

static int open_it(void **state)
{
    (void)state;
    return pseudo_open(&pseudo, 1, 12, "xterm-256color", "eighths");
}

static int close_it(void **state)
{
    (void)state;
    pseudo_close(&pseudo);
    return 0;
}

static void the_bar_is_as_long_as_its_share(void **state)
{
    static const struct {
        double share;
        const char *text;
    } cases[] = {{0, " ··········\n"},   {0.41, " ████▏·····\n"}, {0.5, " █████·····\n"},
                 {1, " ██████████\n"},   {1.7, " ██████████\n"},  {-1, " ··········\n"},
                 {NAN, " ··········\n"}, {0.999, " ██████████\n"}};

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        canvas_begin();
        gauge_draw((struct rect){0, 1, 1, 10}, cases[i].share, ROLE_OK, GLYPH_EIGHTHS);
        canvas_end();
        char *got = canvas_dump();
        assert_string_equal(got, cases[i].text);
        free(got);
    }
    gauge_draw((struct rect){0, 1, 1, 0}, 0.5, ROLE_OK, GLYPH_EIGHTHS);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(the_bar_is_as_long_as_its_share, open_it, close_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
