/* uevent: what the kernel tells about devices that come, go or change, on a plain netlink socket:
 * no udev. Never blocks. The messages are hints to look again; nothing in them is believed. */
#ifndef DEVICE_UEVENT_H
#define DEVICE_UEVENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define UEVENT_TEXT_MAX 64

struct uevent {
    char action[UEVENT_TEXT_MAX], subsystem[UEVENT_TEXT_MAX], name[UEVENT_TEXT_MAX];
    uint64_t sequence; /* 0 unknown */
};

/* Parses "add@/devices/…\0ACTION=add\0SUBSYSTEM=block\0…". -EINVAL when it is none; cut texts are
 * dropped. Pure. */
int uevent_parse(const char *bytes, size_t size, struct uevent *ret_event);

int uevent_open(int *ret_fd); /* bound; the caller closes */

enum uevent_news {
    UEVENT_NONE,   /* nothing waits, or what came was not for us */
    UEVENT_STORAGE /* look again: a storage device changed, or an event was lost */
};
/* Takes at most `most` waiting messages. `sequence`: of the last event seen, kept by the caller (0
 * at first); a gap and a full buffer count as news. Negative errno when the socket is broken. */
int uevent_take(int fd, unsigned most, uint64_t *sequence, enum uevent_news *ret_news);

#endif
