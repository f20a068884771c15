/* pen: figures side by side, each whole or not at all. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "../report/carried.h"
#include "../terminal/pseudo.h"
#include "base/cleanup.h"
#include "terminal/canvas.h"
#include "view/pen.h"

static struct pseudo pseudo;

static int open_it(void **state)
{
    (void)state;
    return pseudo_open(&pseudo, 40, 120, "xterm-256color", "eighths");
}

static int close_it(void **state)
{
    (void)state;
    pseudo_close(&pseudo);
    return 0;
}

static void a_figure_without_room_is_left_out_whole(void **state)
{
    struct pen pen = pen_at((struct rect){0, 0, 1, 20});
    (void)state;
    canvas_begin();
    assert_true(pen_figure(&pen, "now", ROLE_TEXT, "71.2"));
    assert_false(pen_figure(&pen, "mean", ROLE_TEXT, "74.0 Mbit/s"));
    assert_true(pen_figure(&pen, "", ROLE_TEXT, "12"));
    canvas_end();
    char *got = canvas_dump();
    assert_int_equal(strncmp(got, " now 71.2   12\n", 15), 0);
    free(got);
}

static void nothing_is_written_beyond_an_empty_row(void **state)
{
    struct pen pen = pen_at((struct rect){0, 0, 0, 0});
    (void)state;
    canvas_begin();
    pen_text(&pen, ROLE_TEXT, "text");
    assert_false(pen_figure(&pen, "now", ROLE_TEXT, "1"));
    canvas_end();
    char *got = canvas_dump();
    assert_null(strstr(got, "text"));
    free(got);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_figure_without_room_is_left_out_whole),
        cmocka_unit_test(nothing_is_written_beyond_an_empty_row),
    };
    return cmocka_run_group_tests(tests, open_it, close_it);
}
