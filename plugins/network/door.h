/* door: where a server listens: one TCP and one UDP socket on the same port, and the callers that
 * have not yet said their cookie.
 *
 * All functions but door_take_udp are for one thread. Errors: negative errno. */
#ifndef NETWORK_DOOR_H
#define NETWORK_DOOR_H

#include "socket.h"

#include <poll.h>

#define DOOR_CALLERS_MAX 64u /* more wait in the kernel's queue */
#define DOOR_SPARES_MAX 128u

struct door_caller { /* connected; its cookie is on its way */
    int fd;
    struct sockaddr_storage address;
    uint64_t since_ns;
    unsigned got;
    char cookie[COOKIE_SIZE];
};

struct door {
    int tcp_fd, udp_fd;
    int turn_fd; /* holds one token: who has it opens UDP streams */
    struct socket_place place;
    struct socket_bind bind;
    int spares[DOOR_SPARES_MAX]; /* UDP sockets made while that was still permitted */
    unsigned spare_count;
    struct door_caller callers[DOOR_CALLERS_MAX]; /* in the order they came */
    unsigned caller_count;
};

/* `port` 0: any free one, which `place` then tells. `address` "": all, IPv4 and IPv6; `device` "":
 * any. -EADDRINUSE: the port is taken; -EADDRNOTAVAIL: the address is not ours; -EINVAL: it is no
 * address. */
int door_open(const char *address, const char *device, unsigned port, struct door *ret_door);
void door_close(struct door *door);
/* Makes UDP sockets with large buffers, bound to the device, before rights are given up. */
void door_stock(struct door *door);

/* What to poll for; at most 1 + DOOR_CALLERS_MAX. */
unsigned door_watch(const struct door *door, struct pollfd watch[1 + DOOR_CALLERS_MAX]);
/* A caller with its whole cookie; owns `fd` from then on. */
typedef void door_arrived(void *context, int fd, const char cookie[COOKIE_SIZE],
                          const struct sockaddr_storage *address);
/* Lets in who has come, hands over who has said a cookie, drops who has not within 5 s. */
void door_heed(struct door *door, door_arrived *arrived, void *context);

/* The next UDP stream of the client at `peer`, answered. The turn must have been taken: turn_fd
 * read once; whoever took it writes 1 back. Blocks until the deadline or the cancel. */
int door_take_udp(struct door *door, const struct sockaddr_storage *peer, int cancel_fd,
                  uint64_t deadline_ns, int *ret_fd);
/* Throws away what came while nobody had the turn. */
void door_clear_udp(struct door *door);

#endif
