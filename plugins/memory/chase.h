/* chase: a cycle of pointers through every 64-byte line of a buffer, in an order no prefetcher
 * guesses, and how long a step along it takes.
 *
 * The order is a linear congruence of full period: next(i) = (a i + c) mod n over the lines, so
 * that a cycle of any size is laid out in one pass, and any place on it is known without walking: a
 * walk that ends elsewhere has read something wrong.
 */
#ifndef MEMORY_CHASE_H
#define MEMORY_CHASE_H

#include <stddef.h>
#include <stdint.h>

#define CHASE_LINE 64u
#define CHASE_LINES_LEAST 16u
#define CHASE_CHAINS_MOST 8u
#define CHASE_LINES_MOST (UINT64_C(3) << 30) /* 192 GiB: products of two stay within 64 bits */

struct chase {
    char *base; /* aligned to CHASE_LINE */
    uint64_t lines, factor, step;
};

/* The largest number of lines that fits `bytes` and has a cycle: 2^k or 3 * 2^k, CHASE_LINES_MOST
 * at most; 0: too small. */
uint64_t chase_lines(uint64_t bytes);
/* Chooses the constants; lines from chase_lines. Pure. */
void chase_init(struct chase *chase, void *base, uint64_t lines);
/* Writes the pointers of `count` lines from line `from` on. */
void chase_lay(const struct chase *chase, uint64_t from, uint64_t count);
/* The line reached from line 0 after `count` steps. Pure. */
uint64_t chase_after(const struct chase *chase, uint64_t count);

/* Walks `chains` chains (1, 2, 4 or 8) at once, `count` steps each, a multiple of 16, from and to
 * the places in `at`. */
void chase_walk(unsigned chains, void *at[CHASE_CHAINS_MOST], size_t count);

#endif
