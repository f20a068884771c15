/* pseudo: puts a test's standard input and output on a pseudo-terminal whose output is thrown away,
 * so that canvas can be drawn on and read back. */
#ifndef TEST_PSEUDO_H
#define TEST_PSEUDO_H

#include <fcntl.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "terminal/term.h"

struct pseudo {
    int input, output; /* what stood there before */
    pid_t reader;
};

static inline void pseudo_read_all(int master)
{
    char bytes[4096];

    while (read(master, bytes, sizeof(bytes)) > 0)
        ;
    _exit(0);
}

/* 0 or -1. */
static inline int pseudo_begin(struct pseudo *pseudo, int rows, int columns)
{
    struct winsize size = {.ws_row = (unsigned short)rows, .ws_col = (unsigned short)columns};
    char name[64];
    int master = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);

    if (master < 0 || grantpt(master) < 0 || unlockpt(master) < 0 ||
        ptsname_r(master, name, sizeof(name)) != 0)
        return -1;
    int slave = open(name, O_RDWR | O_NOCTTY | O_CLOEXEC);
    if (slave < 0 || ioctl(slave, TIOCSWINSZ, &size) < 0)
        return -1;
    pseudo->reader = fork();
    if (pseudo->reader == 0) {
        (void)close(slave);
        pseudo_read_all(master);
    }
    pseudo->input = dup(STDIN_FILENO);
    pseudo->output = dup(STDOUT_FILENO);
    (void)dup2(slave, STDIN_FILENO);
    (void)dup2(slave, STDOUT_FILENO);
    (void)close(slave);
    (void)close(master);
    return pseudo->reader > 0 ? 0 : -1;
}

static inline void pseudo_end(struct pseudo *pseudo)
{
    (void)dup2(pseudo->input, STDIN_FILENO);
    (void)dup2(pseudo->output, STDOUT_FILENO);
    (void)close(pseudo->input);
    (void)close(pseudo->output);
    (void)waitpid(pseudo->reader, NULL, 0);
}

/* The terminal opened on it, with the built-in theme. */
static inline int pseudo_open(struct pseudo *pseudo, int rows, int columns, const char *term,
                              const char *glyphs)
{
    struct theme theme;
    char why[128];

    theme_plain(&theme);
    (void)setenv("TERM", term, 1);
    (void)setenv("LC_ALL", "C.UTF-8", 1);
    if (pseudo_begin(pseudo, rows, columns) < 0)
        return -1;
    struct term_plan plan = {.glyphs = glyphs, .theme = &theme};
    int code = term_open(&plan, why, sizeof(why));
    if (code < 0)
        pseudo_end(pseudo);
    return code;
}

static inline void pseudo_close(struct pseudo *pseudo)
{
    term_close();
    pseudo_end(pseudo);
}

#endif
