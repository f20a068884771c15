/* verdict: runs that did not end well, tests without rules, long texts. */
#include "figures.h"

static void test_runs_that_did_not_end_well_get_the_reason(void **state)
{
    (void)state;
    static const struct {
        unsigned state;
        const char *part;
    } cases[] = {{RUN_FAILED, "the run failed: because"},
                 {RUN_CANCELLED, "the run was cancelled after 10 s: because"},
                 {RUN_REFUSED, "refused"},
                 {RUN_REMOVED, "the device was removed"},
                 {RUN_ABANDONED, "stuck in the kernel"},
                 {RUN_INTERRUPTED, "breaks off"}};
    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        struct verdict verdict = judge((struct figures){.method = "dd-direct",
                                                        .written = 100 * MIB,
                                                        .rate = 103e6,
                                                        .ceiling = "100000000",
                                                        .state = cases[i].state,
                                                        .sentence = "because"});
        assert_string_equal(verdict.main.code, "unknown");
        assert_true(str_starts(verdict.main.text, "no verdict: "));
        assert_non_null(strstr(verdict.main.text, cases[i].part));
        assert_false(verdict.is_warning);
        /* Only of a cancelled run the rate stands, so only there it can be too high. */
        assert_int_equal(warns(&verdict, "over-ceiling"), cases[i].state == RUN_CANCELLED);
    }
}

static void test_other_tests_are_honestly_unknown(void **state)
{
    (void)state;
    struct verdict verdict =
        judge((struct figures){.test = "selftest.sine", .written = 100 * MIB, .rate = 10e6});
    assert_string_equal(verdict.main.code, "unknown");
    assert_non_null(strstr(verdict.main.text, "no figure of this run"));
}

static void a_long_sentence_is_cut_between_characters(void **state)
{
    char sentence[1001];
    (void)state;
    for (unsigned shift = 0; shift < 3; shift++) {
        memset(sentence, 'x', shift);
        for (size_t i = shift; i + 3 < sizeof(sentence); i += 3)
            memcpy(sentence + i, "\xe2\x82\xac", 4);
        struct verdict verdict = judge((struct figures){.state = RUN_FAILED, .sentence = sentence});
        AUTO(str_done) struct str clean = {0};
        str_add_clean(&clean, verdict.main.text, strlen(verdict.main.text));
        assert_string_equal(str_text(&clean), verdict.main.text); /* no half character */
        assert_true(strlen(verdict.main.text) > VERDICT_TEXT_MAX - 5);
    }
}

static void test_long_texts_are_cut(void **state)
{
    (void)state;
    char sentence[1000];
    memset(sentence, 'x', sizeof(sentence) - 1);
    sentence[sizeof(sentence) - 1] = '\0';
    struct verdict verdict = judge((struct figures){.state = RUN_FAILED, .sentence = sentence});
    assert_int_equal(strlen(verdict.main.text), VERDICT_TEXT_MAX - 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_runs_that_did_not_end_well_get_the_reason),
        cmocka_unit_test(test_other_tests_are_honestly_unknown),
        cmocka_unit_test(a_long_sentence_is_cut_between_characters),
        cmocka_unit_test(test_long_texts_are_cut),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
