#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

#include "pseudo.h"
#include "terminal/canvas.h"
#include "terminal/keys.h"
#include "terminal/term.h"
#include "terminal/term_kind.h"

#define OUTPUT_MAX 16384

/* A child that has the terminal; the test holds the other end. */
struct other {
    int master, slave, keys; /* keys: what term_key returned, as ints */
    pid_t pid;
    char output[OUTPUT_MAX];
    size_t size;
};

static int open_pair(struct other *other)
{
    char name[64];

    other->master = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
    if (other->master < 0 || grantpt(other->master) < 0 || unlockpt(other->master) < 0 ||
        ptsname_r(other->master, name, sizeof(name)) != 0)
        return -1;
    struct winsize size = {.ws_row = 24, .ws_col = 80};
    (void)ioctl(other->master, TIOCSWINSZ, &size);
    other->slave = open(name, O_RDWR | O_NOCTTY | O_CLOEXEC);
    return other->slave;
}

static void live(int keys, int fault)
{
    struct theme theme;
    char why[128];

    theme_plain(&theme);
    theme.sets_palette = true;
    struct term_plan plan = {.glyphs = "auto", .theme = &theme};
    if (term_open(&plan, why, sizeof(why)) < 0)
        _exit(9);
    canvas_begin();
    (void)canvas_text(0, 0, 10, ROLE_ACCENT, "here");
    canvas_end();
    if (fault)
        (void)raise(fault);
    for (;;) {
        struct pollfd input = {.fd = STDIN_FILENO, .events = POLLIN};
        (void)poll(&input, 1, 5000);
        for (int key = term_key(); key; key = term_key()) {
            (void)!write(keys, &key, sizeof(key));
            if (key == 'Q') {
                term_close();
                term_close();
                _exit(0);
            }
        }
    }
}

static int start(struct other *other, const char *term, int fault)
{
    int ends[2];

    *other = (struct other){.keys = -1};
    if (open_pair(other) < 0 || pipe(ends) < 0)
        return -1;
    other->pid = fork();
    if (other->pid == 0) {
        (void)dup2(other->slave, STDIN_FILENO);
        (void)dup2(other->slave, STDOUT_FILENO);
        (void)setenv("TERM", term, 1);
        (void)setenv("LC_ALL", "C.UTF-8", 1);
        (void)unsetenv("NO_COLOR");
        live(ends[1], fault);
    }
    (void)close(ends[1]);
    other->keys = ends[0];
    return 0;
}

static void collect(struct other *other, int ms)
{
    struct pollfd output = {.fd = other->master, .events = POLLIN};

    while (other->size + 1 < OUTPUT_MAX && poll(&output, 1, ms) > 0) {
        ssize_t size =
            read(other->master, other->output + other->size, OUTPUT_MAX - 1 - other->size);
        if (size <= 0)
            break;
        other->size += (size_t)size;
    }
}

/* Reads on while it ends: it waits for its last bytes to be taken. */
static int finish(struct other *other)
{
    int status = -1;

    for (int turn = 0; turn < 500; turn++) {
        collect(other, 20);
        if (waitpid(other->pid, &status, WNOHANG) != 0)
            break;
        if (turn == 499)
            (void)kill(other->pid, SIGKILL);
    }
    collect(other, 0);
    return status;
}

static void done(struct other *other)
{
    (void)close(other->master);
    (void)close(other->slave);
    (void)close(other->keys);
}

/* Place of the last occurrence; the output holds NUL bytes nowhere. */
static long last(const struct other *other, const char *text)
{
    const char *found = NULL;

    for (const char *at = other->output; (at = strstr(at, text)); at++)
        found = at;
    return found ? found - other->output : -1;
}

static void assert_restored(struct other *other, const struct termios *before)
{
    struct termios after;

    assert_int_equal(tcgetattr(other->slave, &after), 0);
    assert_int_equal(after.c_lflag, before->c_lflag);
    assert_int_equal(after.c_iflag, before->c_iflag);
    assert_int_equal(after.c_oflag, before->c_oflag);
    assert_true(last(other, "\033[?1049h") >= 0);
    assert_true(last(other, "\033[?1049l") > last(other, "\033[?1049h"));
    assert_true(last(other, "\033[?25l") >= 0);
    assert_true(last(other, "\033[?12l\033[?25h") > last(other, "\033[?25l"));
    /* A terminal may bring a saved, hidden cursor back as it leaves the page. */
    assert_true(last(other, "\033[?25h") > last(other, "\033[?1049l"));
}

