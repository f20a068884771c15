/* sectors: blocks whose every 512 bytes say where they belong and which run wrote them, so that a
 * device that stores them elsewhere, or not at all, is found out. */
#ifndef STORAGE_SECTORS_H
#define STORAGE_SECTORS_H

#include "pattern.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SECTOR_BYTES 512u
#define SECTORS_BLOCK (1u << 20) /* bytes filled and checked at a time */
#define SECTORS_WHY_MAX 320

enum sector_fault {
    SECTOR_MOVED,   /* holds what this run wrote for another offset: the address wrapped */
    SECTOR_BLANK,   /* all zeros or all ones: never stored */
    SECTOR_CORRUPT, /* anything else */
    SECTOR_FAULTS
};

struct sectors { /* owned: sectors_done */
    struct pattern pool;
    uint64_t seed;
    /* What sectors_check found so far. */
    uint64_t wrong, kinds[SECTOR_FAULTS];
    uint64_t first_offset, first_expected, first_got;
    enum sector_fault first_kind;
};

/* All that is written follows from the lower 24 bits of the seed. -ENOMEM. */
int sectors_make(struct sectors *sectors, uint64_t seed);
void sectors_done(struct sectors *sectors);

/* The block at `offset`, a multiple of SECTORS_BLOCK; valid until the next call. */
unsigned char *sectors_block(struct sectors *sectors, uint64_t offset);
/* Compares `size` bytes read from `offset` (both multiples of SECTOR_BYTES, within one block);
 * returns how many sectors are wrong. */
uint64_t sectors_check(struct sectors *sectors, const unsigned char *bytes, size_t size,
                       uint64_t offset);

/* The 8 bytes that begin a sector, and the offset they name. */
uint64_t sectors_stamp(const struct sectors *sectors, uint64_t offset);
bool sectors_offset(const struct sectors *sectors, uint64_t stamp, uint64_t *ret_offset);

/* What is wrong, for a person; `checked` bytes were read back. */
void sectors_explain(const struct sectors *sectors, uint64_t checked, char text[SECTORS_WHY_MAX]);

#endif
