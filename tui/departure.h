/* departure: how the program comes to its end: at once, after the stopped runs are over, or after
 * runs that go on without a terminal; and what the guard parent is told. Never waits itself. */
#ifndef TUI_DEPARTURE_H
#define TUI_DEPARTURE_H

#include <stdbool.h>
#include <stdint.h>

/* A stopped run is over after the whole stop ladder at the latest. */
#define DEPARTURE_LIMIT_NS (9ull * 1000000000)

/* Bytes to the guard parent: it puts the terminal right and leaves at once; the terminal was put
 * right by us, or there is nothing on it to put right. */
#define DEPARTURE_TELL_DETACHED 'd'
#define DEPARTURE_TELL_CLOSED 'c'

struct departure {
    enum { DEPARTURE_NONE, DEPARTURE_NOW, DEPARTURE_WAITS, DEPARTURE_DETACHED } stage;
    uint64_t until_ns; /* when it waits */
    int code, guard_fd;
};

void departure_init(struct departure *departure, int guard_fd);
/* Tells the guard beforehand that only the terminal's modes will have to be put right. */
void departure_is_traceless(struct departure *departure);
void departure_done(struct departure *departure); /* tells the guard that the terminal is closed */
bool departure_is_begun(const struct departure *departure);

void departure_now(struct departure *departure, int code);
/* Once no run is alive, or when DEPARTURE_LIMIT_NS have passed. The first code stays. */
void departure_wait(struct departure *departure, int code);
/* The terminal is closed: the guard is let go, the standard descriptors go to /dev/null, and the
 * program ends when no run is alive any more. */
void departure_detach(struct departure *departure, int code);

bool departure_is_due(const struct departure *departure, unsigned live_runs);
int departure_patience_ms(const struct departure *departure); /* for loop_turn; -1: no limit */
int departure_code(const struct departure *departure);

#endif
