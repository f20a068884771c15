/* The vector loops for aarch64: NEON from the one source, STNP, DC ZVA, and SVE where HWCAP says
 * so. SVE is written by hand: its width is known at run time only. */
#include "kernel.h"

#if defined(__aarch64__) && !defined(IODYNO_KERNELS_PORTABLE)

#include <sys/auxv.h>

#define HWCAP_SVE_BIT (1ul << 22)
#define ZVA_FORBIDDEN 16u /* DCZID_EL0 bit 4 */
#define ZVA_BYTES_MAX KERNEL_GRAIN

#define BODY(name) neon_##name
#define TARGET
#define VECTOR_BYTES 16
#define STREAM(to, a, b)                                                                           \
    __asm__ volatile("stnp %q1, %q2, [%0]" ::"r"(to), "w"(a), "w"(b) : "memory")
#define STREAM_END() __asm__ volatile("" ::: "memory")
#include "kernel_body.h"

static int has_neon(void)
{
    return 1; /* every aarch64 Linux has it */
}

static int has_sve(void)
{
    return (getauxval(AT_HWCAP) & HWCAP_SVE_BIT) != 0;
}

/* log2 of the words of 4 bytes that one DC ZVA zeroes, and whether it may be used. */
static uint64_t zva_identity(void)
{
    uint64_t value;
    __asm__("mrs %0, dczid_el0" : "=r"(value));
    return value;
}

static size_t zva_bytes(void)
{
    uint64_t identity = zva_identity();
    size_t bytes = (size_t)4 << (identity & 15);
    return (identity & ZVA_FORBIDDEN) || bytes > ZVA_BYTES_MAX ? 0 : bytes;
}

static int has_zva(void)
{
    return zva_bytes() != 0;
}

static uint64_t zva(const struct kernel_work *work)
{
    const size_t step = zva_bytes();
    for (size_t pass = 0; step && pass < work->passes; pass++) {
        char *to = work->to, *const end = to + work->bytes;
        for (; to < end; to += step)
            __asm__ volatile("dc zva, %0" ::"r"(to) : "memory");
    }
    return 0;
}

/* SVE without its intrinsics, so that a compiler without them builds it too. A width that does not
 * divide the grain (no multiple of 16 bytes but a power of two does) is handled by the predicate.
 */
#define SVE_ARCH ".arch_extension sve\n"

static uint64_t sve_read(const struct kernel_work *work)
{
    uint64_t sum = 0;
    for (size_t pass = 0; pass < work->passes; pass++) {
        uint64_t at = 0, part, words = work->bytes / sizeof(uint64_t);
        __asm__ volatile(SVE_ARCH "mov z0.d, #0\n"
                                  "mov z1.d, #0\n"
                                  "mov z2.d, #0\n"
                                  "mov z3.d, #0\n"
                                  "mov x9, %[at]\n"
                                  "1: whilelo p0.d, x9, %[words]\n"
                                  "ld1d z4.d, p0/z, [%[from], x9, lsl #3]\n"
                                  "incd x9\n"
                                  "whilelo p1.d, x9, %[words]\n"
                                  "ld1d z5.d, p1/z, [%[from], x9, lsl #3]\n"
                                  "incd x9\n"
                                  "whilelo p2.d, x9, %[words]\n"
                                  "ld1d z6.d, p2/z, [%[from], x9, lsl #3]\n"
                                  "incd x9\n"
                                  "whilelo p3.d, x9, %[words]\n"
                                  "ld1d z7.d, p3/z, [%[from], x9, lsl #3]\n"
                                  "incd x9\n"
                                  "add z0.d, z0.d, z4.d\n"
                                  "add z1.d, z1.d, z5.d\n"
                                  "add z2.d, z2.d, z6.d\n"
                                  "add z3.d, z3.d, z7.d\n"
                                  "cmp x9, %[words]\n"
                                  "b.lo 1b\n"
                                  "add z0.d, z0.d, z1.d\n"
                                  "add z2.d, z2.d, z3.d\n"
                                  "add z0.d, z0.d, z2.d\n"
                                  "ptrue p0.d\n"
                                  "uaddv d0, p0, z0.d\n"
                                  "fmov %[part], d0\n"
                         : [part] "=&r"(part)
                         : [from] "r"(work->from), [words] "r"(words), [at] "r"(at)
                         : "x9", "v0", "v1", "v2", "v3", "v4", "v5", "v6", "v7", "cc", "memory");
        sum += part;
    }
    return sum;
}

