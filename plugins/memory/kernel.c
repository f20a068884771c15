/* What all instruction sets share: the libc's functions, the published operations, the fill.
 *
 * The published operations touch one 4-byte word of every 16 bytes and count all 16 (rd, wr, rdwr,
 * cp), or every word (frd, fwr, fcp), as bw_mem's source does. */
#include "kernel.h"

#include <string.h>
#include <strings.h>

#define BARRIER() __asm__ volatile("" ::: "memory")
#define TURN_WORDS 128u /* words of 4 bytes in one turn, as bw_mem's loops */

_Static_assert(TURN_WORDS * sizeof(uint32_t) == KERNEL_GRAIN, "a turn is a grain");

const struct kernel_about kernel_about[KERNEL_COUNT] = {
    [KERNEL_READ] = {"read", 1, 1, 0, 0},
    [KERNEL_WRITE] = {"write", 1, 1, 1, 0},
    [KERNEL_WRITE_NT] = {"write-nt", 1, 1, 1, 0},
    [KERNEL_COPY] = {"copy", 2, 2, 1, 0},
    [KERNEL_COPY_NT] = {"copy-nt", 2, 2, 1, 0},
    [KERNEL_TRIAD] = {"triad", 3, 3, 1, 0},
    [KERNEL_MEMSET] = {"memset", 1, 1, 1, 1},
    [KERNEL_MEMCPY] = {"memcpy", 2, 2, 1, 1},
    [KERNEL_ZVA] = {"zva", 1, 1, 1, 0},
    [KERNEL_RD] = {"rd", 1, 1, 0, 0},
    [KERNEL_WR] = {"wr", 1, 1, 1, 0},
    [KERNEL_RDWR] = {"rdwr", 1, 1, 1, 0},
    [KERNEL_CP] = {"cp", 2, 1, 1, 0},
    [KERNEL_FRD] = {"frd", 1, 1, 0, 0},
    [KERNEL_FWR] = {"fwr", 1, 1, 1, 0},
    [KERNEL_FCP] = {"fcp", 2, 1, 1, 0},
    [KERNEL_BZERO] = {"bzero", 1, 1, 1, 1},
    [KERNEL_BCOPY] = {"bcopy", 2, 1, 1, 1},
};

enum kernel kernel_find(const char *name)
{
    enum kernel at = 0;
    while (at < KERNEL_COUNT && strcmp(kernel_about[at].name, name) != 0)
        at++;
    return at;
}

typedef uint32_t word __attribute__((may_alias));

/* The loops of one stride: ADD, SET and COPY say what is done to word i. */
#define FOUR(DO, i, d) DO(i) DO((i) + (d)) DO((i) + 2 * (d)) DO((i) + 3 * (d))
#define SIXTEEN(DO, i, d)                                                                          \
    FOUR(DO, i, d)                                                                                 \
    FOUR(DO, (i) + 4 * (d), d) FOUR(DO, (i) + 8 * (d), d) FOUR(DO, (i) + 12 * (d), d)
#define TURN_STRIDED(DO) SIXTEEN(DO, 0, 4) SIXTEEN(DO, 64, 4)
#define TURN_FULL(DO)                                                                              \
    SIXTEEN(DO, 0, 1)                                                                              \
    SIXTEEN(DO, 16, 1)                                                                             \
    SIXTEEN(DO, 32, 1)                                                                             \
    SIXTEEN(DO, 48, 1)                                                                             \
    SIXTEEN(DO, 64, 1) SIXTEEN(DO, 80, 1) SIXTEEN(DO, 96, 1) SIXTEEN(DO, 112, 1)

#define ADD(i) sum += from[i];
#define SET(i) to[i] = 1;
#define ADD_SET(i)                                                                                 \
    sum += to[i];                                                                                  \
    to[i] = 1;
#define COPY(i) to[i] = from[i];

/* bw_mem adds ints; 32 bits wrap, and the wrapped sum is what we know beforehand. */
#define READ_LOOP(name, TURN)                                                                      \
    static uint64_t name(const struct kernel_work *work)                                           \
    {                                                                                              \
        uint32_t sum = 0;                                                                          \
        for (size_t pass = 0; pass < work->passes; pass++) {                                       \
            const word *from = work->from;                                                         \
            const word *const end = from + work->bytes / sizeof *from;                             \
            for (; from < end; from += TURN_WORDS) {                                               \
                TURN(ADD)                                                                          \
            }                                                                                      \
            BARRIER();                                                                             \
        }                                                                                          \
        return sum;                                                                                \
    }

