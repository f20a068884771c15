/* fuzz: what a fuzz target offers. Pure functions of their input; a broken promise ends in abort().
 */
#ifndef FUZZ_H
#define FUZZ_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#define FUZZ_INPUT_MAX 32768 /* bytes */

/* libFuzzer's name. Returns 0. */
int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

/* The index-th good input, to be mutated: fills `into` (FUZZ_INPUT_MAX bytes) and returns its size;
 * 0 when there are no more. */
size_t fuzz_seed(unsigned index, uint8_t *into);

/* A promise of the code under test. */
#define FUZZ_HOLDS(claim)                                                                          \
    do {                                                                                           \
        if (!(claim)) {                                                                            \
            (void)fprintf(stderr, "%s:%d: does not hold: %s\n", __FILE__, __LINE__, #claim);       \
            abort();                                                                               \
        }                                                                                          \
    } while (0)

#endif
