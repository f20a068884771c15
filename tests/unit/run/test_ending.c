/* ending: what an exit without an END means. */
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/cleanup.h"
#include "base/str.h"
#include "run/ending.h"

/* As waitpid gives it. */
#define EXITED(code) ((code) << 8)
#define KILLED(signo) (signo)
#define DUMPED(signo) ((signo) | 0x80)

static void each_exit_has_its_sentence(void **state)
{
    static const struct {
        int status;
        bool was_asked, was_forced;
        unsigned state, signal;
        const char *sentence;
    } cases[] = {
        {EXITED(3), false, false, RUN_FAILED, 0, "the test ended without a result (exit code 3)"},
        {EXITED(0), true, false, RUN_CANCELLED, 0, "the test ended without a result (exit code 0)"},
        {KILLED(SIGSEGV), false, false, RUN_FAILED, SIGSEGV,
         "the test crashed with signal 11 (Segmentation fault)"},
        {DUMPED(SIGABRT), true, true, RUN_FAILED, SIGABRT,
         "the test crashed with signal 6 (Aborted)"},
        {KILLED(40), false, false, RUN_FAILED, 40, "the test crashed with signal 40"},
        {KILLED(SIGKILL), true, true, RUN_CANCELLED, SIGKILL,
         "the test did not stop when asked and was ended with signal 9 (Killed)"},
        {KILLED(SIGTERM), true, false, RUN_CANCELLED, SIGTERM,
         "the test did not stop when asked and was ended with signal 15 (Terminated)"},
        {KILLED(SIGTERM), false, true, RUN_FAILED, SIGTERM,
         "the test closed its line and did not end; it was ended with signal 15 (Terminated)"},
        {KILLED(SIGTERM), false, false, RUN_FAILED, SIGTERM,
         "the test was killed from outside with signal 15 (Terminated)"},
        {KILLED(SIGKILL), false, false, RUN_FAILED, SIGKILL,
         "the test was killed from outside with signal 9 (Killed); the kernel does that when "
         "memory runs out"},
    };
    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        AUTO(str_done) struct str sentence = {0};
        struct frame_end end;
        ending_of_exit(cases[i].status, cases[i].was_asked, cases[i].was_forced, &end, &sentence);
        assert_string_equal(str_text(&sentence), cases[i].sentence);
        assert_int_equal(end.state, cases[i].state);
        assert_int_equal(end.signal, cases[i].signal);
        assert_true(end.code <= 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_exit_has_its_sentence),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