#define WRITE_LOOP(name, TURN, DO, answer)                                                         \
    static uint64_t name(const struct kernel_work *work)                                           \
    {                                                                                              \
        uint32_t sum = 0;                                                                          \
        for (size_t pass = 0; pass < work->passes; pass++) {                                       \
            word *to = work->to;                                                                   \
            const word *const end = to + work->bytes / sizeof *to;                                 \
            for (; to < end; to += TURN_WORDS) {                                                   \
                TURN(DO)                                                                           \
            }                                                                                      \
            BARRIER();                                                                             \
        }                                                                                          \
        return (answer);                                                                           \
    }

#define COPY_LOOP(name, TURN)                                                                      \
    static uint64_t name(const struct kernel_work *work)                                           \
    {                                                                                              \
        for (size_t pass = 0; pass < work->passes; pass++) {                                       \
            word *to = work->to;                                                                   \
            const word *from = work->from;                                                         \
            const word *const end = from + work->bytes / sizeof *from;                             \
            for (; from < end; from += TURN_WORDS, to += TURN_WORDS) {                             \
                TURN(COPY)                                                                         \
            }                                                                                      \
            BARRIER();                                                                             \
        }                                                                                          \
        return 0;                                                                                  \
    }

READ_LOOP(rd, TURN_STRIDED)
READ_LOOP(frd, TURN_FULL)
WRITE_LOOP(wr, TURN_STRIDED, SET, sum)
WRITE_LOOP(rdwr, TURN_STRIDED, ADD_SET, sum)
WRITE_LOOP(fwr, TURN_FULL, SET, sum)
COPY_LOOP(cp, TURN_STRIDED)
COPY_LOOP(fcp, TURN_FULL)

static uint64_t libc_memset(const struct kernel_work *work)
{
    for (size_t pass = 0; pass < work->passes; pass++) {
        memset(work->to, (int)(work->word & 0xff), work->bytes);
        BARRIER();
    }
    return 0;
}

static uint64_t libc_memcpy(const struct kernel_work *work)
{
    for (size_t pass = 0; pass < work->passes; pass++) {
        memcpy(work->to, work->from, work->bytes);
        BARRIER();
    }
    return 0;
}

static uint64_t libc_bzero(const struct kernel_work *work)
{
    for (size_t pass = 0; pass < work->passes; pass++) {
        memset(work->to, 0, work->bytes); /* what bzero is everywhere today */
        BARRIER();
    }
    return 0;
}

static uint64_t libc_bcopy(const struct kernel_work *work)
{
    for (size_t pass = 0; pass < work->passes; pass++) {
        memmove(work->to, work->from, work->bytes);
        BARRIER();
    }
    return 0;
}

kernel_fn *const kernel_plain[KERNEL_COUNT] = {
    [KERNEL_MEMSET] = libc_memset,
    [KERNEL_MEMCPY] = libc_memcpy,
    [KERNEL_RD] = rd,
    [KERNEL_WR] = wr,
    [KERNEL_RDWR] = rdwr,
    [KERNEL_CP] = cp,
    [KERNEL_FRD] = frd,
    [KERNEL_FWR] = fwr,
    [KERNEL_FCP] = fcp,
    [KERNEL_BZERO] = libc_bzero,
    [KERNEL_BCOPY] = libc_bcopy,
};

typedef uint64_t fill_vector __attribute__((vector_size(64), may_alias));

void kernel_fill(uint64_t *to, uint64_t first, size_t count)
{
    size_t at = 0;
    fill_vector words;
    for (unsigned i = 0; i < 8; i++)
        words[i] = kernel_fill_word(first + i);
    for (; at + 8 <= count && (uintptr_t)to % sizeof words == 0; at += 8) {
        *(fill_vector *)(to + at) = words;
        words += 8 * FILL_STEP;
    }
    for (; at < count; at++)
        to[at] = kernel_fill_word(first + at);
}

static uint64_t series_sum(uint64_t first, uint64_t step, uint64_t count)
{
    /* n (n - 1) / 2 without losing the bit that the product would: halve the even one first. */
    uint64_t a = count, b = count ? count - 1 : 0;
    if (a % 2 == 0)
        a /= 2;
    else
        b /= 2;
    return count * first + a * b * step;
}

uint64_t kernel_fill_sum(uint64_t first, uint64_t count)
{
    return series_sum(kernel_fill_word(first), FILL_STEP, count);
}

uint32_t kernel_fill_sum32(uint64_t first, uint64_t count, unsigned stride)
{
    uint32_t sum = 0;
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
    if (stride % 2 == 0) { /* low halves only: those of an arithmetic series are one too */
        uint64_t step = stride / 2, terms = (count + step - 1) / step;
        return (uint32_t)series_sum(kernel_fill_word(first), step * FILL_STEP, terms);
    }
#endif
    for (uint64_t at = 0; at < count * 2; at += stride) {
        uint64_t value = kernel_fill_word(first + at / 2);
        uint32_t halves[2];
        memcpy(halves, &value, sizeof halves); /* in the order they lie in memory */
        sum += halves[at % 2];
    }
    return sum;
}
