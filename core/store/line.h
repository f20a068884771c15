/* line: the way from this program to the one that started it: descriptor 3, frames gathered into
 * packets. Waits for room, never longer than its limit, and never past the other end's life. */
#ifndef STORE_LINE_H
#define STORE_LINE_H

#include <stdbool.h>

#include "wire/frame.h"

#define LINE_ROOM_MS 10000 /* an asker that takes no answer for so long is given up */

#define LINE_LAST_MS 2000

struct line {
    int fd;
    bool is_patient;       /* a replay waits for room as long as the other end lives */
    bool heeds_half_close; /* the other end closing for writing means stop */
    unsigned frames;       /* in the packet */
    struct packet packet;
};

/* Is descriptor `fd` a line at all? -ENOTSOCK when the program was started by hand. */
int line_check(int fd);

/* 0; -EPIPE when the other end is gone or wants a stop; -ETIMEDOUT. */
int line_add(struct line *line, const struct frame *frame); /* sends when the packet is full */
int line_flush(struct line *line);
/* Lets time pass: 0 when `timeout_ms` is over, -EPIPE as soon as the other end is gone. */
int line_wait(const struct line *line, int timeout_ms);

/* One row of pairs, sent at once. */
int line_row(struct line *line, const char *pairs, size_t size);
/* The last word when something is refused: a sentence about `path`. Then takes in, for at most
 * LINE_LAST_MS, what the other end still sends: closing over unread packets would tear away the
 * refusal itself. */
void line_refuse(struct line *line, const char *path, const char *sentence);

#endif
