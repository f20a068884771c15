/* guest: one client of a server: its test from the parameters to the good-bye, on a thread of its
 * own, and its data streams.
 *
 * The server's thread makes it, hands it data connections, and frees it once it is over. */
#ifndef NETWORK_GUEST_H
#define NETWORK_GUEST_H

#include "door.h"
#include "session.h"

#define GUEST_STORY_MAX 512

struct guest_house { /* what all guests of a server share */
    const struct dyno_host *host;
    struct dyno_run *run;
    struct door *door;
    const char *device;     /* the port that is served; "" any */
    int cancel_fd, done_fd; /* done: an eventfd, told when a guest is over */
    uint64_t most_ns;       /* of a test; 0: no limit */
    uint64_t most_bps;      /* of all streams of a guest together; 0: no limit */
    bool is_quiet;          /* tells of no guest: there is one, our own */
    uint64_t delay_ns;      /* after each 64 KiB that are read: a slow receiver, for tests */
};

struct guest {
    struct session session; /* without a plan */
    const struct guest_house *house;
    struct sockaddr_storage address;
    char name[SOCKET_TEXT_MAX];
    unsigned lane;
    atomic_bool is_moving; /* its streams stand, until it is freed: they may be looked at, their
                              sockets with the lock held */
    atomic_bool is_over;   /* its thread is about to end */
    pthread_mutex_t lock;
    unsigned wanted, given; /* data connections; wanted 0: none, now */
    int given_fds[RESULTS_STREAMS_MAX];
    int given_fd; /* readable once one was given */
    pthread_t thread;
};

/* Takes over `fd`, also when it fails. NULL without memory or a thread. */
struct guest *guest_new(const struct guest_house *house, int fd, const char cookie[COOKIE_SIZE],
                        const struct sockaddr_storage *address, unsigned lane);
/* Waits for its thread. NULL is harmless. */
void guest_free(struct guest *guest);
/* Whether this cookie is its own. */
bool guest_is(const struct guest *guest, const char cookie[COOKIE_SIZE]);
/* A data connection; false when it awaits none, `fd` stays the caller's then. */
bool guest_give(struct guest *guest, int fd);

#endif
