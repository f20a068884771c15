#include "device/smbios.h"

#include <stdint.h>
#include <string.h>
#include <strings.h>

#include "base/cleanup.h"

#define TYPE_MEMORY_DEVICE 17
#define TYPE_END 127
#define HEADER_BYTES 4
#define MTPS_MAX 100000
#define BITS_MAX 1024 /* of one device */
#define KEY_MAX 40

/* Offsets within the structure; what lies beyond its length is not there. */
enum {
    AT_DATA_WIDTH = 0x0a,
    AT_SIZE = 0x0c,
    AT_DEVICE_LOCATOR = 0x10,
    AT_BANK_LOCATOR = 0x11,
    AT_KIND = 0x12,
    AT_SPEED = 0x15,
    AT_CONFIGURED = 0x20,
    AT_EXTENDED_SPEED = 0x54,
    AT_EXTENDED_CONFIGURED = 0x58
};

static const char *const kinds[] = {
    [0x12] = "DDR",    [0x13] = "DDR2",   [0x18] = "DDR3",   [0x1a] = "DDR4", [0x1b] = "LPDDR",
    [0x1c] = "LPDDR2", [0x1d] = "LPDDR3", [0x1e] = "LPDDR4", [0x20] = "HBM",  [0x21] = "HBM2",
    [0x22] = "DDR5",   [0x23] = "LPDDR5", [0x24] = "HBM3",
};

struct entry { /* one structure: its formatted part, then its strings up to a double NUL */
    const uint8_t *at;
    size_t length;
    const char *strings, *end;
};

static unsigned word(const struct entry *entry, size_t offset)
{
    return offset + 2 <= entry->length ? entry->at[offset] | (unsigned)entry->at[offset + 1] << 8
                                       : 0;
}

static unsigned long dword(const struct entry *entry, size_t offset)
{
    return offset + 4 <= entry->length
               ? word(entry, offset) | (unsigned long)word(entry, offset + 2) << 16
               : 0;
}

static unsigned byte(const struct entry *entry, size_t offset)
{
    return offset < entry->length ? entry->at[offset] : 0;
}

/* The string of a number; "" when there is none. Ended within the table. */
static const char *string_of(const struct entry *entry, unsigned number)
{
    const char *at = entry->strings;
    for (unsigned i = 1; number > 0 && at < entry->end && *at; i++) {
        if (i == number)
            return at;
        at += strnlen(at, (size_t)(entry->end - at)) + 1;
    }
    return "";
}

/* Takes one structure; false at the end of what is well-formed. */
static bool next_entry(const uint8_t **at, const uint8_t *end, struct entry *entry)
{
    const size_t left = (size_t)(end - *at);
    if (left < HEADER_BYTES || (*at)[1] < HEADER_BYTES || (*at)[1] > left)
        return false;
    *entry = (struct entry){.at = *at, .length = (*at)[1]};
    const uint8_t *strings = *at + entry->length, *stop = strings;
    while (end - stop >= 2 && (stop[0] || stop[1]))
        stop++;
    if (end - stop < 2)
        return false;
    entry->strings = (const char *)strings;
    entry->end = (const char *)stop + 1; /* the last string's NUL */
    *at = stop + 2;
    return true;
}

/* 0xffff says that the number stands in a wider field. */
static unsigned speed_at(const struct entry *entry, size_t offset, size_t wide)
{
    unsigned long mtps = word(entry, offset);
    if (mtps == 0xffff)
        mtps = dword(entry, wide) & 0x7fffffff;
    return mtps <= MTPS_MAX ? (unsigned)mtps : 0;
}

/* "ChannelA", "P0 CHANNEL B", "Controller1-ChannelA-DIMM0": all up to the channel's letter. */
static bool channel_key(const char *locator, char key[KEY_MAX])
{
    const char *word_at = strcasestr(locator, "channel");
    if (!word_at)
        return false;
    const char *end = word_at + strlen("channel");
    while (*end == ' ' || *end == '_' || *end == '-')
        end++;
    if (!*end || end + 1 - locator >= KEY_MAX)
        return false;
    memcpy(key, locator, (size_t)(end + 1 - locator));
    key[end + 1 - locator] = '\0';
    return true;
}

struct channels {
    char keys[SMBIOS_DEVICES_MAX][KEY_MAX];
    size_t count;
};

/* Whether a device's data lines are those of a channel that was counted already. */
static bool is_counted(struct channels *channels, const struct entry *entry, bool *ret_is_named)
{
    char key[KEY_MAX];
    *ret_is_named = channel_key(string_of(entry, byte(entry, AT_DEVICE_LOCATOR)), key) ||
                    channel_key(string_of(entry, byte(entry, AT_BANK_LOCATOR)), key);
    if (!*ret_is_named)
        return false;
    for (size_t i = 0; i < channels->count; i++)
        if (strcmp(channels->keys[i], key) == 0)
            return true;
    memcpy(channels->keys[channels->count++], key, KEY_MAX);
    return false;
}

static void take(const struct entry *entry, struct channels *channels, struct smbios_memory *memory)
{
    const unsigned size = word(entry, AT_SIZE), kind = byte(entry, AT_KIND);
    const unsigned bits = word(entry, AT_DATA_WIDTH);
    unsigned mtps = speed_at(entry, AT_CONFIGURED, AT_EXTENDED_CONFIGURED);
    bool is_named;
    if (size == 0 || memory->devices == SMBIOS_DEVICES_MAX) /* an empty place */
        return;
    if (mtps == 0)
        mtps = speed_at(entry, AT_SPEED, AT_EXTENDED_SPEED);
    if (kind < ARRAY_SIZE(kinds) && kinds[kind])
        memory->kind = kinds[kind];
    if (memory->devices == 0 || mtps < memory->mtps)
        memory->mtps = mtps;
    if (!is_counted(channels, entry, &is_named) && bits <= BITS_MAX)
        memory->bits += bits;
    memory->has_channels = memory->has_channels && is_named;
    memory->devices++;
}

bool smbios_memory(const void *bytes, size_t size, struct smbios_memory *ret_memory)
{
    const uint8_t *at = bytes, *end = at + (size < SMBIOS_TABLE_MAX ? size : SMBIOS_TABLE_MAX);
    struct smbios_memory memory = {.has_channels = true};
    struct channels channels = {.count = 0};
    struct entry entry;
    while (next_entry(&at, end, &entry) && entry.at[0] != TYPE_END)
        if (entry.at[0] == TYPE_MEMORY_DEVICE)
            take(&entry, &channels, &memory);
    if (memory.devices == 0)
        return false;
    *ret_memory = memory;
    return true;
}
