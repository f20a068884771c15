#include "terminal/extent.h"

#include <errno.h>
#include <poll.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <time.h>
#include <unistd.h>

/* Save the cursor, go where no screen ends, ask for the place, come back. */
static const char question[] = "\0337\033[999;999H\033[6n\0338";

static int clamp(int value, int most)
{
    return value > most ? most : value;
}

int extent_read(int fd, int *ret_rows, int *ret_columns)
{
    struct winsize size;

    if (ioctl(fd, TIOCGWINSZ, &size) < 0)
        return -errno;
    if (size.ws_row == 0 || size.ws_col == 0)
        return -ENODATA;
    *ret_rows = clamp(size.ws_row, EXTENT_ROWS_MAX);
    *ret_columns = clamp(size.ws_col, EXTENT_COLUMNS_MAX);
    return 0;
}

static long now_ms(void)
{
    struct timespec now;

    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return (long)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

/* Reads up to the 'R' that ends "ESC [ rows ; columns R". */
static int read_answer(int fd, char *into, size_t size)
{
    long until = now_ms() + EXTENT_ASK_MS;
    size_t used = 0;

    while (used + 1 < size) {
        struct pollfd ready = {.fd = fd, .events = POLLIN};
        long left = until - now_ms();
        if (left <= 0 || poll(&ready, 1, (int)left) <= 0)
            return -ETIMEDOUT;
        if (read(fd, into + used, 1) != 1)
            return -ETIMEDOUT;
        if (into[used++] == 'R')
            break;
    }
    into[used] = 0;
    return 0;
}

static int parse_answer(const char *answer, struct winsize *ret_size)
{
    const char *start = strchr(answer, '\033');
    unsigned rows = 0, columns = 0;
    char end = 0;

    if (!start || sscanf(start, "\033[%5u;%5u%c", &rows, &columns, &end) != 3 || end != 'R' ||
        rows == 0 || columns == 0 || rows > 999 || columns > 999)
        return -ETIMEDOUT;
    *ret_size = (struct winsize){.ws_row = (unsigned short)rows, .ws_col = (unsigned short)columns};
    return 0;
}

int extent_ask(int fd_in, int fd_out)
{
    struct termios before, raw;
    struct winsize size;
    char answer[64];

    if (tcgetattr(fd_in, &before) < 0)
        return -errno;
    raw = before;
    raw.c_lflag &= ~(tcflag_t)(ICANON | ECHO);
    raw.c_cc[VMIN] = 1;
    raw.c_cc[VTIME] = 0;
    (void)tcsetattr(fd_in, TCSANOW, &raw);
    int code = -ETIMEDOUT;
    if (write(fd_out, question, sizeof(question) - 1) == (ssize_t)sizeof(question) - 1)
        code = read_answer(fd_in, answer, sizeof(answer));
    (void)tcsetattr(fd_in, TCSANOW, &before);
    if (code == 0)
        code = parse_answer(answer, &size);
    if (code == 0 && ioctl(fd_out, TIOCSWINSZ, &size) < 0)
        code = -errno;
    return code;
}
