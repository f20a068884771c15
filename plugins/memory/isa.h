/* isa: which instruction set's function does a kernel. */
#ifndef MEMORY_ISA_H
#define MEMORY_ISA_H

#include "kernel.h"

#include <stdbool.h>

#define ISA_TEXT 200
#define ISA_CANDIDATES 4

struct isa_choice {
    const char *name; /* "avx2", "neon"; "libc" or "C" where no instruction set is involved */
    kernel_fn *fn;
};

/* All functions this CPU can run for the kernel, the narrowest first; with `forced` only that
 * set's, or the narrowest when it has none of its own. How many, 0: this machine cannot do it. */
unsigned isa_candidates(enum kernel kernel, const struct kernel_isa *forced,
                        struct isa_choice ret_choices[ISA_CANDIDATES]);

/* The set of that name ("base": the narrowest; "auto": none). -EINVAL with a sentence when this
 * CPU lacks it. */
int isa_find(const char *name, const struct kernel_isa **ret_isa, char why[ISA_TEXT]);

/* "sse2, avx2" */
const char *isa_list(char text[ISA_TEXT]);

#endif
