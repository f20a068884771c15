#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "terminal/term_kind.h"

static void descriptions_tell_the_kind(void **state)
{
    static const struct {
        const char *name;
        struct term_kind kind;
        bool is_optional; /* in a package of its own */
    } cases[] = {
        {"xterm", {.is_known = true, .is_ansi = true}, false},
        {"linux", {.is_known = true, .is_ansi = true}, false},
        {"ansi", {.is_known = true, .is_ansi = true, .is_wrapping_at_once = true}, false},
        {"dumb", {.is_known = true, .is_paper = true, .is_wrapping_at_once = true}, false},
        {"no-such-terminal", {.is_known = false}, false},
        {"unknown", {.is_known = false}, false},
        {"", {.is_known = false}, false},
        {"glasstty", {.is_known = true, .is_paper = true, .is_wrapping_at_once = true}, true},
        {"tty33", {.is_known = true, .is_paper = true}, true},
        {"wy50", {.is_known = true, .is_wrapping_at_once = true}, true},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct term_kind kind = term_kind_of(cases[i].name);
        if (cases[i].is_optional && !kind.is_known)
            continue;
        assert_int_equal(kind.is_known, cases[i].kind.is_known);
        assert_int_equal(kind.is_paper, cases[i].kind.is_paper);
        assert_int_equal(kind.is_ansi, cases[i].kind.is_ansi);
        assert_int_equal(kind.is_wrapping_at_once, cases[i].kind.is_wrapping_at_once);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(descriptions_tell_the_kind),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
