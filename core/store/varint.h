/* varint: unsigned numbers as 1 to 10 bytes, 7 bits each, small ones short; signed ones by zigzag.
 * Pure. */
#ifndef STORE_VARINT_H
#define STORE_VARINT_H

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/str.h"

#define VARINT_MAX 10 /* bytes */

static inline size_t varint_put(uint8_t into[VARINT_MAX], uint64_t value)
{
    size_t size = 0;
    for (; value >= 0x80; value >>= 7)
        into[size++] = (uint8_t)(value | 0x80);
    into[size++] = (uint8_t)value;
    return size;
}

static inline void varint_add(struct str *into, uint64_t value)
{
    uint8_t bytes[VARINT_MAX];
    size_t size = varint_put(bytes, value);
    str_add_bytes(into, bytes, size);
}

/* 0, or -EPROTO when the bytes end early or say more than 64 bits. */
static inline int varint_get(const void *bytes, size_t size, size_t *at, uint64_t *ret_value)
{
    const uint8_t *from = bytes;
    uint64_t value = 0;
    for (unsigned shift = 0; shift < 64 && *at < size; shift += 7) {
        uint8_t byte = from[(*at)++];
        if (shift == 63 && byte > 1)
            return -EPROTO;
        value |= (uint64_t)(byte & 0x7f) << shift;
        if (!(byte & 0x80)) {
            *ret_value = value;
            return 0;
        }
    }
    return -EPROTO;
}

/* Differences of unsigned numbers wrap, so that any pair survives the way there and back. */
static inline uint64_t varint_zigzag(uint64_t difference)
{
    return (difference << 1) ^ (difference >> 63 ? UINT64_MAX : 0);
}

static inline uint64_t varint_unzigzag(uint64_t coded)
{
    return (coded >> 1) ^ (coded & 1 ? UINT64_MAX : 0);
}

#endif