static void every_fault_restores_the_terminal(void **state)
{
    static const int faults[] = {SIGSEGV, SIGABRT, SIGBUS, SIGFPE, SIGILL};

    (void)state;
    for (size_t i = 0; i < sizeof(faults) / sizeof(faults[0]); i++) {
        struct other other;
        struct termios before;
        if (start(&other, "xterm-256color", faults[i]) < 0)
            skip();
        assert_int_equal(tcgetattr(other.slave, &before), 0);
        before.c_lflag |= ICANON | ECHO | ISIG; /* as a new one has them */
        int status = finish(&other);
        assert_true(WIFSIGNALED(status));
        assert_int_equal(WTERMSIG(status), faults[i]);
        struct termios after;
        assert_int_equal(tcgetattr(other.slave, &after), 0);
        assert_true(after.c_lflag & ICANON && after.c_lflag & ECHO && after.c_lflag & ISIG);
        assert_true(last(&other, "\033[?1049l") > last(&other, "\033[?1049h"));
        assert_true(last(&other, "\033[?25h") > last(&other, "\033[?25l"));
        assert_true(last(&other, "\033[?25h") > last(&other, "\033[?1049l"));
        done(&other);
    }
}

static void a_console_gets_its_palette_back(void **state)
{
    struct other other;

    (void)state;
    if (start(&other, "linux", SIGSEGV) < 0)
        skip();
    (void)finish(&other);
    assert_true(last(&other, "\033]P") >= 0);
    assert_true(last(&other, "\033]R") > last(&other, "\033]P"));
    done(&other);
    assert_int_equal(start(&other, "linux", 0), 0);
    (void)!write(other.master, "Q", 1);
    (void)finish(&other);
    assert_true(last(&other, "\033]R") > last(&other, "\033]P"));
    /* It has no other page to leave: the prompt must not come to lie over the last row. */
    assert_true(last(&other, "\n") > last(&other, "\033]R"));
    done(&other);
}

static void closing_restores_and_may_be_done_twice(void **state)
{
    struct other other;
    struct termios before;

    (void)state;
    if (open_pair(&other) < 0)
        skip();
    assert_int_equal(tcgetattr(other.slave, &before), 0);
    (void)close(other.slave);
    (void)close(other.master);
    assert_int_equal(start(&other, "xterm-256color", 0), 0);
    (void)!write(other.master, "Q", 1);
    int status = finish(&other);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 0);
    assert_restored(&other, &before);
    done(&other);
}

static int next_key(struct other *other)
{
    struct pollfd input = {.fd = other->keys, .events = POLLIN};
    int key = 0;

    if (poll(&input, 1, 3000) <= 0 || read(other->keys, &key, sizeof(key)) != sizeof(key))
        return -1;
    return key;
}

static void keys_come_as_codes(void **state)
{
    static const struct {
        const char *bytes;
        int key;
    } cases[] = {
        {"a", 'a'},
        {"\xc3\xa9", 0xe9},
        {"\r", KEY_CODE_ENTER},
        {"\t", KEY_CODE_TAB},
        {"\x7f", KEY_CODE_BACKSPACE},
        {"\x03", 3},
        {"\x1a", 26},
        {"\x1c", 28},
        {"\033OA", KEY_CODE_UP},
        {"\033[A", KEY_CODE_UP},
        {"\033[B", KEY_CODE_DOWN},
        {"\033OC", KEY_CODE_RIGHT},
        {"\033[D", KEY_CODE_LEFT},
        {"\033[5~", KEY_CODE_PAGE_UP},
        {"\033[6~", KEY_CODE_PAGE_DOWN},
        {"\033[3~", KEY_CODE_DELETE},
        {"\033[H", KEY_CODE_HOME},
        {"\033[F", KEY_CODE_END},
        {"\033[Z", KEY_CODE_BACK_TAB},
        {"\033OP", KEY_CODE_F1},
        {"\0331", KEY_CODE_F1},
        {"\033", KEY_CODE_ESCAPE},
    };
    struct other other;

    (void)state;
    if (start(&other, "xterm-256color", 0) < 0)
        skip();
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        (void)!write(other.master, cases[i].bytes, strlen(cases[i].bytes));
        assert_int_equal(next_key(&other), cases[i].key);
        collect(&other, 0);
    }
    /* what nobody knows does nothing, its letters least of all */
    (void)!write(other.master, "\033[1;77X\033[?62;4cq", 16);
    assert_int_equal(next_key(&other), 'q');
    (void)!write(other.master, "\033x", 2);
    assert_int_equal(next_key(&other), KEY_CODE_ESCAPE);
    assert_int_equal(next_key(&other), 'x');
    (void)!write(other.master, "Q", 1);
    (void)finish(&other);
    done(&other);
}

