#include "terminal/restore.h"

#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <termios.h>
#include <unistd.h>

#include "base/cleanup.h"

#define STACK_SIZE 16384 /* a stack overflow leaves no other */

static const int faults[] = {SIGSEGV, SIGABRT, SIGBUS, SIGFPE, SIGILL};

static struct {
    int fd;
    struct termios state;
    bool has_state;
    char bytes[RESTORE_MAX];
    volatile size_t size; /* 0 while the string is being changed */
    bool is_armed;
    struct sigaction before[ARRAY_SIZE(faults)];
    char stack[STACK_SIZE];
} saved;

int restore_save(int fd)
{
    if (tcgetattr(fd, &saved.state) < 0)
        return -errno;
    saved.fd = fd;
    saved.has_state = true;
    return 0;
}

/* Runs on its own stack; SA_RESETHAND has put the default action back already. */
static void on_fault(int number)
{
    for (size_t done = 0, size = saved.size; done < size;) {
        ssize_t sent = write(saved.fd, saved.bytes + done, size - done);
        if (sent <= 0)
            break;
        done += (size_t)sent;
    }
    if (saved.has_state)
        (void)tcsetattr(saved.fd, TCSANOW, &saved.state);
    (void)raise(number);
}

void restore_arm(const char *bytes, size_t size)
{
    saved.size = 0;
    if (size <= sizeof(saved.bytes)) {
        memcpy(saved.bytes, bytes, size);
        saved.size = size;
    }
    if (saved.is_armed)
        return;
    stack_t stack = {.ss_sp = saved.stack, .ss_size = sizeof(saved.stack)};
    struct sigaction action = {.sa_handler = on_fault,
                               .sa_flags = (int)(SA_ONSTACK | SA_RESETHAND)};
    bool has_stack = sigaltstack(&stack, NULL) == 0;
    if (!has_stack)
        action.sa_flags = (int)SA_RESETHAND;
    (void)sigemptyset(&action.sa_mask);
    for (size_t i = 0; i < ARRAY_SIZE(faults); i++)
        (void)sigaction(faults[i], &action, &saved.before[i]);
    saved.is_armed = true;
}

void restore_disarm(void)
{
    if (saved.is_armed) {
        for (size_t i = 0; i < ARRAY_SIZE(faults); i++)
            (void)sigaction(faults[i], &saved.before[i], NULL);
        saved.is_armed = false;
    }
    saved.size = 0;
    if (saved.has_state)
        (void)tcsetattr(saved.fd, TCSADRAIN, &saved.state);
    saved.has_state = false;
}
