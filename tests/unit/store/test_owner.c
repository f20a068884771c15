/* owner: a process is told from a later one with its pid, and from one of another boot. */
#include <sys/wait.h>
#include <unistd.h>

#include "scene.h"
#include "store/owner.h"

static void test_lives(void **state)
{
    char boot[OWNER_BOOT_MAX];
    struct owner self = owner_of(getpid()), other = self, none = {0};
    (void)state;
    assert_true(self.start > 0);
    assert_int_equal(strlen(owner_boot(boot)), 36);
    assert_true(owner_lives(&self, boot));
    other.start++;
    assert_false(owner_lives(&other, boot));
    assert_false(owner_lives(&none, boot));
    boot[0] = boot[0] == 'x' ? 'y' : 'x';
    assert_false(owner_lives(&self, boot));
}

static void test_dead(void **state)
{
    char boot[OWNER_BOOT_MAX];
    int pipes[2];
    char byte;
    (void)state;
    assert_int_equal(pipe(pipes), 0);
    pid_t pid = fork();
    if (pid == 0) {
        (void)close(pipes[1]);
        (void)!read(pipes[0], &byte, 1);
        _exit(0);
    }
    struct owner child = owner_of(pid);
    assert_true(owner_lives(&child, owner_boot(boot)));
    (void)close(pipes[0]);
    (void)close(pipes[1]);
    siginfo_t info;
    assert_int_equal(waitid(P_PID, (id_t)pid, &info, WEXITED | WNOWAIT), 0);
    assert_false(owner_lives(&child, boot)); /* dead, though nobody has reaped it */
    assert_int_equal(waitpid(pid, NULL, 0), pid);
    assert_false(owner_lives(&child, boot));
}

int main(void)
{
    static const struct CMUnitTest tests[] = {cmocka_unit_test(test_lives),
                                              cmocka_unit_test(test_dead)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
