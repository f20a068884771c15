/* socket: names, sockets and their options, for both roles. Sockets are close-on-exec, tied to a
 * network device where that is asked for and allowed. */
#ifndef NETWORK_SOCKET_H
#define NETWORK_SOCKET_H

#include "control.h"

#include <netinet/in.h>
#include <stdbool.h>
#include <sys/socket.h>

#define SOCKET_TEXT_MAX 64 /* "192.0.2.1 port 5201" */

struct socket_place { /* where a socket goes to */
    struct sockaddr_storage address;
    socklen_t size;
};

struct socket_bind {
    const char *device; /* NULL or "": none */
    bool is_refused;    /* out: binding to the device was not permitted, the route decides */
};

/* Numbers and names, IPv4 and IPv6, each to be tried in turn. At most `max`. Their count, or
 * -EHOSTUNREACH: the name means nothing here; -EAGAIN: no name server answered; -ETIMEDOUT. */
int socket_resolve(const char *name, unsigned port, int cancel_fd, uint64_t deadline_ns,
                   struct socket_place places[], int max);

/* A socket tied to the device; type SOCK_STREAM or SOCK_DGRAM. */
int socket_open(const struct socket_place *place, int type, struct socket_bind *bind);
/* Connects within the deadline. 0 or negative errno; the socket is non-blocking afterwards. */
int socket_connect(int fd, const struct socket_place *place, int cancel_fd, uint64_t deadline_ns);
/* Calls on it return at once from now on. */
int socket_unblock(int fd);
/* The same address, whatever the port; IPv4 within IPv6 is IPv4. */
bool socket_is_same_host(const struct sockaddr_storage *a, const struct sockaddr_storage *b);
/* Keep-alive and a user timeout of 10 s: a pulled cable ends it. */
void socket_keep(int fd);
/* The same with TCP_NODELAY: for a control connection. */
void socket_guard(int fd);
/* Blocking, with calls that return within `ns` at the latest. */
int socket_set_patience(int fd, uint64_t ns);
/* 0 or negative errno. bytes 0: at least 4 MiB where that is allowed. */
int socket_set_buffers(int fd, uint32_t bytes);

struct socket_wish { /* options of a data stream; 0 or "": as it is */
    uint32_t window, mss, tos;
    bool is_nodelay, is_udp;
    const char *congestion;
};
/* Before connecting. -ENOENT: there is no such congestion algorithm here. */
int socket_apply(int fd, int family, const struct socket_wish *wish);
/* The congestion algorithm in use; "" unknown. */
void socket_congestion(int fd, char into[16]);
/* The MSS of a connected TCP socket; 0 unknown. */
unsigned socket_mss(int fd);
void socket_text(const struct sockaddr_storage *address, char into[SOCKET_TEXT_MAX]);
/* Bytes that wait to be sent or acknowledged; 0 unknown. */
unsigned socket_queued(int fd);
/* Bytes that have arrived and wait to be read; 0 unknown. */
unsigned socket_unread(int fd);

#endif
