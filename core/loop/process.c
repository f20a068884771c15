#include "loop/process.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/str.h"
#include "base/units.h"
#include "loop/loop.h"

#define LINE_FD 3   /* where the program finds its line */
#define REPORT_FD 4 /* where the child tells that exec failed, until exec closes it */
#define ASIDE 10    /* descriptors are moved at or above this before they take their places */
#define EXEC_WAIT_NS (NS_PER_S / 2) /* a program on a stuck disk may take for ever to start */

extern char **environ;

static void close_from_one_by_one(int first)
{
    DIR *folder = opendir("/proc/self/fd");
    struct rlimit limit = {.rlim_cur = 1024};
    struct dirent *entry;
    uint64_t fd;

    if (folder) {
        while ((entry = readdir(folder))) {
            if (units_parse_u64(entry->d_name, &fd) == 0 && fd >= (uint64_t)first &&
                fd != (uint64_t)dirfd(folder))
                (void)close((int)fd);
        }
        (void)closedir(folder);
        return;
    }
    (void)getrlimit(RLIMIT_NOFILE, &limit);
    for (int at = first; at < (limit.rlim_cur < 65536 ? (int)limit.rlim_cur : 65536); at++)
        (void)close(at);
}

/* IODYNO_NO_CLOSE_RANGE forces the way of kernels before 5.9. */
static void close_from(int first)
{
#ifdef SYS_close_range
    if (!getenv("IODYNO_NO_CLOSE_RANGE") && syscall(SYS_close_range, first, UINT_MAX, 0) == 0)
        return;
#endif
    close_from_one_by_one(first);
}

/* Descriptors 0 to 4 of the new program. All sources stand at ASIDE or above by now, so that none
 * is overwritten before it was used. */
static int place_descriptors(int null_fd, int output_fd, int line_fd, int report_fd)
{
    const int sources[] = {null_fd, output_fd, output_fd, line_fd, report_fd};

    for (int target = 0; target < (int)ARRAY_SIZE(sources); target++) {
        if (sources[target] < 0) {
            (void)close(target);
            continue;
        }
        if (dup3(sources[target], target, target == REPORT_FD ? O_CLOEXEC : 0) < 0)
            return -errno;
    }
    close_from(REPORT_FD + 1);
    return 0;
}

static int move_aside(int fd)
{
    return fd < 0 ? -1 : fcntl(fd, F_DUPFD_CLOEXEC, ASIDE);
}

static void __attribute__((noreturn))
become(const struct process_plan *plan, char *const *environment, int report_fd)
{
    const int report = move_aside(report_fd), line = move_aside(plan->line_fd);
    const int null = move_aside(open("/dev/null", O_RDWR | O_CLOEXEC));
    const int output = plan->output_fd < 0 ? null : move_aside(plan->output_fd);
    int report_to = report < 0 ? report_fd : report, code = 0;

    if (report < 0 || null < 0 || output < 0 || (plan->line_fd >= 0 && line < 0))
        code = -errno;
    if (plan->own_group)
        (void)setpgid(0, 0);
    loop_child_setup();
    if (code == 0)
        code = place_descriptors(null, output, line, report);
    if (code == 0) {
        /* execve only reads the arguments; its type is older than const. */
        execve(plan->path, (char *const *)(uintptr_t)plan->argv, environment);
        code = -errno;
        report_to = REPORT_FD;
    }
    (void)signal(SIGPIPE, SIG_IGN); /* who started us may not have waited so long */
    (void)!write(report_to, &code, sizeof(code));
    _exit(127);
}

/* What the child said: 0 when exec closed the pipe or nothing came in time. */
static int read_report(int fd)
{
    const uint64_t limit_ns = clock_mono_ns() + EXEC_WAIT_NS;
    int code = 0;

    for (;;) {
        struct pollfd wait = {.fd = fd, .events = POLLIN};
        const uint64_t now_ns = clock_mono_ns();
        const int left_ms = now_ns < limit_ns ? (int)((limit_ns - now_ns) / NS_PER_MS) : 0;
        const int ready = poll(&wait, 1, left_ms);

        if (ready == 0)
            return 0;
        if (ready < 0 && errno == EINTR)
            continue;
        if (ready < 0 || read(fd, &code, sizeof(code)) != (ssize_t)sizeof(code))
            return 0;
        return code;
    }
}

#ifdef IODYNO_SANITIZED
/* A sanitized build must let the kernel end a crashing program by its signal, as every other build
 * does. The array is freed by the caller, and so is its first entry. */
