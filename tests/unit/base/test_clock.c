/* clock: time as nanoseconds and as ISO text. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/cleanup.h"
#include "base/clock.h"

static void the_clocks_go_on(void **state)
{
    const uint64_t mono_ns = clock_mono_ns();

    (void)state;
    assert_true(mono_ns > 0);
    assert_true(clock_mono_ns() >= mono_ns);
    assert_true(clock_wall_ns() > 0);
}

static void a_moment_reads_and_parses_back(void **state)
{
    static const struct {
        uint64_t seconds;
        const char *text;
    } CASES[] = {
        {0, "1970-01-01T00:00:00Z"},          {1769850000, "2026-01-31T09:00:00Z"},
        {1709164799, "2024-02-28T23:59:59Z"}, {1709164800, "2024-02-29T00:00:00Z"},
        {4102444800, "2100-01-01T00:00:00Z"},
    };
    char text[CLOCK_ISO_MAX];

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(CASES); i++) {
        uint64_t wall_ns = 77;

        assert_string_equal(clock_iso(CASES[i].seconds * NS_PER_S + 999999999, text),
                            CASES[i].text);
        assert_int_equal(clock_parse_iso(CASES[i].text, &wall_ns), 0);
        assert_true(wall_ns == CASES[i].seconds * NS_PER_S);
    }
    assert_string_not_equal(clock_iso(UINT64_MAX, text), "");
}

static void what_is_no_moment_is_refused(void **state)
{
    static const char *const BAD[] = {
        "",
        "2026-01-31",
        "2026-01-31T09:00:00",
        "2026-01-31T09:00:00Zx",
        "2026-01-31 09:00:00Z",
        "2026-13-01T00:00:00Z",
        "2026-00-01T00:00:00Z",
        "2026-04-31T00:00:00Z",
        "2026-02-29T00:00:00Z",
        "2026-01-00T00:00:00Z",
        "2026-01-01T24:00:00Z",
        "2026-01-01T00:60:00Z",
        "2026-01-01T00:00:60Z",
        "1969-12-31T23:59:59Z",
        "9999-01-01T00:00:00Z",
        "+026-01-01T00:00:00Z",
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(BAD); i++) {
        uint64_t wall_ns = 77;

        if (clock_parse_iso(BAD[i], &wall_ns) != -EINVAL || wall_ns != 77)
            fail_msg("accepted: %s", BAD[i]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_clocks_go_on),
        cmocka_unit_test(a_moment_reads_and_parses_back),
        cmocka_unit_test(what_is_no_moment_is_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