static uint64_t sve_write(const struct kernel_work *work)
{
    for (size_t pass = 0; pass < work->passes; pass++) {
        uint64_t words = work->bytes / sizeof(uint64_t);
        __asm__ volatile(SVE_ARCH "mov z0.d, %[word]\n"
                                  "mov x9, #0\n"
                                  "1: whilelo p0.d, x9, %[words]\n"
                                  "st1d z0.d, p0, [%[to], x9, lsl #3]\n"
                                  "incd x9\n"
                                  "whilelo p1.d, x9, %[words]\n"
                                  "st1d z0.d, p1, [%[to], x9, lsl #3]\n"
                                  "incd x9\n"
                                  "cmp x9, %[words]\n"
                                  "b.lo 1b\n" ::[to] "r"(work->to),
                         [words] "r"(words), [word] "r"(work->word)
                         : "x9", "v0", "cc", "memory");
    }
    return 0;
}

static uint64_t sve_copy(const struct kernel_work *work)
{
    for (size_t pass = 0; pass < work->passes; pass++) {
        uint64_t words = work->bytes / sizeof(uint64_t);
        __asm__ volatile(SVE_ARCH "mov x9, #0\n"
                                  "1: mov x10, x9\n"
                                  "whilelo p0.d, x9, %[words]\n"
                                  "ld1d z0.d, p0/z, [%[from], x9, lsl #3]\n"
                                  "incd x9\n"
                                  "whilelo p1.d, x9, %[words]\n"
                                  "ld1d z1.d, p1/z, [%[from], x9, lsl #3]\n"
                                  "st1d z0.d, p0, [%[to], x10, lsl #3]\n"
                                  "st1d z1.d, p1, [%[to], x9, lsl #3]\n"
                                  "incd x9\n"
                                  "cmp x9, %[words]\n"
                                  "b.lo 1b\n" ::[to] "r"(work->to),
                         [from] "r"(work->from), [words] "r"(words)
                         : "x9", "x10", "v0", "v1", "cc", "memory");
    }
    return 0;
}

static uint64_t sve_triad(const struct kernel_work *work)
{
    const double factor = KERNEL_TRIAD_FACTOR;
    for (size_t pass = 0; pass < work->passes; pass++) {
        uint64_t words = work->bytes / sizeof(double);
        __asm__ volatile(
            SVE_ARCH "mov z3.d, %d[factor]\n"
                     "mov x9, #0\n"
                     "1: whilelo p0.d, x9, %[words]\n"
                     "ld1d z0.d, p0/z, [%[b], x9, lsl #3]\n"
                     "ld1d z1.d, p0/z, [%[c], x9, lsl #3]\n"
                     "fmla z0.d, p0/m, z1.d, z3.d\n"
                     "st1d z0.d, p0, [%[to], x9, lsl #3]\n"
                     "incd x9\n"
                     "cmp x9, %[words]\n"
                     "b.lo 1b\n" ::[to] "r"(work->to),
            [b] "r"(work->from), [c] "r"(work->from_too), [words] "r"(words), [factor] "w"(factor)
            : "x9", "v0", "v1", "v3", "cc", "memory");
    }
    return 0;
}

static const struct kernel_isa neon = {
    .name = "neon",
    .is_usable = has_neon,
    .fn = {[KERNEL_READ] = neon_read,
           [KERNEL_WRITE] = neon_write,
           [KERNEL_WRITE_NT] = neon_write_nt,
           [KERNEL_COPY] = neon_copy,
           [KERNEL_COPY_NT] = neon_copy_nt,
           [KERNEL_TRIAD] = neon_triad},
};

static const struct kernel_isa zeroing = {
    .name = "zva", .is_usable = has_zva, .fn = {[KERNEL_ZVA] = zva}};

static const struct kernel_isa sve = {
    .name = "sve",
    .is_usable = has_sve,
    .fn = {[KERNEL_READ] = sve_read,
           [KERNEL_WRITE] = sve_write,
           [KERNEL_COPY] = sve_copy,
           [KERNEL_TRIAD] = sve_triad},
};

const struct kernel_isa *const kernel_isas[] = {&neon, &zeroing, &sve, NULL};

#else
typedef int kernel_arm64_is_elsewhere; /* a file must declare something */
#endif
