/* judge: a program, the emulator that shows it, and the counters between them. */
#ifndef PTY_JUDGE_H
#define PTY_JUDGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "child.h"
#include "emulator.h"

#define JUDGE_LINE_MAX 4096

struct judge {
    struct child child;
    struct emulator *emulator;
    FILE *log;
    unsigned baud; /* 0: as fast as it comes */
    long limit_ms; /* all ends at this time */
    long clock_ms, last_byte_ms;
    long busy_until_us; /* a slow line carries what was read until then */
    size_t bytes, high_bytes;
    int line; /* of the script */
};

long judge_now_ms(void);
/* What the person at the terminal types. */
void judge_type(struct judge *judge, const char *bytes, size_t size);
/* Lets the program run until it wrote, ended, `fd` (unless -1) is readable or `ms` are over; then
 * returns true when fd is. Ends this process with status 1 at limit_ms. */
bool judge_pump(struct judge *judge, int fd, long ms);
void judge_pump_for(struct judge *judge, long ms);

#endif
