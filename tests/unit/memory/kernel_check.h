/* kernel_check: does each kernel, in each instruction set this CPU has, what it says? Without a
 * test library, so that it also runs as a foreign program under an emulator. */
#ifndef KERNEL_CHECK_H
#define KERNEL_CHECK_H

#include <memory/content.h>
#include <memory/kernel.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CHECK_GUARD 1024u /* bytes before and behind that no kernel may touch */
#define CHECK_MOST (24u << 10)
#define CHECK_WORD UINT64_C(0x1122334455667788)
#define CHECK_FIRST 77u

struct check_buffers {
    char *all[3];
    uint64_t *buffer[3];
};

static int check_guards(const struct check_buffers *buffers, size_t bytes)
{
    for (unsigned i = 0; i < 3; i++)
        for (size_t at = 0; at < CHECK_GUARD; at++)
            if (buffers->all[i][at] != 0x5a || buffers->all[i][CHECK_GUARD + bytes + at] != 0x5a)
                return 0;
    return 1;
}

static void check_lay(struct check_buffers *buffers, enum kernel kernel, size_t bytes)
{
    for (unsigned i = 0; i < 3; i++) {
        memset(buffers->all[i], 0x5a, CHECK_MOST + 2 * CHECK_GUARD);
        buffers->buffer[i] = (uint64_t *)(void *)(buffers->all[i] + CHECK_GUARD);
    }
    if (kernel == KERNEL_TRIAD) {
        for (size_t at = 0; at < bytes / sizeof(double); at++)
            ((double *)buffers->buffer[1])[at] = ((double *)buffers->buffer[2])[at] =
                kernel_triad_value(CHECK_FIRST + at);
        return;
    }
    kernel_fill(buffers->buffer[1], CHECK_FIRST, bytes / sizeof(uint64_t));
}

static uint64_t check_sum(enum kernel kernel, size_t bytes, size_t passes)
{
    uint64_t words = bytes / sizeof(uint64_t);
    if (kernel == KERNEL_READ)
        return kernel_fill_sum(CHECK_FIRST, words) * passes;
    return (uint32_t)(kernel_fill_sum32(CHECK_FIRST, words, kernel == KERNEL_RD ? 4 : 1) * passes);
}

static struct content check_content(enum kernel kernel)
{
    struct content content = {.kind = CONTENT_WORD, .word = 0};
    if (kernel == KERNEL_WRITE || kernel == KERNEL_WRITE_NT)
        content.word = CHECK_WORD;
    else if (kernel == KERNEL_MEMSET)
        content.word = UINT64_C(0x8888888888888888);
    else if (kernel == KERNEL_WR || kernel == KERNEL_FWR || kernel == KERNEL_RDWR)
        content.word = UINT64_C(0x100000001);
    else if (kernel == KERNEL_TRIAD)
        content = (struct content){.kind = CONTENT_TRIAD, .first = CHECK_FIRST};
    else if (kernel != KERNEL_ZVA && kernel != KERNEL_BZERO)
        content = (struct content){.kind = CONTENT_FILL, .first = CHECK_FIRST};
    content.sparse = kernel == KERNEL_WR || kernel == KERNEL_RDWR || kernel == KERNEL_CP;
    return content;
}

/* 1 when right. */
static int check_one(struct check_buffers *buffers, enum kernel kernel, kernel_fn *fn, size_t bytes,
                     size_t passes)
{
    check_lay(buffers, kernel, bytes);
    struct kernel_work work = {.to = buffers->buffer[0],
                               .from = buffers->buffer[1],
                               .from_too = buffers->buffer[2],
                               .bytes = bytes,
                               .passes = passes,
                               .word = CHECK_WORD};
    uint64_t sum = fn(&work);
    if (!kernel_about[kernel].is_writer) {
        if (kernel != KERNEL_READ)
            sum = (uint32_t)sum;
        return sum == check_sum(kernel, bytes, passes) && check_guards(buffers, CHECK_MOST);
    }
    struct content content = check_content(kernel);
    size_t words = bytes / sizeof(uint64_t);
    if (content_find(&content, buffers->buffer[0], 0, words) != words)
        return 0;
    for (size_t at = bytes; at < CHECK_MOST; at++)
        if (((char *)buffers->buffer[0])[at] != 0x5a)
            return 0;
    return check_guards(buffers, CHECK_MOST);
}

static unsigned check_function(struct check_buffers *buffers, const char *isa, enum kernel kernel,
                               kernel_fn *fn, FILE *out)
{
    static const size_t sizes[] = {KERNEL_GRAIN, 3 * KERNEL_GRAIN, 4096, CHECK_MOST};
    static const size_t passes[] = {1, 3};
    unsigned faults = 0;
    for (size_t s = 0; s < sizeof sizes / sizeof sizes[0]; s++)
        for (size_t p = 0; p < sizeof passes / sizeof passes[0]; p++)
            faults += !check_one(buffers, kernel, fn, sizes[s], passes[p]);
    if (out)
        fprintf(out, "%-8s %-9s %s\n", isa, kernel_about[kernel].name, faults ? "WRONG" : "right");
    return faults;
}

/* How many checks failed; how many functions were looked at goes to ret_functions. */
static unsigned check_kernels(FILE *out, unsigned *ret_functions)
{
    struct check_buffers buffers;
    unsigned faults = 0, functions = 0;
    for (unsigned i = 0; i < 3; i++) {
        void *memory = NULL;
        if (posix_memalign(&memory, 4096, CHECK_MOST + 2 * CHECK_GUARD))
            abort();
        buffers.all[i] = memory;
    }
    for (unsigned k = 0; k < KERNEL_COUNT; k++) {
        for (size_t i = 0; kernel_isas[i]; i++) {
            if (!kernel_isas[i]->fn[k] || !kernel_isas[i]->is_usable())
                continue;
            faults += check_function(&buffers, kernel_isas[i]->name, (enum kernel)k,
                                     kernel_isas[i]->fn[k], out);
            functions++;
        }
        if (kernel_plain[k]) {
            faults += check_function(&buffers, "plain", (enum kernel)k, kernel_plain[k], out);
            functions++;
        }
    }
    for (unsigned i = 0; i < 3; i++)
        free(buffers.all[i]);
    *ret_functions = functions;
    return faults;
}

#endif
