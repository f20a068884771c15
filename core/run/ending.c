#include "run/ending.h"

#include <errno.h>
#include <signal.h>
#include <sys/wait.h>

#include "base/cleanup.h"
#include "base/str.h"

/* The C library's own texts follow the locale; a record must not. */
static const struct {
    int signo;
    const char *text;
} signal_texts[] = {
    {SIGHUP, "Hangup"},
    {SIGINT, "Interrupt"},
    {SIGQUIT, "Quit"},
    {SIGILL, "Illegal instruction"},
    {SIGTRAP, "Trace trap"},
    {SIGABRT, "Aborted"},
    {SIGBUS, "Bus error"},
    {SIGFPE, "Arithmetic exception"},
    {SIGKILL, "Killed"},
    {SIGSEGV, "Segmentation fault"},
    {SIGPIPE, "Broken pipe"},
    {SIGALRM, "Alarm clock"},
    {SIGTERM, "Terminated"},
    {SIGXCPU, "CPU time limit exceeded"},
    {SIGXFSZ, "File size limit exceeded"},
    {SIGSYS, "Bad system call"},
};

const char *ending_signal_text(int signo)
{
    for (size_t i = 0; i < ARRAY_SIZE(signal_texts); i++) {
        if (signal_texts[i].signo == signo)
            return signal_texts[i].text;
    }
    return NULL;
}

static void add_signal(struct str *sentence, int signo)
{
    const char *text = ending_signal_text(signo);
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
