#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "pseudo.h"
#include "terminal/extent.h"

/* The other end answers as a terminal of 37 x 99 would, or with what the test wants. */
static int ask(const char *answer, int *ret_rows, int *ret_columns)
{
    char name[64], bytes[64];
    int master = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);

    if (master < 0 || grantpt(master) < 0 || unlockpt(master) < 0 ||
        ptsname_r(master, name, sizeof(name)) != 0)
        return -ENODEV;
    int slave = open(name, O_RDWR | O_NOCTTY | O_CLOEXEC);
    pid_t pid = fork();
    if (pid == 0) {
        if (read(master, bytes, sizeof(bytes)) > 0)
            (void)!write(master, answer, strlen(answer));
        _exit(0);
    }
    assert_int_equal(extent_read(slave, ret_rows, ret_columns), -ENODATA);
    int code = extent_ask(slave, slave);
    if (code == 0)
        code = extent_read(slave, ret_rows, ret_columns);
    (void)waitpid(pid, NULL, 0);
    (void)close(slave);
    (void)close(master);
    return code;
}

static void the_terminal_is_asked_where_the_kernel_does_not_know(void **state)
{
    int rows = 0, columns = 0;

    (void)state;
    int code = ask("\033[37;99R", &rows, &columns);
    if (code == -ENODEV)
        skip();
    assert_int_equal(code, 0);
    assert_int_equal(rows, 37);
    assert_int_equal(columns, 99);
}

static void nonsense_and_silence_are_no_answer(void **state)
{
    int rows = 5, columns = 5;

    (void)state;
    int code = ask("\033[0;0R", &rows, &columns);
    if (code == -ENODEV)
        skip();
    assert_int_equal(code, -ETIMEDOUT);
    assert_int_equal(ask("hello R", &rows, &columns), -ETIMEDOUT);
    assert_int_equal(ask("", &rows, &columns), -ETIMEDOUT);
    assert_int_equal(ask("\033[99999;99999R", &rows, &columns), -ETIMEDOUT);
    assert_int_equal(rows, 5);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_terminal_is_asked_where_the_kernel_does_not_know),
        cmocka_unit_test(nonsense_and_silence_are_no_answer),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
