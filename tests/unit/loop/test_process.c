/* process: starts our own programs with a line on descriptor 3. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/str.h"
#include "loop/loop.h"
#include "loop/process.h"

/* Runs a shell script; what it prints is added to `output`. */
static int run_script(const char *script, int line_fd, bool own_group, struct str *output)
{
    const char *const argv[] = {"sh", "-c", script, NULL};
    int ends[2], status = -1;
    char piece[4096];
    ssize_t size;
    pid_t pid = -1;

    assert_int_equal(pipe2(ends, O_CLOEXEC), 0);
    assert_int_equal(process_start(&(struct process_plan){.path = "/bin/sh",
                                                          .argv = argv,
                                                          .line_fd = line_fd,
                                                          .output_fd = ends[1],
                                                          .own_group = own_group},
                                   &pid),
                     0);
    (void)close(ends[1]);
    while ((size = read(ends[0], piece, sizeof(piece))) > 0)
        str_add_bytes(output, piece, (size_t)size);
    (void)close(ends[0]);
    assert_int_equal(waitpid(pid, &status, 0), pid);
    return status;
}

static const char LIST_FDS[] =
    "for f in /proc/$$/fd/*; do n=${f##*/}; [ $n -lt 10 ] && [ -e $f ] && "
    "printf '%s ' $n; done; readlink /proc/$$/fd/0";

static void only_four_descriptors_pass(void **state)
{
    struct str output = {0};
    int line[2], extra[3];

    (void)state;
    assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET, 0, line), 0);
    for (int i = 0; i < 3; i++)
        extra[i] = dup(line[0]); /* not close-on-exec */
    assert_int_equal(run_script(LIST_FDS, line[1], false, &output), 0);
    assert_string_equal(output.text, "0 1 2 3 /dev/null\n");
    str_clear(&output);
    assert_int_equal(run_script(LIST_FDS, -1, false, &output), 0);
    assert_string_equal(output.text, "0 1 2 /dev/null\n");
    str_clear(&output);
    assert_int_equal(setenv("IODYNO_NO_CLOSE_RANGE", "1", 1), 0);
    assert_int_equal(run_script(LIST_FDS, line[1], false, &output), 0);
    assert_int_equal(unsetenv("IODYNO_NO_CLOSE_RANGE"), 0);
    assert_string_equal(output.text, "0 1 2 3 /dev/null\n");
    for (int i = 0; i < 3; i++)
        (void)close(extra[i]);
    (void)close(line[0]);
    (void)close(line[1]);
    str_done(&output);
}

static void the_line_is_descriptor_three(void **state)
{
    struct str output = {0};
    char said[16] = "";
    int line[2];

    (void)state;
    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, line), 0);
    assert_int_equal(run_script("echo hello >&3; echo out; echo err >&2", line[1], false, &output),
                     0);
    assert_int_equal(read(line[0], said, sizeof(said) - 1), 6);
    assert_string_equal(said, "hello\n");
    assert_string_equal(output.text, "out\nerr\n");
    (void)close(line[0]);
    (void)close(line[1]);
    str_done(&output);
}

/* The plan's descriptors stand where the child's own places are. */
static void descriptors_that_stand_in_the_way_are_moved(void **state)
{
    const char *const argv[] = {"sh", "-c", "echo line >&3; echo out", NULL};
    char said[32] = "";
    int line[2], out[2], status;
    pid_t pid;

    (void)state;
    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, line), 0);
    assert_int_equal(pipe2(out, O_CLOEXEC), 0);
    pid = fork();
    if (pid == 0) { /* in a child: this moves descriptors 0 and 3 of the process */
        pid_t inner;

        if (dup2(out[1], 3) != 3 || dup2(line[1], 0) != 0)
            _exit(1);
        _exit(process_start(
                  &(struct process_plan){
                      .path = "/bin/sh", .argv = argv, .line_fd = 0, .output_fd = 3},
                  &inner) ||
              waitpid(inner, &status, 0) != inner || status != 0);
    }
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_int_equal(status, 0);
    assert_int_equal(read(line[0], said, sizeof(said)), 5);
    assert_memory_equal(said, "line\n", 5);
    assert_int_equal(read(out[0], said, sizeof(said)), 4);
    assert_memory_equal(said, "out\n", 4);
    for (int i = 0; i < 2; i++) {
        (void)close(line[i]);
        (void)close(out[i]);
    }
}

static void a_failed_exec_is_told(void **state)
{
    const char *const argv[] = {"nothing", NULL};
    pid_t pid = 77;

    (void)state;
    assert_int_equal(process_start(&(struct process_plan){.path = "/nonexistent/program",
                                                          .argv = argv,
                                                          .line_fd = -1,
                                                          .output_fd = -1},
                                   &pid),
                     -ENOENT);
    assert_int_equal(process_start(
                         &(struct process_plan){
                             .path = "/etc/passwd", .argv = argv, .line_fd = -1, .output_fd = -1},
                         &pid),
                     -EACCES);
    assert_int_equal(process_start(
                         &(struct process_plan){
                             .path = "/bin/sh", .argv = argv, .line_fd = 999, .output_fd = -1},
                         &pid),
                     -EBADF);
    assert_int_equal(pid, 77);
    assert_int_equal(waitpid(-1, NULL, WNOHANG), -1); /* nothing was left behind */
}

static void signals_are_as_a_new_program_expects_them(void **state)
{
    struct str output = {0};
    struct loop *loop = NULL;
    void (*before)(int) = signal(SIGPIPE, SIG_IGN);

    (void)state;
    assert_int_equal(loop_new(&loop), 0); /* blocks SIGCHLD */
    assert_int_equal(run_script("grep -E '^Sig(Blk|Ign)' /proc/self/status | tr -d '[:space:]'", -1,
                                false, &output),
                     0);
    assert_string_equal(output.text, "SigBlk:0000000000000000SigIgn:0000000000000000");
    loop = loop_free(loop);
    (void)signal(SIGPIPE, before);
    str_done(&output);
}

