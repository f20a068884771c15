/* netattr: attributes of a netlink message: type, length, bytes, each padded to four. What does not
 * fit ends the walk; nothing is read beyond the bytes given. Pure. */
#ifndef DEVICE_NETATTR_H
#define DEVICE_NETATTR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct netattr {
    unsigned type; /* without the flags for nesting and byte order */
    const uint8_t *bytes;
    size_t size;
};

/* *pos starts at 0. False: no more. */
bool netattr_next(const void *bytes, size_t size, size_t *pos, struct netattr *ret_attr);
/* The first of a type. */
bool netattr_find(const void *bytes, size_t size, unsigned type, struct netattr *ret_attr);

/* Numbers of one to eight bytes in this machine's order; 0 for another size. */
uint64_t netattr_number(const struct netattr *attr);
/* A text that ends within the attribute; NULL when it does not. */
const char *netattr_text(const struct netattr *attr);

#endif
