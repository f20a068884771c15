/* expect: conditions on results as a person types them. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/cleanup.h"
#include "base/str.h"
#include "iodyno/plugin.h"
#include "run/expect.h"

static const struct frame_metric metrics[] = {
    {DYNO_BYTE_PER_S, DYNO_TOTAL, DYNO_HIGHER, 0, "rate", "Rate"},
    {DYNO_RATIO, DYNO_TOTAL, DYNO_LOWER, 0, "retransmit_share", "Share"},
    {DYNO_COUNT, DYNO_DELTA, DYNO_ZERO, 0, "retransmits", "Retransmits"},
};

static void test_good_ones(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        unsigned metric;
        enum expect_operator op;
        double value;
    } cases[] = {
        {"rate >= 60MB/s", 0, EXPECT_AT_LEAST, 60e6},
        {"rate>=60MB/s", 0, EXPECT_AT_LEAST, 60e6},
        {"  rate < 1 GB/s", 0, EXPECT_LESS, 1e9},
        {"retransmit-share <= 1%", 1, EXPECT_AT_MOST, 0.01},
        {"retransmit_share > 0", 1, EXPECT_MORE, 0},
        {"retransmits = 0", 2, EXPECT_EQUAL, 0},
        {"retransmits == 7", 2, EXPECT_EQUAL, 7},
    };
    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        struct expect expect = {0};
        AUTO(str_done) struct str why = {0};
        assert_int_equal(expect_parse(cases[i].text, metrics, 3, &expect, &why), 0);
        assert_int_equal(expect.metric, cases[i].metric);
        assert_int_equal(expect.op, cases[i].op);
        assert_true(expect.value == cases[i].value);
        assert_string_equal(expect.text, cases[i].text);
        expect_done(&expect);
    }
}

static void test_bad_ones_say_what_was_expected(void **state)
{
    (void)state;
    static const struct {
        const char *text, *part;
    } cases[] = {
        {"", "the name of a result"},
        {">= 60MB/s", "the name of a result"},
        {"speed >= 1", "it has rate, retransmit_share, retransmits"},
        {"rate 60MB/s", "one of < <= = >= >"},
        {"rate", "one of < <= = >= >"},
        {"rate >= ", "a number in B/s"},
        {"rate >= 60", "a number in B/s"},
        {"rate >= 60Mbit/s", "a number in B/s"},
        {"rate =< 60MB/s", "a number in B/s"},
        {"rate >= 60MB/s and more", "a number in B/s"},
    };
    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        struct expect expect = {.metric = 77};
        AUTO(str_done) struct str why = {0};
        assert_int_equal(expect_parse(cases[i].text, metrics, 3, &expect, &why), -EINVAL);
        assert_non_null(strstr(str_text(&why), cases[i].part));
        assert_int_equal(expect.metric, 77);
    }
    char text[300];
    memset(text, 'r', sizeof(text) - 1);
    text[sizeof(text) - 1] = '\0';
    struct expect expect;
    AUTO(str_done) struct str why = {0};
    assert_int_equal(expect_parse(text, metrics, 3, &expect, &why), -EINVAL);
    assert_non_null(strstr(str_text(&why), "200 bytes"));
}

static void test_holds_at_the_bound(void **state)
{
    (void)state;
    static const struct {
        enum expect_operator op;
        bool below, at, above;
    } cases[] = {{EXPECT_LESS, true, false, false},
                 {EXPECT_AT_MOST, true, true, false},
                 {EXPECT_EQUAL, false, true, false},
                 {EXPECT_AT_LEAST, false, true, true},
                 {EXPECT_MORE, false, false, true}};
    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        struct expect expect = {.op = cases[i].op, .value = 0.3};
        assert_int_equal(expect_holds(&expect, 0.2999), cases[i].below);
        assert_int_equal(expect_holds(&expect, 0.1 + 0.2), cases[i].at); /* not 0.3 in binary */
        assert_int_equal(expect_holds(&expect, 0.3001), cases[i].above);
        expect.value = 0;
        assert_int_equal(expect_holds(&expect, 0), cases[i].at);
        assert_int_equal(expect_holds(&expect, 1e-300), cases[i].above);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_good_ones),
        cmocka_unit_test(test_bad_ones_say_what_was_expected),
        cmocka_unit_test(test_holds_at_the_bound),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
