/* loop: descriptors, timers, signals and children as callbacks. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/epoll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/clock.h"
#include "loop/loop.h"

#define MANY 8

static struct {
    struct loop *loop;
    struct loop_fd *fds[MANY];
    struct loop_timer *timer;
    struct loop_child *child, *other;
    int pipes[MANY][2];
    unsigned calls, last_signal;
    int status;
    uint64_t shots[MANY];
    int values[MANY];
} t;

static int setup(void **state)
{
    (void)state;
    t.calls = t.last_signal = 0;
    t.status = -1;
    t.timer = NULL;
    t.child = t.other = NULL;
    for (int i = 0; i < MANY; i++) {
        t.fds[i] = NULL;
        if (pipe2(t.pipes[i], O_CLOEXEC | O_NONBLOCK) < 0)
            return -1;
    }
    return loop_new(&t.loop);
}

static int teardown(void **state)
{
    (void)state;
    t.loop = loop_free(t.loop);
    for (int i = 0; i < MANY; i++) {
        (void)close(t.pipes[i][0]);
        (void)close(t.pipes[i][1]);
    }
    return t.loop == NULL ? 0 : -1;
}

static void on_fd_count(void *user, int fd, uint32_t events)
{
    char byte;

    (void)user;
    assert_true(events & EPOLLIN);
    assert_int_equal(read(fd, &byte, 1), 1);
    t.calls++;
}

static void a_ready_descriptor_is_called_back(void **state)
{
    (void)state;
    assert_int_equal(loop_add_fd(t.loop, t.pipes[0][0], EPOLLIN, on_fd_count, NULL, &t.fds[0]), 0);
    assert_int_equal(loop_turn(t.loop, 0), 0);
    assert_int_equal(write(t.pipes[0][1], "x", 1), 1);
    assert_int_equal(loop_turn(t.loop, 1000), 1);
    assert_int_equal(t.calls, 1);
    assert_int_equal(loop_turn(t.loop, 0), 0);
}

static void wanting_nothing_silences_a_descriptor(void **state)
{
    (void)state;
    assert_int_equal(loop_add_fd(t.loop, t.pipes[0][0], EPOLLIN, on_fd_count, NULL, &t.fds[0]), 0);
    assert_int_equal(write(t.pipes[0][1], "x", 1), 1);
    assert_int_equal(loop_fd_want(t.fds[0], 0), 0);
    assert_int_equal(loop_turn(t.loop, 0), 0);
    assert_int_equal(loop_fd_want(t.fds[0], EPOLLIN), 0);
    assert_int_equal(loop_turn(t.loop, 0), 1);
}

static void on_fd_remove_all(void *user, int fd, uint32_t events)
{
    (void)user;
    (void)fd;
    (void)events;
    t.calls++;
    for (int i = 0; i < MANY; i++)
        t.fds[i] = loop_fd_remove(t.fds[i]);
}

static void one_callback_may_remove_all_that_are_ready(void **state)
{
    (void)state;
    for (int i = 0; i < MANY; i++) {
        assert_int_equal(
            loop_add_fd(t.loop, t.pipes[i][0], EPOLLIN, on_fd_remove_all, NULL, &t.fds[i]), 0);
        assert_int_equal(write(t.pipes[i][1], "x", 1), 1);
    }
    assert_int_equal(loop_turn(t.loop, 0), 1);
    assert_int_equal(t.calls, 1);
    assert_int_equal(loop_turn(t.loop, 0), 0);
}

/* The new handle may get the old one's memory: the old one's event must not reach it. */
static void on_fd_replace(void *user, int fd, uint32_t events)
{
    (void)user;
    (void)fd;
    (void)events;
    t.calls++;
    for (int i = 0; i < MANY; i++) {
        t.fds[i] = loop_fd_remove(t.fds[i]);
        assert_int_equal(
            loop_add_fd(t.loop, t.pipes[i][0], EPOLLIN, on_fd_replace, NULL, &t.fds[i]), 0);
    }
}

