/* attributes: netlink attributes that a test makes one after the other. */
#ifndef ATTRIBUTES_H
#define ATTRIBUTES_H

#include <stdint.h>
#include <string.h>

struct made { /* starts as {0} */
    uint8_t bytes[1024];
    size_t size;
};

static inline void made_attr(struct made *made, unsigned type, const void *value, size_t size)
{
    const uint16_t head[] = {(uint16_t)(size + 4), (uint16_t)type};
    memcpy(made->bytes + made->size, head, sizeof head);
    if (size)
        memcpy(made->bytes + made->size + 4, value, size);
    made->size += (size + 7) / 4 * 4;
}

static inline void made_u8(struct made *made, unsigned type, unsigned value)
{
    const uint8_t byte = (uint8_t)value;
    made_attr(made, type, &byte, sizeof byte);
}

static inline void made_u32(struct made *made, unsigned type, uint32_t value)
{
    made_attr(made, type, &value, sizeof value);
}

#define MADE_NESTED 0x8000u

#endif
