#include "cli/guardian.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/err.h"
#include "base/places.h"
#include "base/str.h"
#include "loop/loop.h"

#define GRACE_NS (15 * NS_PER_S) /* after a signal: the screen's stop ladder takes 7 s */
#define DEAD_NS (2 * NS_PER_S)   /* after SIGKILL */
#define OUTPUT_MS 500            /* a terminal that takes no byte this long gets none */
#define EXIT_ABSENT 3
#define EXIT_FAULT 1

/* Bytes from the screen. */
#define TOLD_DETACHED 'd' /* it goes on without the terminal */
#define TOLD_CLOSED 'c'   /* it has put the terminal right itself, or writes nothing but lines */

/* Leaves the alternate screen, shows the cursor, plain attributes, no mouse reports, no bracketed
 * paste, cursor keys and keypad as usual. Each is without effect where it was not on. */
static const char restore_text[] = "\033[?1049l\033[?25h\033[0m\033[?1000l\033[?1002l\033[?1003l"
                                   "\033[?1006l\033[?2004l\033[?1l\033>";
/* The console's own palette. Elsewhere this would begin a string that never ends. */
static const char palette_text[] = "\033]R";

struct guardian {
    struct loop *loop;
    struct loop_timer *patience;
    struct loop_fd *line;
    struct loop_child *child;
    pid_t pid;
    struct termios saved;
    bool has_saved, is_closed, is_killed;
    int signo; /* the first one that was forwarded */
};

#define OVER_DETACHED 512 /* loop_stop code beside exit statuses */

static bool is_console(const char *term)
{
    return term && str_starts(term, "linux");
}

static void put(const char *text)
{
    struct pollfd output = {.fd = STDOUT_FILENO, .events = POLLOUT};
    if (poll(&output, 1, OUTPUT_MS) == 1 && (output.revents & POLLOUT))
        if (write(STDOUT_FILENO, text, strlen(text)) < 0) {
            /* the terminal is gone, and nothing is left to be put right */
        }
}

static void restore(const struct guardian *guardian)
{
    const char *term = getenv("TERM");
    if (!guardian->is_closed && term && strcmp(term, "dumb") != 0) {
        put(restore_text);
        if (is_console(term))
            put(palette_text);
    }
    if (guardian->has_saved)
        (void)tcsetattr(STDIN_FILENO, TCSANOW, &guardian->saved); /* TCSADRAIN may wait for ever */
}

static void on_child(void *user, pid_t pid, int status)
{
    struct guardian *guardian = user;
    (void)pid;
    guardian->child = NULL;
    loop_stop(guardian->loop, WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status));
}

static void on_told(void *user, int fd, uint32_t events)
{
    struct guardian *guardian = user;
    char what[16];
    (void)events;
    ssize_t size = read(fd, what, sizeof what);
    for (ssize_t i = 0; i < size; i++) {
        guardian->is_closed = true; /* either way only the modes are left to be put right */
        if (what[i] == TOLD_DETACHED)
            loop_stop(guardian->loop, OVER_DETACHED);
    }
    if (size == 0 || (size < 0 && errno != EAGAIN && errno != EINTR))
        guardian->line = loop_fd_remove(guardian->line);
}

/* The screen did not end in time. */
static void on_patience(void *user)
{
    struct guardian *guardian = user;
    if (guardian->is_killed) {
        loop_stop(guardian->loop, 128 + SIGKILL);
        return;
    }
    guardian->is_killed = true;
    (void)kill(guardian->pid, SIGKILL);
    (void)loop_timer_set(guardian->patience, DEAD_NS, 0);
}

static void on_signal(void *user, int signo, int value)
{
    struct guardian *guardian = user;
    (void)value;
    (void)kill(guardian->pid, signo);
    if (guardian->signo)
        return;
    guardian->signo = signo;
    (void)loop_timer_set(guardian->patience, GRACE_NS, 0);
}

static int listen_to(struct guardian *guardian, int line)
{
    static const int signals[] = {SIGHUP, SIGTERM, SIGINT, SIGQUIT};
    int code = loop_new(&guardian->loop);
    for (size_t i = 0; i < ARRAY_SIZE(signals) && code == 0; i++)
        code = loop_on_signal(guardian->loop, signals[i], on_signal, guardian);
    if (code == 0)
        code = loop_add_timer(guardian->loop, 0, 0, on_patience, guardian, &guardian->patience);
    if (code == 0)
        code = loop_add_fd(guardian->loop, line, EPOLLIN, on_told, guardian, &guardian->line);
    return code;
}

/* In the child: the terminal and the pipe stay, everything else goes by close-on-exec. */
static void become_screen(const char *path, char **argv, int line)
{
    char guard[32];
    size_t count = 0;
    while (argv[count])
        count++;
    char **words = mem_new(count + 2, sizeof *words);
    (void)snprintf(guard, sizeof guard, "--guard=%d", line);
    words[0] = (char *)path;
    words[1] = guard;
    for (size_t i = 1; i < count; i++)
        words[i + 1] = argv[i];
    loop_child_setup();
    (void)signal(SIGTTOU, SIG_DFL);
    (void)fcntl(line, F_SETFD, 0);
    (void)execv(path, words);
    (void)fprintf(stderr, "iodyno: cannot start %s: %s\n", path, err_text(-errno));
    _exit(EXIT_ABSENT);
}

static int watch(struct guardian *guardian, const char *path, char **argv)
{
    int ends[2];
    if (pipe2(ends, O_CLOEXEC | O_NONBLOCK) < 0)
        return -errno;
    AUTO_CLOSE int line = ends[0];
    int code = listen_to(guardian, line);
    if (code < 0) {
        (void)close(ends[1]);
        return code;
    }
    guardian->pid = fork();
    if (guardian->pid == 0)
        become_screen(path, argv, ends[1]);
    (void)close(ends[1]);
    if (guardian->pid < 0)
        return -errno;
    code = loop_add_child(guardian->loop, guardian->pid, on_child, guardian, &guardian->child);
    if (code == 0)
        code = loop_run(guardian->loop);
    if (guardian->line) /* what was told just before the end */
        on_told(guardian, line, EPOLLIN);
    return code;
}

int guardian_run(int argc, char **argv)
{
    struct guardian guardian = {0};
    AUTO(str_done) struct str path = {0};
    char sentence[256];
    (void)argc;
    int code = places_program("iodyno-screen", &path);
    if (code == 0 && access(str_text(&path), X_OK) < 0)
        code = -errno;
    if (code == -ENOENT) {
        (void)fprintf(stderr, "iodyno: the screen is not installed here (iodyno was built without "
                              "it); `iodyno --help` lists the commands\n");
        return EXIT_ABSENT;
    }
    if (code < 0) {
        (void)fprintf(stderr, "iodyno: %s\n",
                      err_explain(sentence, sizeof sentence, code, "start the screen",
                                  path.size ? path.text : "iodyno-screen"));
        return EXIT_ABSENT;
    }
    guardian.has_saved = tcgetattr(STDIN_FILENO, &guardian.saved) == 0;
    (void)signal(SIGTTOU, SIG_IGN); /* else tcsetattr would stop us when we are in the background */
    code = watch(&guardian, str_text(&path), argv);
    restore(&guardian);
    (void)signal(SIGTTOU, SIG_DFL);
    loop_free(guardian.loop);
    if (code < 0)
        (void)fprintf(stderr, "iodyno: %s\n",
                      err_explain(sentence, sizeof sentence, code, "watch over", "iodyno-screen"));
    return code < 0 ? EXIT_FAULT : code == OVER_DETACHED ? 0 : code;
}