static void a_replaced_handle_gets_no_event_of_the_old_one(void **state)
{
    (void)state;
    for (int i = 0; i < MANY; i++) {
        assert_int_equal(
            loop_add_fd(t.loop, t.pipes[i][0], EPOLLIN, on_fd_replace, NULL, &t.fds[i]), 0);
        assert_int_equal(write(t.pipes[i][1], "x", 1), 1);
    }
    assert_int_equal(loop_turn(t.loop, 0), 1);
}

static void a_plain_file_cannot_be_waited_for(void **state)
{
    const int fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);

    (void)state;
    assert_int_equal(loop_add_fd(t.loop, fd, EPOLLIN, on_fd_count, NULL, &t.fds[0]), -EPERM);
    assert_null(t.fds[0]);
    assert_null(loop_fd_remove(NULL));
    (void)close(fd);
}

static void on_timer_note(void *user)
{
    (void)user;
    if (t.calls < MANY)
        t.shots[t.calls] = clock_mono_ns();
    t.calls++;
}

static void a_timer_keeps_its_grid(void **state)
{
    const uint64_t start_ns = clock_mono_ns(), every_ns = 10 * NS_PER_MS;

    (void)state;
    assert_int_equal(loop_add_timer(t.loop, every_ns, every_ns, on_timer_note, NULL, &t.timer), 0);
    while (t.calls < 4)
        assert_true(loop_turn(t.loop, 1000) >= 0);
    for (unsigned i = 0; i < 4; i++)
        assert_true(t.shots[i] >= start_ns + (i + 1) * every_ns);
    t.timer = loop_timer_remove(t.timer);
    assert_int_equal(loop_turn(t.loop, 20), 0);
}

static void a_single_shot_comes_once_and_can_be_set_anew(void **state)
{
    (void)state;
    assert_int_equal(loop_add_timer(t.loop, NS_PER_MS, 0, on_timer_note, NULL, &t.timer), 0);
    assert_int_equal(loop_turn(t.loop, 1000), 1);
    assert_int_equal(loop_turn(t.loop, 10), 0);
    assert_int_equal(loop_timer_set(t.timer, NS_PER_MS, 0), 0);
    assert_int_equal(loop_turn(t.loop, 1000), 1);
    assert_int_equal(loop_timer_set(t.timer, NS_PER_MS, NS_PER_MS), 0);
    assert_int_equal(loop_timer_set(t.timer, 0, 0), 0);
    assert_int_equal(loop_turn(t.loop, 10), 0);
    assert_int_equal(t.calls, 2);
}

static void lateness_is_that_of_the_first_missed_shot(void **state)
{
    uint64_t late_ns;

    (void)state;
    assert_int_equal(loop_worst_late_ns(t.loop), 0);
    assert_int_equal(
        loop_add_timer(t.loop, 10 * NS_PER_MS, 10 * NS_PER_MS, on_timer_note, NULL, &t.timer), 0);
    assert_int_equal(poll(NULL, 0, 135), 0);
    assert_int_equal(loop_turn(t.loop, 1000), 1);
    late_ns = loop_worst_late_ns(t.loop);
    assert_true(late_ns >= 125 * NS_PER_MS && late_ns < 10 * NS_PER_S);
    assert_int_equal(poll(NULL, 0, 135), 0); /* the missed shots are not owed twice */
    assert_int_equal(loop_turn(t.loop, 1000), 1);
    assert_true(loop_worst_late_ns(t.loop) < late_ns + 100 * NS_PER_MS);
}

static void on_timer_remove_itself(void *user)
{
    (void)user;
    t.calls++;
    t.timer = loop_timer_remove(t.timer);
}

static void a_timer_may_remove_itself(void **state)
{
    (void)state;
    assert_int_equal(loop_add_timer(t.loop, 0, NS_PER_MS, on_timer_remove_itself, NULL, &t.timer),
                     0);
    assert_int_equal(loop_turn(t.loop, 1000), 1);
    assert_int_equal(loop_turn(t.loop, 10), 0);
}

static void on_signal(void *user, int signo, int value)
{
    (void)user;
    t.values[t.calls++ % MANY] = value;
    t.last_signal = (unsigned)signo;
    loop_stop(t.loop, 42);
}

