/* wire: the far end of a test from port to port of one machine: a server on the second port that
 * serves the first one only, on a thread of its own.
 *
 * The two reach each other by their link-local IPv6 addresses: those belong to one port each, so
 * the kernel sends what is bound for the other port out on the cable, with no route, address or
 * sysctl changed. */
#ifndef NETWORK_WIRE_H
#define NETWORK_WIRE_H

#include "guest.h"

struct wire {
    struct door door;
    struct guest_house house;
    struct guest *guest;
    struct sockaddr_storage near; /* whom it serves */
    struct sockaddr_in6 far;
    int stop_fd, done_fd;
    pthread_t thread;
    bool is_running;
};

/* `near` and `far`: port names. 0, or negative errno, explained to the host. Blocks up to 5 s: a
 * port that has just come up waits for its address. */
int wire_open(const struct dyno_host *host, struct dyno_run *run, const char *near, const char *far,
              struct wire *wire);
/* Harmless when not open. */
void wire_close(struct wire *wire);
/* Where it listens. */
unsigned wire_port(const struct wire *wire);

#endif
