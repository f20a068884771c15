#include "terminal/typed.h"

#include <errno.h>
#include <poll.h>
#include <stddef.h>
#include <string.h>
#include <termios.h>
#include <unistd.h>
#include <wchar.h>

static struct {
    int fd;
    char bytes[64];
    size_t at, size;
    char before; /* the byte before, 0: none yet */
    mbstate_t state;
    uint32_t again; /* 0: none */
} typed;

void typed_open(int fd)
{
    struct termios modes;

    memset(&typed, 0, sizeof(typed));
    typed.fd = fd;
    if (tcgetattr(fd, &modes) < 0)
        return;
    modes.c_lflag &= ~(tcflag_t)(ICANON | ECHO | ISIG | IEXTEN);
    modes.c_iflag &= ~(tcflag_t)(ICRNL | INLCR | IGNCR | ISTRIP | IXON | BRKINT | PARMRK);
    modes.c_cc[VMIN] = 1;
    modes.c_cc[VTIME] = 0;
    (void)tcsetattr(fd, TCSADRAIN, &modes);
}

static bool next_byte(int wait_ms, char *ret_byte)
{
    struct pollfd input = {.fd = typed.fd, .events = POLLIN};

    if (typed.at == typed.size) {
        if (poll(&input, 1, wait_ms) <= 0 || !(input.revents & POLLIN))
            return false;
        ssize_t size = read(typed.fd, typed.bytes, sizeof(typed.bytes));
        if (size <= 0)
            return false;
        typed.at = 0;
        typed.size = (size_t)size;
    }
    *ret_byte = typed.bytes[typed.at++];
    return true;
}

/* CR LF is one Enter. */
static bool is_end_of_filled_line(char byte, char before)
{
    return byte == '\n' && before != 0 && before != '\n';
}

bool typed_next(int wait_ms, uint32_t *ret_character)
{
    char byte;

    if (typed.again) {
        *ret_character = typed.again;
        typed.again = 0;
        return true;
    }
    while (next_byte(wait_ms, &byte)) {
        wchar_t character = 0;
        char before = typed.before;
        typed.before = byte;
        if (is_end_of_filled_line(byte, before))
            continue;
        size_t used = mbrtowc(&character, &byte, 1, &typed.state);
        if (used == (size_t)-1)
            memset(&typed.state, 0, sizeof(typed.state));
        if (used != 1 || character == 0) /* the rest follows, or no character */
            continue;
        *ret_character = (uint32_t)character;
        return true;
    }
    return false;
}

void typed_again(uint32_t character)
{
    typed.again = character;
}
