/* linkevent: what the kernel tells about network ports that come, go or change, on a plain netlink
 * socket. Receiving takes no lock of the kernel and never blocks. */
#ifndef DEVICE_LINKEVENT_H
#define DEVICE_LINKEVENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "device/link.h"

#define LINKEVENT_NAME_MAX 16

enum linkevent_kind {
    LINKEVENT_LINK,    /* a port came or changed */
    LINKEVENT_GONE,    /* a port went */
    LINKEVENT_ADDRESS, /* an address came or went */
    LINKEVENT_LOST     /* messages were lost: look at everything anew */
};

struct linkevent {
    enum linkevent_kind kind;
    uint64_t index;
    char name[LINKEVENT_NAME_MAX]; /* "" unknown */
    enum link_claim carrier, up;
};
typedef void (*linkevent_fn)(void *user, const struct linkevent *event);

/* Calls `fn` for each message in a packet; bad ones end it. Pure. */
void linkevent_parse(const void *bytes, size_t size, linkevent_fn fn, void *user);

int linkevent_open(int *ret_fd); /* bound; the caller closes */
/* Takes at most `most` waiting packets. Negative errno when the socket is broken. */
int linkevent_take(int fd, unsigned most, linkevent_fn fn, void *user);

#endif
