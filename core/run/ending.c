#include "run/ending.h"

#include <errno.h>
#include <signal.h>
#include <sys/wait.h>

#include "base/err.h"
#include "base/str.h"

static void add_signal(struct str *sentence, int signo)
{
    const char *text = err_signal_text(signo);
    str_addf(sentence, "signal %d", signo);
    if (text)
        str_addf(sentence, " (%s)", text);
}

static void of_signal(int signo, bool was_asked, bool was_forced, struct frame_end *end,
                      struct str *sentence)
{
    bool is_outside = signo == SIGKILL || signo == SIGTERM || signo == SIGHUP || signo == SIGINT;
    end->signal = (uint32_t)signo;
    if (is_outside && was_asked) {
        end->state = RUN_CANCELLED;
        str_add(sentence, "the test did not stop when asked and was ended with ");
    } else if (is_outside && was_forced) {
        str_add(sentence, "the test closed its line and did not end; it was ended with ");
    } else if (is_outside) {
        str_add(sentence, "the test was killed from outside with ");
    } else {
        str_add(sentence, "the test crashed with ");
    }
    add_signal(sentence, signo);
    if (signo == SIGKILL && !was_asked && !was_forced)
        str_add(sentence, "; the kernel does that when memory runs out");
}

void ending_of_exit(int wait_status, bool was_asked, bool was_forced, struct frame_end *ret_end,
                    struct str *sentence)
{
    *ret_end = (struct frame_end){.state = RUN_FAILED, .code = -EPROTO};
    if (WIFSIGNALED(wait_status)) {
        ret_end->code = 0;
        of_signal(WTERMSIG(wait_status), was_asked, was_forced, ret_end, sentence);
        return;
    }
    str_addf(sentence, "the test ended without a result (exit code %d)", WEXITSTATUS(wait_status));
    if (was_asked)
        ret_end->state = RUN_CANCELLED;
}
