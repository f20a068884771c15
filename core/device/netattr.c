#include "device/netattr.h"

#include <string.h>

#define HEAD_BYTES 4
#define ALIGN_BYTES 4
#define TYPE_MASK 0x3fffu

bool netattr_next(const void *bytes, size_t size, size_t *pos, struct netattr *ret_attr)
{
    uint16_t head[2]; /* length with the head, type */
    const uint8_t *all = bytes;
    if (*pos > size || size - *pos < HEAD_BYTES)
        return false;
    memcpy(head, all + *pos, sizeof head);
    if (head[0] < HEAD_BYTES || head[0] > size - *pos)
        return false;
    ret_attr->type = head[1] & TYPE_MASK;
    ret_attr->bytes = all + *pos + HEAD_BYTES;
    ret_attr->size = (size_t)head[0] - HEAD_BYTES;
    *pos += ((size_t)head[0] + ALIGN_BYTES - 1) / ALIGN_BYTES * ALIGN_BYTES;
    return true;
}

bool netattr_find(const void *bytes, size_t size, unsigned type, struct netattr *ret_attr)
{
    struct netattr attr;
    for (size_t pos = 0; netattr_next(bytes, size, &pos, &attr);) {
        if (attr.type != type)
            continue;
        *ret_attr = attr;
        return true;
    }
    return false;
}

uint64_t netattr_number(const struct netattr *attr)
{
    uint8_t one = 0;
    uint16_t two = 0;
    uint32_t four = 0;
    uint64_t eight = 0;
    switch (attr->size) {
    case sizeof one:
        memcpy(&one, attr->bytes, sizeof one);
        return one;
    case sizeof two:
        memcpy(&two, attr->bytes, sizeof two);
        return two;
    case sizeof four:
        memcpy(&four, attr->bytes, sizeof four);
        return four;
    case sizeof eight:
        memcpy(&eight, attr->bytes, sizeof eight);
        return eight;
    default:
        return 0;
    }
}

const char *netattr_text(const struct netattr *attr)
{
    return attr->size > 0 && memchr(attr->bytes, '\0', attr->size) ? (const char *)attr->bytes
                                                                   : NULL;
}
