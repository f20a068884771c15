/* The same loops in portable C, 16 bytes at a time, for armv7, riscv64 and all the rest. */
#include "kernel.h"

#if (!defined(__x86_64__) && !defined(__aarch64__)) || defined(IODYNO_KERNELS_PORTABLE)

#define BODY(name) portable_##name
#define TARGET
#define VECTOR_BYTES 16
#include "kernel_body.h"

static int always(void)
{
    return 1;
}

static const struct kernel_isa portable = {
    .name = "portable",
    .is_usable = always,
    .fn = {[KERNEL_READ] = portable_read,
           [KERNEL_WRITE] = portable_write,
           [KERNEL_COPY] = portable_copy,
           [KERNEL_TRIAD] = portable_triad},
};

const struct kernel_isa *const kernel_isas[] = {&portable, NULL};

#else
typedef int kernel_other_is_elsewhere; /* a file must declare something */
#endif