static char **new_environment(void)
{
    const char *before = getenv("ASAN_OPTIONS");
    AUTO(str_done) struct str options = {0};
    size_t count = 0, used = 0;
    char **environment;

    while (environ[count])
        count++;
    environment = mem_new(count + 2, sizeof(*environment));
    str_addf(&options, "ASAN_OPTIONS=%s%s", before ? before : "", before ? ":" : "");
    str_add(&options,
            "handle_segv=0:handle_sigbus=0:handle_abort=0:handle_sigfpe=0:handle_sigill=0");
    environment[used++] = str_take(&options);
    for (size_t i = 0; i < count; i++) {
        if (!str_starts(environ[i], "ASAN_OPTIONS="))
            environment[used++] = environ[i];
    }
    return environment;
}
#else
static char **new_environment(void)
{
    return NULL;
}
#endif

int process_start(const struct process_plan *plan, pid_t *ret_pid)
{
    int ends[2], code;
    AUTO_CLOSE int read_end = -1;
    AUTO_CLOSE int write_end = -1;
    AUTO_FREE char **environment = new_environment();
    AUTO_FREE char *options = environment ? environment[0] : NULL;
    pid_t pid;

    (void)options; /* named only to be freed */
    if (pipe2(ends, O_CLOEXEC) < 0)
        return -errno;
    read_end = ends[0];
    write_end = ends[1];
    pid = fork();
    if (pid < 0)
        return -errno;
    if (pid == 0)
        become(plan, environment ? environment : environ, write_end);
    if (plan->own_group)
        (void)setpgid(pid, pid); /* whoever comes first: a signal to the group must not miss it */
    (void)close(take_fd(&write_end));
    code = read_report(read_end);
    if (code < 0) {
        while (waitpid(pid, NULL, 0) < 0 && errno == EINTR)
            ; /* it is at its _exit */
        return code;
    }
    *ret_pid = pid;
    return 0;
}

int process_start_time(pid_t pid, unsigned long long *ret_ticks)
{
    AUTO(str_done) struct str stat = {0};
    char path[64], *at;
    unsigned long long ticks = 0;

    (void)snprintf(path, sizeof(path), "/proc/%ld/stat", (long)pid);
    if (pid <= 0 || file_read(path, 4096, &stat) < 0)
        return -ESRCH;
    /* Field 2 is the name in brackets, which may hold anything. */
    at = strrchr(str_text(&stat), ')');
    for (int field = 2; at && field < 22; field++) {
        at = strchr(at, ' ');
        at = at ? at + 1 : NULL;
    }
    if (!at || *at < '0' || *at > '9')
        return -ESRCH;
    for (; *at >= '0' && *at <= '9'; at++)
        ticks = ticks * 10 + (unsigned long long)(*at - '0');
    *ret_ticks = ticks;
    return 0;
}

/* Holds the process, not its pid. -1 where the kernel cannot do that or does not let us. */
static int open_process(pid_t pid)
{
#if defined(SYS_pidfd_open) && defined(SYS_pidfd_send_signal)
    if (!getenv("IODYNO_NO_PIDFD"))
        return (int)syscall(SYS_pidfd_open, pid, 0);
#endif
    (void)pid;
    return -1;
}

static int queue_signal(int process_fd, pid_t pid, int signo, union sigval value)
{
#if defined(SYS_pidfd_open) && defined(SYS_pidfd_send_signal)
    siginfo_t info;

    memset(&info, 0, sizeof(info));
    info.si_signo = signo;
    info.si_code = SI_QUEUE;
    info.si_pid = getpid();
    info.si_uid = getuid();
    info.si_value = value;
    if (process_fd >= 0)
        return syscall(SYS_pidfd_send_signal, process_fd, signo, &info, 0) < 0 ? -errno : 0;
#endif
    (void)process_fd;
    return sigqueue(pid, signo, value) < 0 ? -errno : 0;
}

int process_tell(pid_t pid, unsigned long long start_ticks, int signo, int value)
{
    AUTO_CLOSE int process_fd = pid > 0 ? open_process(pid) : -1;
    unsigned long long ticks = 0;

    /* Looked at while it is held: what has this start time now is what will be signalled. */
    if (process_start_time(pid, &ticks) < 0 || ticks != start_ticks)
        return -ESRCH;
    return queue_signal(process_fd, pid, signo, (union sigval){.sival_int = value});
}
