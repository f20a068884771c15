#include "sectors.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define SEED_BITS 24 /* the rest numbers sectors: 512 TiB */
#define SEED_MASK ((UINT64_C(1) << SEED_BITS) - 1)

int sectors_make(struct sectors *sectors, uint64_t seed)
{
    memset(sectors, 0, sizeof *sectors);
    sectors->seed = seed & SEED_MASK;
    int error = pattern_make(&sectors->pool, SECTORS_BLOCK, 1);
    if (error == 0)
        pattern_seed(&sectors->pool, sectors->seed);
    return error;
}

void sectors_done(struct sectors *sectors)
{
    pattern_done(&sectors->pool);
}

uint64_t sectors_stamp(const struct sectors *sectors, uint64_t offset)
{
    return offset / SECTOR_BYTES << SEED_BITS | sectors->seed;
}

bool sectors_offset(const struct sectors *sectors, uint64_t stamp, uint64_t *ret_offset)
{
    if ((stamp & SEED_MASK) != sectors->seed)
        return false;
    *ret_offset = (stamp >> SEED_BITS) * SECTOR_BYTES;
    return true;
}

unsigned char *sectors_block(struct sectors *sectors, uint64_t offset)
{
    unsigned char *block = pattern_nth(&sectors->pool, offset / SECTORS_BLOCK);
    for (size_t at = 0; at < SECTORS_BLOCK; at += SECTOR_BYTES) {
        uint64_t stamp = sectors_stamp(sectors, offset + at);
        memcpy(block + at, &stamp, sizeof stamp);
    }
    return block;
}

static bool is_blank(const unsigned char *sector)
{
    return (sector[0] == 0x00 || sector[0] == 0xff) &&
           memcmp(sector, sector + 1, SECTOR_BYTES - 1) == 0;
}

static void take_note(struct sectors *sectors, const unsigned char *sector, uint64_t offset)
{
    uint64_t got, place, expected = sectors_stamp(sectors, offset);
    memcpy(&got, sector, sizeof got);
    enum sector_fault kind = is_blank(sector) ? SECTOR_BLANK : SECTOR_CORRUPT;
    if (kind == SECTOR_CORRUPT && got != expected && sectors_offset(sectors, got, &place))
        kind = SECTOR_MOVED;
    sectors->kinds[kind]++;
    if (sectors->wrong++ > 0)
        return;
    sectors->first_kind = kind;
    sectors->first_offset = offset;
    sectors->first_expected = expected;
    sectors->first_got = got;
}

uint64_t sectors_check(struct sectors *sectors, const unsigned char *bytes, size_t size,
                       uint64_t offset)
{
    uint64_t before = sectors->wrong, inside = offset % SECTORS_BLOCK;
    const unsigned char *block = pattern_nth(&sectors->pool, offset / SECTORS_BLOCK) + inside;
    for (size_t at = 0; at < size; at += SECTOR_BYTES) {
        uint64_t stamp = sectors_stamp(sectors, offset + at);
        if (memcmp(bytes + at, &stamp, sizeof stamp) != 0 ||
            memcmp(bytes + at + sizeof stamp, block + at + sizeof stamp,
                   SECTOR_BYTES - sizeof stamp) != 0)
            take_note(sectors, bytes + at, offset + at);
    }
    return sectors->wrong - before;
}

void sectors_explain(const struct sectors *sectors, uint64_t checked, char text[SECTORS_WHY_MAX])
{
    static const char *const ends[] = {
        [SECTOR_BLANK] = "; it is blank: it was never stored",
        [SECTOR_CORRUPT] = "; it holds other data than was written",
    };
    uint64_t place = 0;
    char moved[80] = "";
    if (sectors_offset(sectors, sectors->first_got, &place))
        snprintf(moved, sizeof moved, "; it holds what was written to byte %" PRIu64, place);
    snprintf(text, SECTORS_WHY_MAX,
             "%" PRIu64 " of %" PRIu64 " sectors came back wrong, the first at byte %" PRIu64
             " of the data: expected %016" PRIx64 ", got %016" PRIx64 "%s",
             sectors->wrong, checked / SECTOR_BYTES, sectors->first_offset, sectors->first_expected,
             sectors->first_got,
             sectors->first_kind == SECTOR_MOVED ? moved : ends[sectors->first_kind]);
}
