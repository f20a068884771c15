/* poster: one or two large numbers, at any size. */
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
#include "view/poster.h"

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

static char *draw(struct rect area, const struct model *model, enum glyph_tier tier)
{
    canvas_begin();
    poster_draw(area, model, NULL, ROLE_TEXT, "a sentence", tier);
    canvas_end();
    return canvas_dump();
}

static struct carried both(void)
{
    struct carried carried = carried_start("network.tcp", "turns", "1");
    carried_phase(&carried, "out", 0);
    carried_sample(&carried, SENT, 0, 0, 117.5e6);
    carried_phase(&carried, "in", 1);
    carried_sample(&carried, RECEIVED, 0, 1, 14e6);
    return carried;
}

static void send_and_receive_side_by_side(void **state)
{
    struct carried carried = both();
    char *got = draw((struct rect){0, 0, 24, 80}, carried.model, GLYPH_ASCII);
    (void)state;
    const char *send = strstr(got, "send"), *end = send ? strchr(send, '\n') : NULL;
    const char *receive = strstr(got, "receive");
    assert_true(send && receive && receive < end);
    assert_non_null(strstr(got, "Mbit/s"));
    assert_non_null(strstr(got, "eth0"));
    assert_non_null(strstr(got, "a sentence"));
    free(got);
    got = draw((struct rect){0, 0, 24, 40}, carried.model, GLYPH_ASCII); /* one below the other */
    send = strstr(got, "send");
    end = strchr(send, '\n');
    assert_true(strstr(got, "receive") > end);
    free(got);
    carried_done(&carried);
}

static void any_size_is_drawn(void **state)
{
    struct carried carried = both();
    (void)state;
    for (int rows = 0; rows <= 40; rows++)
        for (int columns = 0; columns <= 120; columns += 5)
            free(draw((struct rect){0, 0, rows, columns}, carried.model,
                      (enum glyph_tier)(columns % GLYPH_TIERS)));
    carried_done(&carried);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(send_and_receive_side_by_side),
        cmocka_unit_test(any_size_is_drawn),
    };
    return cmocka_run_group_tests(tests, open_it, close_it);
}