static void every_terminal_can_be_opened(void **state)
{
    static const char *const terms[] = {"xterm", "vt100", "vt102",  "vt220", "linux",
                                        "ansi",  "dumb",  "screen", "",      "no-such-terminal",
                                        "tty33", "wy50"};

    (void)state;
    for (size_t i = 0; i < sizeof(terms) / sizeof(terms[0]); i++) {
        struct other other;
        if (start(&other, terms[i], 0) < 0)
            skip();
        (void)!write(other.master, "Q", 1);
        int status = finish(&other);
        assert_true(WIFEXITED(status));
        assert_int_equal(WEXITSTATUS(status), 0);
        done(&other);
    }
}

static void paper_gets_lines_and_its_modes_back(void **state)
{
    static const char *const terms[] = {"dumb", "tty33", "glasstty"};

    (void)state;
    for (size_t i = 0; i < sizeof(terms) / sizeof(terms[0]); i++) {
        if (i > 0 && !term_kind_of(terms[i]).is_known) /* in a package of its own */
            continue;
        for (int fault = 0; fault <= SIGSEGV; fault += SIGSEGV) {
            struct other other;
            struct termios after;
            if (start(&other, terms[i], fault) < 0)
                skip();
            for (int turn = 0; turn < 250 && last(&other, "here") < 0; turn++)
                collect(&other, 20);
            if (!fault) /* typed before, the line would echo it */
                (void)!write(other.master, "Q", 1);
            int status = finish(&other);
            assert_true(fault ? WIFSIGNALED(status) : WIFEXITED(status));
            other.output[other.size] = 0;
            assert_string_equal(other.output, "\r\nhere\r\n");
            assert_int_equal(tcgetattr(other.slave, &after), 0);
            assert_true(after.c_lflag & ICANON && after.c_lflag & ECHO && after.c_lflag & ISIG);
            done(&other);
        }
    }
}

static void no_terminal_is_a_sentence(void **state)
{
    struct theme theme;
    char why[128] = "";
    int before = dup(STDIN_FILENO), none = open("/dev/null", O_RDWR | O_CLOEXEC);

    (void)state;
    theme_plain(&theme);
    struct term_plan plan = {.glyphs = "auto", .theme = &theme};
    (void)dup2(none, STDIN_FILENO);
    assert_true(term_open(&plan, why, sizeof(why)) < 0);
    assert_non_null(strstr(why, "terminal"));
    plan.glyphs = "sixteenths";
    assert_true(term_open(&plan, why, sizeof(why)) < 0);
    assert_non_null(strstr(why, "sixteenths"));
    (void)dup2(before, STDIN_FILENO);
    (void)close(before);
    (void)close(none);
    term_close();
    assert_int_equal(term_key(), 0);
    assert_int_equal(term_rows(), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_fault_restores_the_terminal),
        cmocka_unit_test(a_console_gets_its_palette_back),
        cmocka_unit_test(closing_restores_and_may_be_done_twice),
        cmocka_unit_test(keys_come_as_codes),
        cmocka_unit_test(every_terminal_can_be_opened),
        cmocka_unit_test(paper_gets_lines_and_its_modes_back),
        cmocka_unit_test(no_terminal_is_a_sentence),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
