/* pattern: the bytes a run writes, made once before the clock starts.
 *
 * dd reads its source for every block; the same bytes from one prepared, page-aligned buffer cost
 * less CPU. Zeros: one block. Random: a pool that is walked block by block, so that a compressing
 * or deduplicating device does not meet the same block again at once. */
#ifndef STORAGE_PATTERN_H
#define STORAGE_PATTERN_H

#include "pages.h"

#include <stddef.h>
#include <stdint.h>

#define PATTERN_POOL (8u << 20)

struct pattern { /* owned: pattern_done */
    unsigned char *bytes;
    struct pages memory; /* that they lie in, with large pages; else a mapping of their own */
    size_t size;
    size_t block; /* bytes of one block, as asked */
    size_t next;  /* where the next block begins: a multiple of the page */
};

/* Every page is touched: an untouched one would be the kernel's single zero page, and its copy
 * cheaper than dd's. -ENOMEM. */
int pattern_make(struct pattern *pattern, size_t block, int is_random);
/* Fills the pool again: the same seed, the same bytes, in every version of this program, for data
 * may be compared long after it was written. */
void pattern_seed(struct pattern *pattern, uint64_t seed);
/* The same in large pages: for a queue. dd has none, and its methods compare with it. */
int pattern_make_large(struct pattern *pattern, size_t block, int is_random);
void pattern_done(struct pattern *pattern);

/* The next block's bytes; valid until pattern_done. */
static inline unsigned char *pattern_block(struct pattern *pattern)
{
    unsigned char *block = pattern->bytes + pattern->next;
    pattern->next += (pattern->block + 4095u) & ~(size_t)4095u;
    if (pattern->next + pattern->block > pattern->size)
        pattern->next = 0;
    return block;
}

/* The block of the n-th request: any thread may ask, the same bytes may be in flight twice. */
static inline unsigned char *pattern_nth(const struct pattern *pattern, uint64_t n)
{
    size_t stride = (pattern->block + 4095u) & ~(size_t)4095u;
    size_t count = (pattern->size - pattern->block) / stride + 1;
    return pattern->bytes + (size_t)(n % count) * stride;
}

#endif
