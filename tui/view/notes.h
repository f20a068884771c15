/* notes: what happened lately, one sentence each, newest last. Pure. */
#ifndef VIEW_NOTES_H
#define VIEW_NOTES_H

#include <stdint.h>

#include "terminal/theme.h"

#define NOTES_MAX 64
#define NOTE_TEXT_MAX 200

struct note {
    uint64_t wall_ns;
    enum theme_role role;
    char text[NOTE_TEXT_MAX];
};

struct notes { /* {0}: none */
    struct note items[NOTES_MAX];
    unsigned count, newest; /* `newest` is the index of the last one put in */
};

void notes_add(struct notes *notes, uint64_t wall_ns, enum theme_role role, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
const struct note *notes_last(const struct notes *notes); /* NULL: none */

/* "14:02:11" of the machine's local time. */
#define NOTES_CLOCK_MAX 16
const char *notes_clock(uint64_t wall_ns, char into[NOTES_CLOCK_MAX]);

#endif
