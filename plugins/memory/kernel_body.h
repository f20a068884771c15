/* kernel_body: the loops of one vector width. Included once per instruction set by kernel_*.c, with
 *   BODY(name)    the function's name      TARGET   its target attribute, or empty
 *   VECTOR_BYTES  16, 32 or 64             STREAM   a store around the caches, or undefined
 * Eight accumulators, because one add's latency would else be the limit. The barrier between passes
 * keeps the compiler from merging them. */
#ifndef KERNEL_BARRIER
#define KERNEL_BARRIER() __asm__ volatile("" ::: "memory")
#endif

typedef uint64_t BODY(vec) __attribute__((vector_size(VECTOR_BYTES), may_alias));
typedef double BODY(dvec) __attribute__((vector_size(VECTOR_BYTES), may_alias));

#define STEP 8 /* vectors of one turn */

TARGET static uint64_t BODY(read)(const struct kernel_work *work)
{
    BODY(vec) s0 = {0}, s1 = s0, s2 = s0, s3 = s0, s4 = s0, s5 = s0, s6 = s0, s7 = s0;
    for (size_t pass = 0; pass < work->passes; pass++) {
        const BODY(vec) *from = work->from;
        const BODY(vec) *const end = from + work->bytes / VECTOR_BYTES;
        for (; from < end; from += STEP) {
            s0 += from[0];
            s1 += from[1];
            s2 += from[2];
            s3 += from[3];
            s4 += from[4];
            s5 += from[5];
            s6 += from[6];
            s7 += from[7];
        }
        KERNEL_BARRIER();
    }
    s0 += s1 + s2 + s3 + s4 + s5 + s6 + s7;
    uint64_t sum = 0;
    for (size_t i = 0; i < VECTOR_BYTES / sizeof(uint64_t); i++)
        sum += s0[i];
    return sum;
}

TARGET static uint64_t BODY(write)(const struct kernel_work *work)
{
    const BODY(vec) word = work->word - (BODY(vec)){0};
    for (size_t pass = 0; pass < work->passes; pass++) {
        BODY(vec) *to = work->to;
        BODY(vec) *const end = to + work->bytes / VECTOR_BYTES;
        for (; to < end; to += STEP) {
            to[0] = word;
            to[1] = word;
            to[2] = word;
            to[3] = word;
            to[4] = word;
            to[5] = word;
            to[6] = word;
            to[7] = word;
        }
        KERNEL_BARRIER();
    }
    return 0;
}

TARGET static uint64_t BODY(copy)(const struct kernel_work *work)
{
    for (size_t pass = 0; pass < work->passes; pass++) {
        BODY(vec) *to = work->to;
        const BODY(vec) *from = work->from;
        const BODY(vec) *const end = from + work->bytes / VECTOR_BYTES;
        for (; from < end; from += STEP, to += STEP) {
            const BODY(vec) a = from[0], b = from[1], c = from[2], d = from[3];
            const BODY(vec) e = from[4], f = from[5], g = from[6], h = from[7];
            to[0] = a;
            to[1] = b;
            to[2] = c;
            to[3] = d;
            to[4] = e;
            to[5] = f;
            to[6] = g;
            to[7] = h;
        }
        KERNEL_BARRIER();
    }
    return 0;
}

TARGET static uint64_t BODY(triad)(const struct kernel_work *work)
{
    const BODY(dvec) factor = KERNEL_TRIAD_FACTOR - (BODY(dvec)){0};
    for (size_t pass = 0; pass < work->passes; pass++) {
        BODY(dvec) *to = work->to;
        const BODY(dvec) *b = work->from, *c = work->from_too;
        const BODY(dvec) *const end = b + work->bytes / VECTOR_BYTES;
        for (; b < end; b += STEP, c += STEP, to += STEP) {
            to[0] = b[0] + factor * c[0];
            to[1] = b[1] + factor * c[1];
            to[2] = b[2] + factor * c[2];
            to[3] = b[3] + factor * c[3];
            to[4] = b[4] + factor * c[4];
            to[5] = b[5] + factor * c[5];
            to[6] = b[6] + factor * c[6];
            to[7] = b[7] + factor * c[7];
        }
        KERNEL_BARRIER();
    }
    return 0;
}

#ifdef STREAM
TARGET static uint64_t BODY(write_nt)(const struct kernel_work *work)
{
    const BODY(vec) word = work->word - (BODY(vec)){0};
    for (size_t pass = 0; pass < work->passes; pass++) {
        BODY(vec) *to = work->to;
        BODY(vec) *const end = to + work->bytes / VECTOR_BYTES;
        for (; to < end; to += 4) {
            STREAM(to, word, word);
            STREAM(to + 2, word, word);
        }
        STREAM_END();
    }
    return 0;
}

TARGET static uint64_t BODY(copy_nt)(const struct kernel_work *work)
{
    for (size_t pass = 0; pass < work->passes; pass++) {
        BODY(vec) *to = work->to;
        const BODY(vec) *from = work->from;
        const BODY(vec) *const end = from + work->bytes / VECTOR_BYTES;
        for (; from < end; from += 4, to += 4) {
            const BODY(vec) a = from[0], b = from[1], c = from[2], d = from[3];
            STREAM(to, a, b);
            STREAM(to + 2, c, d);
        }
        STREAM_END();
    }
    return 0;
}
#endif

#undef STEP
