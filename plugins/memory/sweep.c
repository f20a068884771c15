#include "sweep.h"

#include <string.h>
#include <time.h>

#define SPOILT UINT64_C(0xdeadbeefdeadbeef)
#define SPOIL_EVERY 4096u
#define PART (1u << 20)         /* bytes between two looks at the stop flag, aside from the run */
#define WHOLE_MOST (512u << 20) /* of one call of the libc: one that is larger ends too late */
#define HASTY_BYTES (2u * PART) /* looked at at either end, in haste */

struct buffers {
    size_t bytes; /* of each */
    uint64_t *to, *from, *from_too;
};

size_t sweep_buffer_bytes(enum kernel kernel, size_t set_bytes)
{
    return set_bytes / kernel_about[kernel].buffers / KERNEL_GRAIN * KERNEL_GRAIN;
}

/* Sources come first in the area, so that the fill they hold stays until triad or a write. */
static struct buffers buffers_of(const struct sweep *sweep, const struct worker *worker)
{
    const struct kernel_about *about = &kernel_about[sweep->kernel];
    struct buffers buffers = {.bytes = sweep_buffer_bytes(sweep->kernel, sweep->bytes)};
    uint64_t *place[3] = {NULL, NULL, NULL};
    for (unsigned i = 0; i < about->buffers; i++)
        place[i] = (uint64_t *)(void *)area_buffer(&worker->area, i, buffers.bytes);
    if (about->is_writer)
        buffers.to = place[about->buffers - 1];
    if (about->buffers > 1 || !about->is_writer)
        buffers.from = place[0];
    if (about->buffers > 2)
        buffers.from_too = place[1];
    return buffers;
}

/* Number of a place of the area in words of the fill. */
static uint64_t fill_index(const struct worker *worker, const uint64_t *at)
{
    return (uint64_t)((const char *)at - worker->area.base) / sizeof(uint64_t);
}

/* False when it was stopped on the way. `done` bytes were written before. */
static bool write_triad(struct worker *worker, double *to, size_t bytes, uint64_t done)
{
    for (size_t at = 0, part; at < bytes; at += part) {
        part = bytes - at < PART ? bytes - at : PART;
        if (worker_stops(worker))
            return false;
        for (size_t i = at / sizeof *to; i < (at + part) / sizeof *to; i++)
            to[i] = kernel_triad_value(i);
        worker_publish(worker, done + at + part);
    }
    return true;
}

/* Puts the fill back where an earlier kernel wrote over it. */
static void mend_fill(struct worker *worker, const uint64_t *from, size_t bytes)
{
    struct area *area = &worker->area;
    size_t needed = from ? (size_t)((const char *)from - area->base) + bytes : 0;
    for (uint64_t written = 0; area->intact < needed && !worker_stops(worker);) {
        size_t at = area->intact / 64 * 64, part = needed - at < PART ? needed - at : PART;
        kernel_fill((uint64_t *)(void *)(area->base + at), at / sizeof(uint64_t),
                    part / sizeof(uint64_t));
        area->intact = at + part;
        worker_publish(worker, written += part);
    }
}

int sweep_prepare(struct worker *worker, void *context)
{
    const struct sweep *sweep = context;
    struct buffers buffers = buffers_of(sweep, worker);
    struct area *area = &worker->area;
    if (sweep->kernel == KERNEL_TRIAD) {
        area->intact = 0;
        if (write_triad(worker, (double *)buffers.from, buffers.bytes, 0))
            (void)write_triad(worker, (double *)buffers.from_too, buffers.bytes, buffers.bytes);
    } else {
        mend_fill(worker, buffers.from, buffers.bytes);
    }
    if (buffers.to && area->intact > (size_t)((char *)buffers.to - area->base))
        area->intact = (size_t)((char *)buffers.to - area->base);
    for (size_t at = 0; buffers.to && at < buffers.bytes && !worker_stops(worker);
         at += SPOIL_EVERY)
        buffers.to[at / sizeof(uint64_t)] = SPOILT;
    return 0;
}

static uint64_t sum_of(enum kernel kernel, uint64_t first, size_t bytes)
{
    uint64_t words = bytes / sizeof(uint64_t);
    if (kernel == KERNEL_READ)
        return kernel_fill_sum(first, words);
    return kernel_fill_sum32(first, words, kernel == KERNEL_RD ? 4 : 1);
}

/* The sum that all passes must have come to, against what they came to. */
static void check_sum(struct sweep *sweep, struct worker *worker, uint64_t sum)
{
    const struct sweep_trace *trace = &sweep->trace[worker->index];
    struct buffers buffers = buffers_of(sweep, worker);
    uint64_t first = fill_index(worker, buffers.from);
    uint64_t expected = trace->passes * sum_of(sweep->kernel, first, buffers.bytes) +
                        sum_of(sweep->kernel, first, trace->rest);
    if (sweep->kernel != KERNEL_READ) { /* 32 bits wide */
        expected &= UINT32_MAX;
        sum &= UINT32_MAX;
    }
    if (sum == expected)
        return;
    struct content content = {.kind = CONTENT_FILL, .first = first};
    if (wrong_search(sweep->wrong, &content, buffers.from, buffers.bytes / sizeof(uint64_t),
                     worker->cpu, true) == 0)
        wrong_add_sum(sweep->wrong, kernel_about[sweep->kernel].name, expected, sum, worker->cpu);
}

