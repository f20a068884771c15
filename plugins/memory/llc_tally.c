#include "llc_tally.h"

#define CACHE_BYTES_MAX (UINT64_C(1) << 36) /* beyond: no cache is that large */

void llc_tally_take(struct llc_tally *tally, unsigned level, unsigned key, uint64_t bytes)
{
    if (level < 1 || level > LLC_LEVELS || key >= LLC_KEYS || bytes == 0 || bytes > CACHE_BYTES_MAX)
        return;
    struct llc_level *row = &tally->level[level - 1];
    const uint8_t bit = (uint8_t)(1u << (key % 8));
    if (row->seen[key / 8] & bit)
        return;
    row->seen[key / 8] = (uint8_t)(row->seen[key / 8] | bit);
    row->sum += bytes;
    if (bytes > row->one)
        row->one = bytes;
}