static void a_group_of_its_own_can_be_killed_as_a_whole(void **state)
{
    const char *const argv[] = {"sh", "-c", "sleep 60 & sleep 60", NULL};
    struct pollfd wait = {.events = POLLIN};
    int ends[2], status;
    pid_t pid = -1;

    (void)state;
    assert_int_equal(pipe2(ends, O_CLOEXEC), 0);
    assert_int_equal(process_start(&(struct process_plan){.path = "/bin/sh",
                                                          .argv = argv,
                                                          .line_fd = -1,
                                                          .output_fd = ends[1],
                                                          .own_group = true},
                                   &pid),
                     0);
    (void)close(ends[1]);
    assert_int_equal(getpgid(pid), pid);
    assert_int_equal(kill(-pid, SIGKILL), 0);
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_true(WIFSIGNALED(status));
    wait.fd = ends[0]; /* hangs up when the last of the group is gone */
    assert_int_equal(poll(&wait, 1, 5000), 1);
    assert_true(wait.revents & POLLHUP);
    (void)close(ends[0]);
}

static void a_crash_keeps_its_signal(void **state)
{
    struct str output = {0};
    int status;

    (void)state;
    status = run_script("kill -SEGV $$", -1, false, &output);
    assert_true(WIFSIGNALED(status));
    assert_int_equal(WTERMSIG(status), SIGSEGV);
    str_done(&output);
}

static void a_start_time_names_a_process(void **state)
{
    unsigned long long ours = 0, again = 0, first = 77;

    (void)state;
    assert_int_equal(process_start_time(getpid(), &ours), 0);
    assert_int_equal(process_start_time(getpid(), &again), 0);
    assert_true(ours > 0 && ours == again);
    assert_int_equal(process_start_time(-1, &first), -ESRCH);
    assert_int_equal(process_start_time(0x3fffffff, &first), -ESRCH);
    assert_int_equal(first, 77);
}

/* A shell that waits for our word; it ends by the signal it gets. */
static pid_t start_waiting(unsigned long long *ret_start)
{
    const char *const argv[] = {"sleep", "60", NULL};
    pid_t pid = -1;

    assert_int_equal(process_start(&(struct process_plan){.path = "/bin/sleep",
                                                          .argv = argv,
                                                          .line_fd = -1,
                                                          .output_fd = -1,
                                                          .own_group = true},
                                   &pid),
                     0);
    assert_int_equal(process_start_time(pid, ret_start), 0);
    return pid;
}

static void check_telling(void)
{
    unsigned long long start = 0;
    int status = 0;
    const pid_t pid = start_waiting(&start);

    assert_int_equal(process_tell(pid, start + 1, SIGRTMIN, 17), -ESRCH);
    assert_int_equal(waitpid(pid, &status, WNOHANG), 0); /* another process with its pid lives on */
    assert_int_equal(process_tell(pid, start, SIGRTMIN, 17), 0);
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_true(WIFSIGNALED(status));
    assert_int_equal(WTERMSIG(status), SIGRTMIN);
    assert_int_equal(process_tell(pid, start, SIGRTMIN, 17), -ESRCH);
    assert_int_equal(process_tell(0, start, SIGRTMIN, 17), -ESRCH);
    assert_int_equal(process_tell(-1, start, SIGRTMIN, 17), -ESRCH);
}

static void a_process_is_told_with_and_without_a_pidfd(void **state)
{
    (void)state;
    check_telling();
    assert_int_equal(setenv("IODYNO_NO_PIDFD", "1", 1), 0);
    check_telling();
    assert_int_equal(unsetenv("IODYNO_NO_PIDFD"), 0);
}

static void told(void *user, int signo, int value)
{
    (void)signo;
    *(int *)user = value;
}

static void what_is_told_arrives_with_its_value(void **state)
{
    struct loop *loop = NULL;
    unsigned long long start = 0;
    int value = 0;

    (void)state;
    assert_int_equal(loop_new(&loop), 0);
    assert_int_equal(loop_on_signal(loop, SIGRTMIN, told, &value), 0);
    assert_int_equal(process_start_time(getpid(), &start), 0);
    for (int i = 0; i < 2; i++) {
        assert_int_equal(setenv("IODYNO_NO_PIDFD", "1", 1), 0);
        if (i == 0)
            assert_int_equal(unsetenv("IODYNO_NO_PIDFD"), 0);
        assert_int_equal(process_tell(getpid(), start, SIGRTMIN, 4000 + i), 0);
        assert_int_equal(loop_turn(loop, 1000), 1);
        assert_int_equal(value, 4000 + i);
    }
    assert_int_equal(unsetenv("IODYNO_NO_PIDFD"), 0);
    assert_null(loop_free(loop));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(only_four_descriptors_pass),
        cmocka_unit_test(the_line_is_descriptor_three),
        cmocka_unit_test(descriptors_that_stand_in_the_way_are_moved),
        cmocka_unit_test(a_failed_exec_is_told),
        cmocka_unit_test(signals_are_as_a_new_program_expects_them),
        cmocka_unit_test(a_group_of_its_own_can_be_killed_as_a_whole),
        cmocka_unit_test(a_crash_keeps_its_signal),
        cmocka_unit_test(a_start_time_names_a_process),
        cmocka_unit_test(a_process_is_told_with_and_without_a_pidfd),
        cmocka_unit_test(what_is_told_arrives_with_its_value),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