/* A word in the middle, at a multiple of sixteen bytes: also the published operations touch it. */
static uint64_t *middle(uint64_t *from, size_t bytes)
{
    return from + bytes / sizeof(uint64_t) / 4 * 2;
}

static uint64_t clock_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

int sweep_run(struct worker *worker, void *context)
{
    struct sweep *sweep = context;
    struct buffers buffers = buffers_of(sweep, worker);
    unsigned counted = kernel_about[sweep->kernel].counted;
    size_t block = CREW_BLOCK / counted / KERNEL_GRAIN * KERNEL_GRAIN, at = 0;
    bool is_slow = kernel_about[sweep->kernel].is_whole && buffers.bytes > block;
    if (is_slow)
        block = WHOLE_MOST;
    if (block > buffers.bytes)
        block = buffers.bytes;
    struct kernel_work work = {.word = sweep->word, .passes = 1};
    if (buffers.bytes == block) /* a set smaller than a block is gone over until it makes one */
        work.passes = CREW_BLOCK / counted / block > 0 ? CREW_BLOCK / counted / block : 1;
    struct sweep_trace trace = {0};
    uint64_t moved = 0, sum = 0;
    if (sweep->flips_bit && !buffers.to && worker->index == 0)
        *middle(buffers.from, buffers.bytes) ^= 1;
    while (!worker_stops(worker)) {
        work.bytes = buffers.bytes - at < block ? buffers.bytes - at : block;
        work.to = buffers.to ? (char *)buffers.to + at : NULL;
        work.from = buffers.from ? (const char *)buffers.from + at : NULL;
        work.from_too = buffers.from_too ? (const char *)buffers.from_too + at : NULL;
        sum += sweep->fn(&work);
        moved += (uint64_t)work.bytes * work.passes * counted;
        if (is_slow)
            atomic_store(&worker->moved_ns, WORKER_WRITES);
        /* not before WORKER_WRITES can be seen */
        atomic_store_explicit(&worker->moved, moved, memory_order_release);
        if (is_slow)
            atomic_store(&worker->moved_ns, clock_ns());
        at += work.bytes;
        if (at == buffers.bytes) {
            trace.passes += work.passes;
            at = 0;
        }
    }
    trace.rest = at;
    sweep->trace[worker->index] = trace;
    if (!kernel_about[sweep->kernel].is_writer)
        check_sum(sweep, worker, sum);
    return 0;
}

/* What the buffer written to must hold. */
static struct content content_after(const struct sweep *sweep, const struct worker *worker,
                                    const struct buffers *buffers)
{
    struct content content = {.kind = CONTENT_WORD};
    switch (sweep->kernel) {
    case KERNEL_WRITE:
    case KERNEL_WRITE_NT:
        content.word = sweep->word;
        break;
    case KERNEL_MEMSET:
        content.word = (sweep->word & 0xff) * UINT64_C(0x0101010101010101);
        break;
    case KERNEL_WR:
    case KERNEL_RDWR:
    case KERNEL_FWR:
        content.word = UINT64_C(0x100000001);
        break;
    case KERNEL_TRIAD:
        content.kind = CONTENT_TRIAD;
        break;
    case KERNEL_ZVA:
    case KERNEL_BZERO:
        break;
    default:
        content.kind = CONTENT_FILL;
        content.first = fill_index(worker, buffers->from);
    }
    content.sparse =
        sweep->kernel == KERNEL_WR || sweep->kernel == KERNEL_RDWR || sweep->kernel == KERNEL_CP;
    return content;
}

int sweep_check(struct worker *worker, void *context)
{
    const struct sweep *sweep = context;
    const struct sweep_trace *trace = &sweep->trace[worker->index];
    struct buffers buffers = buffers_of(sweep, worker);
    if (!buffers.to)
        return 0;
    size_t bytes = trace->passes ? buffers.bytes : trace->rest;
    if (sweep->flips_bit && worker->index == 0)
        *middle(buffers.to, bytes) ^= 1;
    for (size_t at = 0, part; at < bytes && !worker_stops(worker); at += part) {
        part = bytes - at < PART ? bytes - at : PART;
        worker_publish(worker, at + part);
        if (sweep->is_hasty && at >= HASTY_BYTES && at + HASTY_BYTES < bytes)
            continue;
        struct content content = content_after(sweep, worker, &buffers);
        content.first += at / sizeof(uint64_t);
        wrong_search(sweep->wrong, &content, buffers.to + at / sizeof(uint64_t),
                     part / sizeof(uint64_t), worker->cpu, false);
    }
    return 0;
}
