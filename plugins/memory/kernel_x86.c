/* The vector loops for x86: SSE2, AVX2 and AVX-512 from one source. */
#include "kernel.h"

#if defined(__x86_64__) && !defined(IODYNO_KERNELS_PORTABLE)

#include <immintrin.h>

#define STREAM_END() _mm_sfence()

#define BODY(name) sse2_##name
#define TARGET
#define VECTOR_BYTES 16
#define STREAM(to, a, b)                                                                           \
    do {                                                                                           \
        _mm_stream_si128((__m128i *)(to), (__m128i)(a));                                           \
        _mm_stream_si128((__m128i *)((to) + 1), (__m128i)(b));                                     \
    } while (0)
#include "kernel_body.h"
#undef BODY
#undef TARGET
#undef VECTOR_BYTES
#undef STREAM

#define BODY(name) avx2_##name
#define TARGET __attribute__((target("avx2")))
#define VECTOR_BYTES 32
#define STREAM(to, a, b)                                                                           \
    do {                                                                                           \
        _mm256_stream_si256((__m256i *)(to), (__m256i)(a));                                        \
        _mm256_stream_si256((__m256i *)((to) + 1), (__m256i)(b));                                  \
    } while (0)
#include "kernel_body.h"
#undef BODY
#undef TARGET
#undef VECTOR_BYTES
#undef STREAM

#define BODY(name) avx512_##name
#define TARGET __attribute__((target("avx512f")))
#define VECTOR_BYTES 64
#define STREAM(to, a, b)                                                                           \
    do {                                                                                           \
        _mm512_stream_si512((__m512i *)(to), (__m512i)(a));                                        \
        _mm512_stream_si512((__m512i *)((to) + 1), (__m512i)(b));                                  \
    } while (0)
#include "kernel_body.h"

static int has_sse2(void)
{
    return 1; /* x86-64 is defined with it */
}

static int has_avx2(void)
{
    return __builtin_cpu_supports("avx2") != 0;
}

static int has_avx512(void)
{
    return __builtin_cpu_supports("avx512f") != 0;
}

#define TABLE(isa, usable)                                                                         \
    {                                                                                              \
        .name = #isa, .is_usable = (usable),                                                       \
        .fn = {[KERNEL_READ] = isa##_read,         [KERNEL_WRITE] = isa##_write,                   \
               [KERNEL_WRITE_NT] = isa##_write_nt, [KERNEL_COPY] = isa##_copy,                     \
               [KERNEL_COPY_NT] = isa##_copy_nt,   [KERNEL_TRIAD] = isa##_triad},                  \
    }

static const struct kernel_isa sse2 = TABLE(sse2, has_sse2), avx2 = TABLE(avx2, has_avx2),
                               avx512 = TABLE(avx512, has_avx512);

const struct kernel_isa *const kernel_isas[] = {&sse2, &avx2, &avx512, NULL};

#else
typedef int kernel_x86_is_elsewhere; /* a file must declare something */
#endif
