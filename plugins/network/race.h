/* race: what all streams of one test share: when they go, when they stop, how many bytes are left.
 * Embedded by its owner; must not move while streams run. */
#ifndef NETWORK_RACE_H
#define NETWORK_RACE_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum race_state {
    RACE_READY, /* threads wait */
    RACE_RUN,   /* senders send, receivers count */
    RACE_SENT,  /* senders have stopped, receivers still count */
    RACE_DRAIN, /* receivers take what comes and count no more */
    RACE_STOP   /* threads end */
};

struct race {
    atomic_int state;
    atomic_int_least64_t left; /* bytes to send, or to receive, by all streams together */
    bool is_limited;
    int event_fd; /* readable once a stream ended by itself, or nothing is left */
    pthread_mutex_t lock;
    pthread_cond_t changed;
};

/* bytes 0: no limit. 0 or negative errno. */
int race_init(struct race *race, uint64_t bytes);
void race_done(struct race *race); /* after all threads are gone */
void race_set(struct race *race, enum race_state state);
/* Blocks while the race is READY. */
void race_await(struct race *race);
/* Wakes who waits for event_fd. */
void race_tell(struct race *race);
/* How many of `want` bytes may still be sent; the caller must send them. 0: nothing is left. */
size_t race_take(struct race *race, size_t want);
/* True when the limit has been reached. */
bool race_is_over(const struct race *race);
/* A receiver's bytes; tells when they reach the limit. */
void race_got(struct race *race, size_t bytes);

static inline int race_state(const struct race *race)
{
    return atomic_load_explicit(&race->state, memory_order_relaxed);
}

#endif
