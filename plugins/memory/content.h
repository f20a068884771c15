/* content: what a stretch of memory must hold, word by word, and where it does not. Pure but for
 * the memory it is given; compiled as the kernels are. */
#ifndef MEMORY_CONTENT_H
#define MEMORY_CONTENT_H

#include <stddef.h>
#include <stdint.h>

enum content_kind {
    CONTENT_FILL,    /* words first.. of the fill of kernel.h */
    CONTENT_WORD,    /* `word` everywhere */
    CONTENT_TRIAD,   /* (1 + factor) times the doubles of kernel_triad_value */
    CONTENT_ADDRESS, /* 8 bytes more from word to word, from `first` on: its address */
    CONTENT_WALKING  /* one bit that wanders, a place a word */
};

#define CONTENT_STRETCH 512u /* words compared before one looks whether they differ */

struct content {
    enum content_kind kind;
    uint64_t first;  /* index (ADDRESS: address) of word 0 */
    uint64_t word;   /* CONTENT_WORD */
    uint64_t invert; /* ^ every word */
    unsigned sparse; /* only the first four bytes of every sixteen are told */
};

/* Word `index` of the stretch. */
uint64_t content_word(const struct content *content, size_t index);
/* Bits of word `index` that are told. */
uint64_t content_mask(const struct content *content, size_t index);

void content_write(const struct content *content, uint64_t *base, size_t count);
/* Index of the first word in [from, count) that is wrong; `count` when none is. What was wrong when
 * compared and is right when looked for word by word is told too, by the first word of its stretch
 * of CONTENT_STRETCH words. */
size_t content_find(const struct content *content, const uint64_t *base, size_t from, size_t count);

/* to = ~from, word by word. */
void content_invert(uint64_t *to, const uint64_t *from, size_t count);

#endif
