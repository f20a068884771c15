#include "control.h"

#include <common/cleanup.h>
#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>

#define SECOND_NUMBER_NS 300000000ull /* 3.12 sends one after a failed authentication */

uint64_t control_now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * CONTROL_NS_PER_S + (uint64_t)now.tv_nsec;
}

int control_wait(const struct control *control, short events, uint64_t deadline_ns)
{
    struct pollfd watch[2] = {{.fd = control->fd, .events = events},
                              {.fd = control->cancel_fd, .events = POLLIN}};
    for (;;) {
        uint64_t now = control_now_ns(), left = now < deadline_ns ? deadline_ns - now : 0;
        struct timespec timeout = {.tv_sec = (time_t)(left / CONTROL_NS_PER_S),
                                   .tv_nsec = (long)(left % CONTROL_NS_PER_S)};
        int ready = ppoll(watch, ARRAY_SIZE(watch), &timeout, NULL);
        if (ready < 0 && errno != EINTR)
            return -errno;
        if (ready > 0 && watch[1].revents)
            return -ECANCELED;
        if (ready > 0)
            return 0;
        if (left == 0)
            return -ETIMEDOUT;
    }
}

int control_read(const struct control *control, void *into, size_t size, uint64_t deadline_ns)
{
    for (size_t at = 0; at < size;) {
        /* the clock first: a peer that sends a byte now and then must not hold us for ever */
        int error = control_wait(control, POLLIN, deadline_ns);
        if (error < 0)
            return error;
        ssize_t n = recv(control->fd, (char *)into + at, size - at, MSG_DONTWAIT);
        if (n == 0)
            return -ECONNABORTED;
        if (n < 0 && errno != EAGAIN && errno != EINTR)
            return -errno;
        at += n > 0 ? (size_t)n : 0;
        if (at < size && control_now_ns() >= deadline_ns)
            return -ETIMEDOUT;
    }
    return 0;
}

int control_write(const struct control *control, const void *bytes, size_t size,
                  uint64_t deadline_ns)
{
    for (size_t at = 0; at < size;) {
        ssize_t n =
            send(control->fd, (const char *)bytes + at, size - at, MSG_DONTWAIT | MSG_NOSIGNAL);
        if (n < 0 && errno != EAGAIN && errno != EINTR)
            return -errno;
        at += n > 0 ? (size_t)n : 0;
        if (at == size)
            break;
        int error = control_wait(control, POLLOUT, deadline_ns);
        if (error < 0)
            return error;
    }
    return 0;
}

int control_read_state(const struct control *control, uint64_t deadline_ns, int *ret_state)
{
    signed char byte;
    int error = control_read(control, &byte, 1, deadline_ns);
    if (error < 0)
        return error;
    if (!state_is_known(byte))
        return -EPROTO;
    *ret_state = byte;
    return 0;
}

int control_write_state(const struct control *control, int state, uint64_t deadline_ns)
{
    signed char byte = (signed char)state;
    return control_write(control, &byte, 1, deadline_ns);
}

static uint32_t number_of(const unsigned char bytes[4])
{
    return (uint32_t)bytes[0] << 24 | (uint32_t)bytes[1] << 16 | (uint32_t)bytes[2] << 8 | bytes[3];
}

static void put_number(unsigned char bytes[4], uint32_t number)
{
    for (int i = 0; i < 4; i++)
        bytes[i] = (unsigned char)(number >> (24 - 8 * i));
}

int control_read_error(const struct control *control, uint64_t deadline_ns, int *ret_number,
                       int *ret_errno)
{
    unsigned char bytes[8] = {0};
    int error = control_read(control, bytes, 4, deadline_ns);
    if (error < 0)
        return error;
    uint64_t soon = control_now_ns() + SECOND_NUMBER_NS;
    if (control_read(control, bytes + 4, 4, soon < deadline_ns ? soon : deadline_ns) < 0)
        memset(bytes + 4, 0, 4);
    *ret_number = (int)number_of(bytes);
    *ret_errno = (int)number_of(bytes + 4);
    return 0;
}

int control_write_error(const struct control *control, int number, int code, uint64_t deadline_ns)
{
    unsigned char bytes[9] = {(unsigned char)STATE_SERVER_ERROR};
    put_number(bytes + 1, (uint32_t)number);
    put_number(bytes + 5, (uint32_t)code);
    return control_write(control, bytes, sizeof bytes, deadline_ns);
}

int control_length(const unsigned char bytes[4], size_t cap, size_t *ret_size)
{
    uint32_t size = number_of(bytes);
    if (size == 0 || size > cap)
        return -EMSGSIZE;
    *ret_size = size;
    return 0;
}

int control_read_text(const struct control *control, size_t cap, uint64_t deadline_ns,
                      char **ret_text, size_t *ret_size)
{
    unsigned char head[4];
    size_t size = 0;
    int error = control_read(control, head, sizeof head, deadline_ns);
    if (error == 0)
        error = control_length(head, cap, &size);
    if (error < 0)
        return error;
    char *text = malloc(size + 1);
    if (!text)
        return -ENOMEM;
    error = control_read(control, text, size, deadline_ns);
    if (error < 0) {
        free(text);
        return error;
    }
    text[size] = '\0';
    *ret_text = text;
    *ret_size = size;
    return 0;
}

int control_write_text(const struct control *control, const char *text, uint64_t deadline_ns)
{
    unsigned char head[4];
    size_t size = strlen(text);
    put_number(head, (uint32_t)size);
    int error = control_write(control, head, sizeof head, deadline_ns);
    return error < 0 ? error : control_write(control, text, size, deadline_ns);
}