static void a_signal_can_stop_the_run(void **state)
{
    (void)state;
    assert_int_equal(loop_on_signal(t.loop, SIGUSR1, on_signal, NULL), 0);
    assert_int_equal(loop_on_signal(t.loop, 0, on_signal, NULL), -EINVAL);
    assert_int_equal(loop_on_signal(t.loop, 1000, on_signal, NULL), -EINVAL);
    assert_int_equal(raise(SIGUSR1), 0);
    assert_int_equal(loop_run(t.loop), 42);
    assert_int_equal(t.last_signal, SIGUSR1);
}

static void queued_signals_come_one_by_one_with_their_values(void **state)
{
    (void)state;
    assert_int_equal(loop_on_signal(t.loop, SIGRTMIN, on_signal, NULL), 0);
    assert_int_equal(sigqueue(getpid(), SIGRTMIN, (union sigval){.sival_int = 17}), 0);
    assert_int_equal(sigqueue(getpid(), SIGRTMIN, (union sigval){.sival_int = -2}), 0);
    assert_int_equal(kill(getpid(), SIGRTMIN), 0);
    assert_int_equal(loop_turn(t.loop, 1000), 3);
    assert_int_equal(t.calls, 3);
    assert_int_equal(t.values[0], 17);
    assert_int_equal(t.values[1], -2);
    assert_int_equal(t.values[2], 0); /* not queued: no value */
    assert_int_equal(t.last_signal, SIGRTMIN);
}

static void freeing_restores_the_signal_mask(void **state)
{
    sigset_t mask;

    (void)state;
    (void)sigprocmask(SIG_BLOCK, NULL, &mask);
    assert_true(sigismember(&mask, SIGCHLD));
    t.loop = loop_free(t.loop);
    (void)sigprocmask(SIG_BLOCK, NULL, &mask);
    assert_false(sigismember(&mask, SIGCHLD));
}

static pid_t child_that_exits(int code)
{
    const pid_t pid = fork();

    if (pid == 0)
        _exit(code);
    return pid;
}

static void on_child(void *user, pid_t pid, int status)
{
    (void)user;
    (void)pid;
    t.calls++;
    t.status = status;
    t.child = loop_child_remove(t.child);
}

static void a_child_is_reaped_once(void **state)
{
    const pid_t pid = child_that_exits(7);

    (void)state;
    assert_int_equal(loop_add_child(t.loop, pid, on_child, NULL, &t.child), 0);
    while (t.calls == 0)
        assert_true(loop_turn(t.loop, 1000) >= 0);
    assert_true(WIFEXITED(t.status));
    assert_int_equal(WEXITSTATUS(t.status), 7);
    assert_int_equal(loop_turn(t.loop, 0), 0);
    assert_int_equal(waitpid(pid, NULL, WNOHANG), -1);
    assert_int_equal(errno, ECHILD);
}

static void on_child_ask_group(void *user, pid_t pid, int status)
{
    *(int *)user = kill(-pid, 0);
    on_child(NULL, pid, status);
}

/* Whoever kills what a child left behind in its group must not hit a newcomer of the same number.
 */
static void the_group_of_a_child_is_its_own_until_it_was_told(void **state)
{
    int reached = -1;
    const pid_t pid = fork();

    (void)state;
    if (pid == 0) {
        (void)setpgid(0, 0);
        _exit(0);
    }
    assert_int_equal(loop_add_child(t.loop, pid, on_child_ask_group, &reached, &t.child), 0);
    while (t.calls == 0)
        assert_true(loop_turn(t.loop, 1000) >= 0);
    assert_int_equal(reached, 0);
    assert_int_equal(kill(-pid, 0), -1);
    assert_int_equal(errno, ESRCH);
}

static void a_killed_child_shows_its_signal(void **state)
{
    const pid_t pid = fork();

    (void)state;
    if (pid == 0) {
        (void)poll(NULL, 0, 60000);
        _exit(0);
    }
    assert_int_equal(loop_add_child(t.loop, pid, on_child, NULL, &t.child), 0);
    assert_int_equal(kill(pid, SIGKILL), 0);
    while (t.calls == 0)
        assert_true(loop_turn(t.loop, 1000) >= 0);
    assert_true(WIFSIGNALED(t.status));
    assert_int_equal(WTERMSIG(t.status), SIGKILL);
}

