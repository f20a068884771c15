#include "judge.h"

#include <poll.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#define BITS_PER_BYTE 10 /* on a serial line */
#define SLOW_PIECE 64    /* a slow line comes in small pieces */

static long now_us(void)
{
    struct timespec now;

    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return (long)now.tv_sec * 1000000 + now.tv_nsec / 1000;
}

long judge_now_ms(void)
{
    return now_us() / 1000;
}

void judge_type(struct judge *judge, const char *bytes, size_t size)
{
    if (judge->child.master >= 0)
        (void)!write(judge->child.master, bytes, size);
}

static void take_bytes(struct judge *judge)
{
    char bytes[4096];
    size_t room = judge->baud ? SLOW_PIECE : sizeof(bytes);
    ssize_t size = read(judge->child.master, bytes, room);

    if (size <= 0) {
        child_hang_up(&judge->child); /* nobody holds the other end any more */
        return;
    }
    judge->last_byte_ms = judge_now_ms();
    judge->bytes += (size_t)size;
    for (ssize_t i = 0; i < size; i++)
        judge->high_bytes += (unsigned char)bytes[i] >= 0x80;
    if (judge->baud)
        judge->busy_until_us = now_us() + size * BITS_PER_BYTE * 1000000 / (long)judge->baud;
    if (judge->log)
        (void)fwrite(bytes, 1, (size_t)size, judge->log);
    emulator_feed(judge->emulator, bytes, (size_t)size);
}

static void end_at_limit(struct judge *judge)
{
    if (judge_now_ms() <= judge->limit_ms)
        return;
    (void)fprintf(stderr, "line %d: the time limit is over; the screen:\n", judge->line);
    emulator_print(judge->emulator, stderr);
    child_end(&judge->child);
    exit(1);
}

bool judge_pump(struct judge *judge, int fd, long ms)
{
    long busy_us = judge->busy_until_us - now_us();
    bool is_busy = judge->baud && busy_us > 0;
    struct pollfd ready[3] = {
        {.fd = is_busy ? -1 : judge->child.master, .events = POLLIN},
        {.fd = judge->child.has_ended ? -1 : judge->child.status_pipe, .events = POLLIN},
        {.fd = fd, .events = POLLIN}};

    if (is_busy && busy_us / 1000 + 1 < ms)
        ms = busy_us / 1000 + 1;
    end_at_limit(judge);
    if (poll(ready, 3, ms > 0 ? (int)ms : 0) <= 0)
        return false;
    if (ready[0].revents)
        take_bytes(judge);
    if (ready[1].revents)
        child_read_status(&judge->child);
    return ready[2].revents != 0;
}

void judge_pump_for(struct judge *judge, long ms)
{
    long until = judge_now_ms() + ms;

    do
        (void)judge_pump(judge, -1, until - judge_now_ms());
    while (judge_now_ms() < until);
}
