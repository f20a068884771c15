/* err: negative errno values turned into sentences. */
#include <errno.h>
#include <locale.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/err.h"

static void a_sentence_names_what_subject_and_reason(void **state)
{
    char text[128];

    (void)state;
    assert_string_equal(err_explain(text, sizeof(text), -ENOSPC, "write to", "mmcblk0p2"),
                        "cannot write to mmcblk0p2: No space left on device");
    assert_string_equal(err_explain(text, sizeof(text), -ENOSPC, "write", NULL),
                        "cannot write: No space left on device");
    assert_string_equal(err_explain(text, sizeof(text), 0, "write to", "a"), "cannot write to a");
    assert_string_equal(err_explain(text, sizeof(text), -4095, "open", "a"),
                        "cannot open a: errno 4095");
}

static void a_short_buffer_is_ended(void **state)
{
    char text[8];

    (void)state;
    memset(text, 'x', sizeof(text));
    assert_string_equal(err_explain(text, sizeof(text), -EIO, "open", "a"), "cannot ");
    text[0] = 'x';
    assert_string_equal(err_explain(text, 0, -EIO, "open", "a"), "");
    assert_int_equal(text[0], 'x');
}

static void every_number_has_a_text_and_a_name(void **state)
{
    (void)state;
    assert_string_equal(err_name(-ENOSPC), "ENOSPC");
    assert_string_equal(err_name(-EAGAIN), "EAGAIN");
    assert_string_equal(err_name(-4095), "errno 4095");
    assert_string_equal(err_text(-EREMOTEIO), "Remote I/O error");
    assert_string_equal(err_text(0), "Success");
    assert_string_equal(err_text(-4095), "Unknown error");
    assert_string_equal(err_text(ENOSPC), "Unknown error"); /* codes are negative */
    for (int code = -1; code >= -133; code--) {
        if (code == -41 || code == -58) /* not given out by Linux */
            continue;
        assert_int_equal(err_name(code)[0], 'E');
        assert_string_not_equal(err_text(code), "Unknown error");
    }
}

static void signals_have_texts_of_our_own(void **state)
{
    (void)state;
    assert_string_equal(err_signal_text(SIGSEGV), "Segmentation fault");
    assert_null(err_signal_text(0));
    assert_null(err_signal_text(127));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_sentence_names_what_subject_and_reason),
        cmocka_unit_test(a_short_buffer_is_ended),
        cmocka_unit_test(every_number_has_a_text_and_a_name),
        cmocka_unit_test(signals_have_texts_of_our_own),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