static void a_child_that_ended_before_is_still_told(void **state)
{
    const pid_t pid = child_that_exits(0);
    siginfo_t info;

    (void)state;
    assert_int_equal(waitid(P_PID, (id_t)pid, &info, WEXITED | WNOWAIT), 0);
    while (loop_turn(t.loop, 0) > 0)
        ; /* SIGCHLD is used up */
    assert_int_equal(loop_add_child(t.loop, pid, on_child, NULL, &t.child), 0);
    assert_int_equal(loop_turn(t.loop, 1000), 1);
    assert_int_equal(t.calls, 1);
}

static void a_removed_child_is_reaped_in_silence(void **state)
{
    const pid_t pid = child_that_exits(0);
    siginfo_t info;

    (void)state;
    assert_int_equal(loop_add_child(t.loop, pid, on_child, NULL, &t.child), 0);
    t.child = loop_child_remove(t.child);
    assert_int_equal(waitid(P_PID, (id_t)pid, &info, WEXITED | WNOWAIT), 0);
    assert_int_equal(loop_turn(t.loop, 0), 0);
    assert_int_equal(waitpid(pid, NULL, WNOHANG), -1);
    assert_int_equal(t.calls, 0);
}

static void foreign_children_are_left_alone(void **state)
{
    const pid_t pid = child_that_exits(0);
    siginfo_t info;

    (void)state;
    assert_int_equal(waitid(P_PID, (id_t)pid, &info, WEXITED | WNOWAIT), 0);
    assert_int_equal(loop_turn(t.loop, 0), 0);
    assert_int_equal(waitpid(pid, NULL, WNOHANG), pid);
    assert_int_equal(loop_add_child(t.loop, pid, on_child, NULL, &t.child), -ECHILD);
    assert_int_equal(loop_add_child(t.loop, 0, on_child, NULL, &t.child), -EINVAL);
}

static void on_child_remove_both(void *user, pid_t pid, int status)
{
    (void)user;
    (void)pid;
    (void)status;
    t.calls++;
    t.child = loop_child_remove(t.child);
    t.other = loop_child_remove(t.other);
}

static void one_child_may_remove_another(void **state)
{
    const pid_t first = child_that_exits(0), second = child_that_exits(0);
    siginfo_t info;

    (void)state;
    assert_int_equal(waitid(P_PID, (id_t)first, &info, WEXITED | WNOWAIT), 0);
    assert_int_equal(waitid(P_PID, (id_t)second, &info, WEXITED | WNOWAIT), 0);
    assert_int_equal(loop_add_child(t.loop, first, on_child_remove_both, NULL, &t.child), 0);
    assert_int_equal(loop_add_child(t.loop, second, on_child_remove_both, NULL, &t.other), 0);
    assert_int_equal(loop_turn(t.loop, 1000), 1);
    assert_int_equal(t.calls, 1);
    assert_int_equal(waitpid(first, NULL, WNOHANG), -1);
    assert_int_equal(waitpid(second, NULL, WNOHANG), -1);
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(a_ready_descriptor_is_called_back),
        CASE(wanting_nothing_silences_a_descriptor),
        CASE(one_callback_may_remove_all_that_are_ready),
        CASE(a_replaced_handle_gets_no_event_of_the_old_one),
        CASE(a_plain_file_cannot_be_waited_for),
        CASE(a_timer_keeps_its_grid),
        CASE(a_single_shot_comes_once_and_can_be_set_anew),
        CASE(lateness_is_that_of_the_first_missed_shot),
        CASE(a_timer_may_remove_itself),
        CASE(a_signal_can_stop_the_run),
        CASE(queued_signals_come_one_by_one_with_their_values),
        CASE(freeing_restores_the_signal_mask),
        CASE(a_child_is_reaped_once),
        CASE(the_group_of_a_child_is_its_own_until_it_was_told),
        CASE(a_killed_child_shows_its_signal),
        CASE(a_child_that_ended_before_is_still_told),
        CASE(a_removed_child_is_reaped_in_silence),
        CASE(foreign_children_are_left_alone),
        CASE(one_child_may_remove_another),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
