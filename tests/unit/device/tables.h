/* tables: SMBIOS tables that a test makes structure by structure. */
#ifndef TABLES_H
#define TABLES_H

#include <stdint.h>
#include <string.h>

struct made { /* starts as {0} */
    uint8_t bytes[4096];
    size_t size;
};

struct made_device {
    unsigned size_mib, bits, kind, speed, configured, extended; /* the last: of configured */
    const char *locator, *bank;
    unsigned length; /* of the formatted part; 0: 0x5c as of version 3.3 */
};

static inline void made_word(uint8_t *at, unsigned value)
{
    at[0] = (uint8_t)value;
    at[1] = (uint8_t)(value >> 8);
}

static inline void made_add(struct made *table, uint8_t type, const uint8_t *body, size_t length,
                            const char *strings, size_t strings_size)
{
    uint8_t *at = table->bytes + table->size;
    memcpy(at, body, length);
    at[0] = type;
    at[1] = (uint8_t)length;
    memcpy(at + length, strings, strings_size);
    table->size += length + strings_size;
}

static inline void made_memory(struct made *table, const struct made_device *device)
{
    uint8_t body[0x5c] = {0};
    char strings[128] = "";
    size_t size = 0;
    const char *const texts[] = {device->locator, device->bank};
    for (unsigned i = 0; i < 2; i++) {
        if (!texts[i])
            continue;
        memcpy(strings + size, texts[i], strlen(texts[i]) + 1);
        size += strlen(texts[i]) + 1;
        body[0x10 + i] = (uint8_t)(i + 1);
    }
    if (size == 0)
        strings[size++] = '\0';
    strings[size++] = '\0';
    made_word(body + 0x08, device->bits);
    made_word(body + 0x0a, device->bits);
    made_word(body + 0x0c, device->size_mib);
    body[0x12] = (uint8_t)device->kind;
    made_word(body + 0x15, device->speed);
    made_word(body + 0x20, device->configured);
    made_word(body + 0x58, device->extended);
    made_word(body + 0x5a, device->extended >> 16);
    made_add(table, 17, body, device->length ? device->length : sizeof body, strings, size);
}

static inline void made_end(struct made *table)
{
    const uint8_t body[4] = {0};
    made_add(table, 127, body, sizeof body, "\0", 2);
}

#endif
