/* kernel: the loops that move memory, one table of functions per instruction set.
 *
 * A loop works on whole lines of KERNEL_GRAIN bytes and counts program bytes: what the program
 * reads plus what it writes, of copies and triad both sides. Buffers are aligned to 64 bytes.
 * Nothing here allocates, fails or reads a clock.
 */
#ifndef MEMORY_KERNEL_H
#define MEMORY_KERNEL_H

#include <stddef.h>
#include <stdint.h>

#define KERNEL_GRAIN 512u /* bytes: eight of the widest vectors */

enum kernel {
    KERNEL_READ,
    KERNEL_WRITE,
    KERNEL_WRITE_NT, /* around the caches: MOVNT, STNP */
    KERNEL_COPY,
    KERNEL_COPY_NT,
    KERNEL_TRIAD, /* a = b + 3 c of doubles */
    KERNEL_MEMSET,
    KERNEL_MEMCPY,
    KERNEL_ZVA, /* DC ZVA of aarch64 */
    KERNEL_RD,  /* the published convention from here on: bw_mem's operations */
    KERNEL_WR,
    KERNEL_RDWR,
    KERNEL_CP,
    KERNEL_FRD,
    KERNEL_FWR,
    KERNEL_FCP,
    KERNEL_BZERO,
    KERNEL_BCOPY,
    KERNEL_COUNT
};

struct kernel_work {
    void *to;                    /* written; NULL with those that only read */
    const void *from, *from_too; /* read; from_too: triad's third buffer */
    size_t bytes;                /* of each buffer, a multiple of KERNEL_GRAIN */
    size_t passes;               /* over the same bytes, >= 1 */
    uint64_t word;               /* what write and memset store; memset: its low byte */
};

/* Reads return the sum of all 64-bit words of all passes modulo 2^64 (rd, rdwr and frd: of the
 * 32-bit words they touch), the others 0. */
typedef uint64_t kernel_fn(const struct kernel_work *work);

struct kernel_about {
    const char *name;
    unsigned buffers;  /* the set is the sum of them */
    unsigned counted;  /* counted bytes for one byte of a buffer, by our convention */
    uint8_t is_writer; /* has a `to` */
    uint8_t is_whole;  /* a call of the libc, which chooses by the size: one for the whole buffer */
};

extern const struct kernel_about kernel_about[KERNEL_COUNT];

/* Number of a kernel by name, KERNEL_COUNT when there is none. */
enum kernel kernel_find(const char *name);

/* One instruction set's functions; NULL: it has none of its own. */
struct kernel_isa {
    const char *name;
    int (*is_usable)(void); /* does this CPU have it? */
    kernel_fn *fn[KERNEL_COUNT];
};

/* Those built for this architecture, the narrowest ("base") first; NULL-ended. */
extern const struct kernel_isa *const kernel_isas[];

/* What every architecture has: the libc's and the published operations. */
extern kernel_fn *const kernel_plain[KERNEL_COUNT];

/* The fill: 64-bit word i of a buffer is FILL_BASE + i * FILL_STEP, so that each sum is known. */
#define FILL_BASE UINT64_C(0x243f6a8885a308d3)
#define FILL_STEP UINT64_C(0x9e3779b97f4a7c15)

static inline uint64_t kernel_fill_word(uint64_t index)
{
    return FILL_BASE + index * FILL_STEP;
}

/* Writes words [first, first + count) of the fill to `to`. */
void kernel_fill(uint64_t *to, uint64_t first, size_t count);
/* Sum of those words modulo 2^64. Pure. */
uint64_t kernel_fill_sum(uint64_t first, uint64_t count);
/* The same for what rd (one of four) and frd (each one) add up: 32-bit words, modulo 2^32. Pure. */
uint32_t kernel_fill_sum32(uint64_t first, uint64_t count, unsigned stride);

/* Doubles near 1 that triad adds without rounding. */
static inline double kernel_triad_value(uint64_t index)
{
    return 1.0 + (double)(index % 1024) / 1024.0;
}
#define KERNEL_TRIAD_FACTOR 3.0

#endif
