#include "device/ranking.h"

#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/str.h"
#include "device/sysfs.h"

/* Names are compared once for the disks, which are few; partitions then by numbers. */
struct rank {
    const struct device *device;
    size_t disk; /* place of its disk among the disks */
    bool is_part;
    uint64_t number; /* at the end of its name */
};

struct disks {
    struct rank *by_place; /* in the order of the list */
    struct rank **by_id;   /* for looking up */
    size_t count;
};

static int compare_disks(const void *a, const void *b)
{
    const struct device *left = ((const struct rank *)a)->device,
                        *right = ((const struct rank *)b)->device;
    if (left->kind != right->kind)
        return left->kind < right->kind ? -1 : 1;
    int order = sysfs_natural(left->id, right->id);
    return order != 0 ? order : strcmp(left->id, right->id);
}

static int compare_ids(const void *a, const void *b)
{
    const struct rank *left = *(struct rank *const *)a, *right = *(struct rank *const *)b;
    return strcmp(left->device->id, right->device->id);
}

static int compare_all(const void *a, const void *b)
{
    const struct rank *left = a, *right = b;
    if (left->disk != right->disk)
        return left->disk < right->disk ? -1 : 1;
    if (left->is_part != right->is_part)
        return left->is_part ? 1 : -1;
    if (left->number != right->number)
        return left->number < right->number ? -1 : 1;
    return compare_disks(a, b);
}

/* SIZE_MAX: not there. */
static size_t place_of(const struct disks *disks, const char *id)
{
    const struct device key_device = {.id = (char *)(uintptr_t)id};
    struct rank key = {.device = &key_device}, *at = &key;
    struct rank **found = bsearch(&at, disks->by_id, disks->count, sizeof at, compare_ids);
    return found ? (size_t)(*found - disks->by_place) : SIZE_MAX;
}

static uint64_t last_number(const char *name)
{
    size_t size = strlen(name), start = size;
    uint64_t value = 0;
    while (start > 0 && name[start - 1] >= '0' && name[start - 1] <= '9')
        start--;
    for (; start < size && value < UINT64_MAX / 10 - 9; start++)
        value = value * 10 + (uint64_t)(name[start] - '0');
    return value;
}

/* The places of those that have no parent; `count` of them at most. */
static void rank_disks(struct disks *disks, const struct device *devices, size_t count)
{
    disks->by_place = mem_new(count, sizeof *disks->by_place);
    for (size_t i = 0; i < count; i++)
        if (!devices[i].parent)
            disks->by_place[disks->count++] = (struct rank){.device = &devices[i]};
    qsort(disks->by_place, disks->count, sizeof *disks->by_place, compare_disks);
    disks->by_id = mem_new(disks->count, sizeof(struct rank *));
    for (size_t i = 0; i < disks->count; i++)
        disks->by_id[i] = &disks->by_place[i];
    qsort(disks->by_id, disks->count, sizeof(struct rank *), compare_ids);
}

static struct rank rank_of(const struct disks *disks, const struct device *device)
{
    struct rank rank = {.device = device};
    rank.disk = place_of(disks, device->parent ? device->parent : device->id);
    rank.is_part = device->parent && rank.disk != SIZE_MAX;
    rank.number = rank.is_part ? last_number(device->id) : 0;
    return rank;
}

/* Brings each device to its place along the circles they form: no second array of them. */
static void permute(struct device *devices, struct rank *ranks, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (!ranks[i].device)
            continue;
        struct device first = devices[i];
        size_t to = i;
        for (size_t from = (size_t)(ranks[to].device - devices); from != i;
             from = (size_t)(ranks[to].device - devices)) {
            devices[to] = devices[from];
            ranks[to].device = NULL;
            to = from;
        }
        devices[to] = first;
        ranks[to].device = NULL;
    }
}

void ranking_sort(struct device *devices, size_t count)
{
    struct disks disks = {0};
    if (count == 0)
        return;
    rank_disks(&disks, devices, count);
    AUTO_FREE struct rank *ranks = mem_new(count, sizeof *ranks);
    for (size_t i = 0; i < count; i++)
        ranks[i] = rank_of(&disks, &devices[i]);
    qsort(ranks, count, sizeof *ranks, compare_all);
    permute(devices, ranks, count);
    free(disks.by_id);
    free(disks.by_place);
}
