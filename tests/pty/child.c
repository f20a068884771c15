#include "child.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/cleanup.h"

static const struct {
    unsigned baud;
    speed_t code;
} speeds[] = {{9600, B9600},     {19200, B19200},   {38400, B38400},   {57600, B57600},
              {115200, B115200}, {230400, B230400}, {921600, B921600}, {1500000, B1500000}};

static const struct {
    const char *name;
    int number;
} signals[] = {{"HUP", SIGHUP},   {"INT", SIGINT},   {"QUIT", SIGQUIT}, {"ILL", SIGILL},
               {"ABRT", SIGABRT}, {"BUS", SIGBUS},   {"FPE", SIGFPE},   {"KILL", SIGKILL},
               {"SEGV", SIGSEGV}, {"TERM", SIGTERM}, {"CONT", SIGCONT}, {"TSTP", SIGTSTP},
               {"STOP", SIGSTOP}, {"USR1", SIGUSR1}, {"PIPE", SIGPIPE}, {"WINCH", SIGWINCH}};

const char *child_signal_name(int number)
{
    for (size_t i = 0; i < ARRAY_SIZE(signals); i++) {
        if (signals[i].number == number)
            return signals[i].name;
    }
    return "unknown";
}

static void run_program(int slave, char **argv)
{
    sigset_t none;

    (void)sigemptyset(&none);
    (void)setpgid(0, 0);
    (void)signal(SIGTTOU, SIG_IGN);
    (void)tcsetpgrp(slave, getpid());
    for (int number = 1; number < NSIG; number++)
        (void)signal(number, SIG_DFL);
    (void)sigprocmask(SIG_SETMASK, &none, NULL);
    for (int fd = 0; fd < 3; fd++)
        (void)dup2(slave, fd);
    if (slave > 2)
        (void)close(slave);
    (void)execvp(argv[0], argv);
    _exit(127);
}

static void lead(int slave, int status_pipe, char **argv)
{
    static const int ignored[] = {SIGHUP, SIGINT, SIGQUIT, SIGTSTP, SIGTTIN, SIGTTOU};
    int status = 0;

    (void)setsid();
    (void)ioctl(slave, TIOCSCTTY, 0);
    for (size_t i = 0; i < ARRAY_SIZE(ignored); i++)
        (void)signal(ignored[i], SIG_IGN);
    pid_t pid = fork();
    if (pid == 0)
        run_program(slave, argv);
    if (write(status_pipe, &pid, sizeof(pid)) != (ssize_t)sizeof(pid) || pid < 0)
        _exit(1);
    while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
        ;
    (void)!write(status_pipe, &status, sizeof(status));
    for (;;)
        (void)pause(); /* holds the terminal until it is killed */
}

static int open_pair(int *ret_master, int *ret_slave)
{
    AUTO_CLOSE int master = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
    char name[64];

    if (master < 0 || grantpt(master) < 0 || unlockpt(master) < 0 ||
        ptsname_r(master, name, sizeof(name)) != 0)
        return -errno;
    *ret_slave = open(name, O_RDWR | O_NOCTTY | O_CLOEXEC);
    if (*ret_slave < 0)
        return -errno;
    *ret_master = take_fd(&master);
    return 0;
}

static void set_speed(int fd, unsigned baud)
{
    struct termios state;

    for (size_t i = 0; i < ARRAY_SIZE(speeds); i++) {
        if (speeds[i].baud == baud && tcgetattr(fd, &state) == 0) {
            (void)cfsetspeed(&state, speeds[i].code);
            (void)tcsetattr(fd, TCSANOW, &state);
        }
    }
}

int child_start(struct child *child, char **argv, int rows, int columns, unsigned baud)
{
    AUTO_CLOSE int slave = -1;
    int ends[2];

    *child = (struct child){.master = -1, .status_pipe = -1};
    int code = open_pair(&child->master, &slave);
    if (code < 0)
        return code;
    (void)child_resize(child, rows, columns);
    set_speed(slave, baud);
    (void)tcgetattr(child->master, &child->before);
    if (pipe2(ends, O_CLOEXEC) < 0)
        return -errno;
    child->leader = fork();
    if (child->leader == 0) {
        (void)close(child->master);
        lead(slave, ends[1], argv);
    }
    (void)close(ends[1]);
    child->status_pipe = ends[0];
    if (child->leader < 0)
        return -errno;
    if (read(ends[0], &child->pid, sizeof(child->pid)) != (ssize_t)sizeof(child->pid))
        return -ECHILD;
    return child->pid < 0 ? -EAGAIN : 0;
}

void child_read_status(struct child *child)
{
    int status = 0;

    if (read(child->status_pipe, &status, sizeof(status)) == (ssize_t)sizeof(status)) {
        child->status = status;
        child->has_ended = true;
    }
}

int child_resize(struct child *child, int rows, int columns)
{
    struct winsize size = {.ws_row = (unsigned short)rows, .ws_col = (unsigned short)columns};

    return ioctl(child->master, TIOCSWINSZ, &size) < 0 ? -errno : 0;
}

int child_signal(struct child *child, const char *name)
{
    for (size_t i = 0; i < ARRAY_SIZE(signals); i++) {
        if (strcmp(signals[i].name, name) == 0)
            return kill(child->pid, signals[i].number) < 0 ? -errno : 0;
    }
    return -EINVAL;
}

void child_hang_up(struct child *child)
{
    if (child->master >= 0)
        (void)close(child->master);
    child->master = -1;
}

bool child_left_modes(const struct child *child)
{
    struct termios after;

    return tcgetattr(child->master, &after) == 0 && after.c_iflag == child->before.c_iflag &&
           after.c_oflag == child->before.c_oflag && after.c_lflag == child->before.c_lflag &&
           after.c_cflag == child->before.c_cflag &&
           memcmp(after.c_cc, child->before.c_cc, sizeof(after.c_cc)) == 0;
}

void child_end(struct child *child)
{
    if (child->pid > 0 && !child->has_ended) {
        struct pollfd ended = {.fd = child->status_pipe, .events = POLLIN};
        (void)kill(child->pid, SIGTERM);
        if (poll(&ended, 1, 2000) <= 0)
            (void)kill(child->pid, SIGKILL);
    }
    if (child->leader > 0) {
        (void)kill(child->leader, SIGKILL);
        (void)waitpid(child->leader, NULL, 0);
    }
    child_hang_up(child);
    if (child->status_pipe >= 0)
        (void)close(child->status_pipe);
    child->status_pipe = -1;
}
