#include "area.h"

#include "kernel.h"

#include <common/cleanup.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

/* May this step be touched? */
static bool gate_pass(struct area_gate *gate, size_t step)
{
    struct room room = {0};
    pthread_mutex_lock(&gate->lock);
    bool may = !gate->is_short && gate->find_room(gate->root, &room) == 0 &&
               room.touchable >= gate->pending + step;
    if (may)
        gate->pending += step;
    else if (!gate->is_short) {
        gate->is_short = true;
        memcpy(gate->why, room.touchable_why, sizeof gate->why);
        gate->why[sizeof gate->why - 1] = '\0';
    }
    pthread_mutex_unlock(&gate->lock);
    return may;
}

static void gate_done(struct area_gate *gate, size_t step)
{
    pthread_mutex_lock(&gate->lock);
    gate->pending -= step;
    pthread_mutex_unlock(&gate->lock);
}

int area_take(struct area *area, size_t bytes, struct area_gate *gate, atomic_uint_least64_t *taken)
{
    *area = (struct area){0};
    size_t map_bytes = bytes + AREA_ALIGN;
    char *map = mmap(NULL, map_bytes, PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (map == MAP_FAILED) {
        atomic_store_explicit(gate->stop, true, memory_order_relaxed);
        return -ENOMEM;
    }
    area->map = map;
    area->map_bytes = map_bytes;
    area->base = map + (AREA_ALIGN - (uintptr_t)map % AREA_ALIGN) % AREA_ALIGN;
    /* A kernel without transparent huge pages refuses: base pages then, and the result says so. */
    (void)madvise(area->base, bytes, gate->wants_huge ? MADV_HUGEPAGE : MADV_NOHUGEPAGE);
    while (area->bytes < bytes && !atomic_load_explicit(gate->stop, memory_order_relaxed)) {
        size_t step = bytes - area->bytes < AREA_STEP ? bytes - area->bytes : AREA_STEP;
        if (!gate_pass(gate, step))
            break;
        kernel_fill((uint64_t *)(void *)(area->base + area->bytes), area->bytes / sizeof(uint64_t),
                    step / sizeof(uint64_t));
        area->bytes += step;
        gate_done(gate, step);
        atomic_store_explicit(taken, area->bytes, memory_order_relaxed);
    }
    area->intact = area->bytes;
    return 0;
}

void area_drop(struct area *area)
{
    if (area->map)
        (void)munmap(area->map, area->map_bytes);
    *area = (struct area){0};
}

uint64_t area_huge_bytes(const struct area *area)
{
    FILE *file = fopen("/proc/self/smaps", "re");
    char line[256];
    uint64_t from, to, kib, huge = 0;
    uint64_t low = (uintptr_t)area->map, high = low + area->map_bytes;
    bool is_ours = false;
    if (!file)
        return 0;
    while (fgets(line, sizeof line, file)) {
        if (sscanf(line, "%" SCNx64 "-%" SCNx64 " ", &from, &to) == 2)
            is_ours = from < high && to > low;
        else if (is_ours && sscanf(line, "AnonHugePages: %" SCNu64 " kB", &kib) == 1)
            huge += kib << 10;
    }
    fclose(file);
    return huge < area->bytes ? huge : area->bytes;
}
