#include "cpus.h"

#include <common/cleanup.h>
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SAME_TYPE 0.9 /* turbo bins of one type differ by less than this */

static const struct source {
    const char *name, *file;
    int base;
} sources[] = {
    {"cpu_capacity", "cpu_capacity", 10},
    {"cpuinfo_max_freq", "cpufreq/cpuinfo_max_freq", 10},
    {"midr_el1", "regs/identification/midr_el1", 16},
};

#define SOURCE_MIDR 2u

static uint64_t read_number(const char *root, unsigned cpu, const struct source *source)
{
    char path[512], text[64] = "";
    snprintf(path, sizeof path, "%s/sys/devices/system/cpu/cpu%u/%s",
             strcmp(root, "/") == 0 ? "" : root, cpu, source->file);
    AUTO_CLOSE int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0 || read(fd, text, sizeof text - 1) <= 0)
        return 0;
    return strtoull(text, NULL, source->base);
}

/* The first source that knows all CPUs. Of a MIDR only the part number tells cores apart. */
static void weigh(const char *root, struct cpus *cpus)
{
    cpus->source = "none";
    for (size_t i = 0; i < ARRAY_SIZE(sources); i++) {
        bool is_known = true;
        for (unsigned at = 0; at < cpus->count && is_known; at++) {
            uint64_t power = read_number(root, cpus->cpu[at].number, &sources[i]);
            cpus->cpu[at].power = i == SOURCE_MIDR ? power >> 4 & 0xfff : power;
            is_known = cpus->cpu[at].power > 0;
        }
        if (is_known) {
            cpus->source = sources[i].name;
            return;
        }
    }
    for (unsigned at = 0; at < cpus->count; at++)
        cpus->cpu[at].power = 0;
}

static int by_power(const void *left, const void *right)
{
    const struct cpu *a = left, *b = right;
    if (a->power != b->power)
        return a->power > b->power ? -1 : 1;
    return a->number < b->number ? -1 : a->number > b->number;
}

static int by_type(const void *left, const void *right)
{
    const struct cpu *a = left, *b = right;
    if (a->type != b->type)
        return a->type < b->type ? -1 : 1;
    return a->number < b->number ? -1 : a->number > b->number;
}

static void sort_types(struct cpus *cpus)
{
    qsort(cpus->cpu, cpus->count, sizeof cpus->cpu[0], by_power);
    unsigned type = 0;
    bool is_part = strcmp(cpus->source, "midr_el1") == 0;
    uint64_t top = cpus->count ? cpus->cpu[0].power : 0;
    for (unsigned i = 0; i < cpus->count; i++) {
        uint64_t power = cpus->cpu[i].power;
        bool is_same = is_part ? power == top : (double)power >= (double)top * SAME_TYPE;
        if (!is_same && type + 1 < CPUS_TYPES) {
            type++;
            top = power;
        }
        cpus->cpu[i].type = type;
    }
    qsort(cpus->cpu, cpus->count, sizeof cpus->cpu[0], by_type);
    cpus->types = cpus->count ? type + 1 : 0;
}

int cpus_find(const char *root, struct cpus *ret_cpus)
{
    struct cpus cpus = {.source = "none"};
    int error = EINVAL;
    for (int possible = CPU_SETSIZE; possible <= CPU_SETSIZE * 64 && error == EINVAL;
         possible *= 4) {
        cpu_set_t *set = CPU_ALLOC((size_t)possible);
        if (!set)
            return -ENOMEM;
        size_t size = CPU_ALLOC_SIZE((size_t)possible);
        error = sched_getaffinity(0, size, set) < 0 ? errno : 0;
        for (int i = 0; error == 0 && i < possible && cpus.count < CPUS_MAX; i++)
            if (CPU_ISSET_S((size_t)i, size, set))
                cpus.cpu[cpus.count++].number = (unsigned)i;
        CPU_FREE(set);
    }
    if (error)
        return -error;
    weigh(root, &cpus);
    sort_types(&cpus);
    *ret_cpus = cpus;
    return 0;
}

static void keep_type(struct cpus *cpus, unsigned type)
{
    unsigned kept = 0;
    for (unsigned i = 0; i < cpus->count; i++)
        if (cpus->cpu[i].type == type)
            cpus->cpu[kept++] = cpus->cpu[i];
    cpus->count = kept;
    cpus->types = 1;
}

/* Reads "2" or "2-5" at `*at`; false when it is neither. */
static bool take_range(const char **at, unsigned long *ret_first, unsigned long *ret_last)
{
    char *end;
    if (**at < '0' || **at > '9')
        return false;
    *ret_first = *ret_last = strtoul(*at, &end, 10);
    if (*end == '-') {
        const char *second = end + 1;
        if (*second < '0' || *second > '9')
            return false;
        *ret_last = strtoul(second, &end, 10);
    }
    *at = end;
    return *ret_last >= *ret_first;
}

static int keep_list(struct cpus *cpus, const char *wish, char why[CPUS_TEXT])
{
    bool is_wanted[CPUS_MAX] = {0};
    char have[CPUS_TEXT];
    for (const char *at = wish; *at;) {
        unsigned long first, last;
        if (!take_range(&at, &first, &last) || (*at && *at != ',')) {
            snprintf(why, CPUS_TEXT,
                     "cpus=%.40s: expected all, big, little or a list such as 0,2-3", wish);
            return -EINVAL;
        }
        at += *at == ',';
        for (unsigned long number = first; number <= last; number++) {
            unsigned i = 0;
            while (i < cpus->count && cpus->cpu[i].number != number)
                i++;
            if (i == cpus->count) {
                snprintf(why, CPUS_TEXT, "cpus=%.40s: CPU %lu may not be used here, only %.80s",
                         wish, number, cpus_list(cpus, have));
                return -EINVAL;
            }
            is_wanted[i] = true;
        }
    }
    unsigned kept = 0, types = 0, last = CPUS_TYPES;
    for (unsigned i = 0; i < cpus->count; i++) {
        if (!is_wanted[i])
            continue;
        types += cpus->cpu[i].type != last;
        last = cpus->cpu[i].type;
        cpus->cpu[kept++] = cpus->cpu[i];
    }
    cpus->count = kept;
    cpus->types = types;
    return 0;
}

int cpus_choose(struct cpus *cpus, const char *wish, char why[CPUS_TEXT])
{
    if (!wish[0] || strcmp(wish, "all") == 0)
        return 0;
    if (strcmp(wish, "big") == 0 || strcmp(wish, "little") == 0) {
        if (cpus->count)
            keep_type(cpus, wish[0] == 'b' ? cpus->cpu[0].type : cpus->cpu[cpus->count - 1].type);
        return 0;
    }
    return keep_list(cpus, wish, why);
}

static bool has_cpu(const struct cpus *cpus, unsigned number, unsigned type)
{
    for (unsigned i = 0; i < cpus->count; i++)
        if (cpus->cpu[i].number == number && (type == CPUS_TYPES || cpus->cpu[i].type == type))
            return true;
    return false;
}

/* The numbers of one type (CPUS_TYPES: all) as ranges. */
static size_t add_list(const struct cpus *cpus, unsigned type, char *text, size_t room)
{
    unsigned most = 0;
    size_t at = 0;
    text[0] = '\0';
    for (unsigned i = 0; i < cpus->count; i++)
        if (cpus->cpu[i].number > most)
            most = cpus->cpu[i].number;
    for (unsigned first = 0; first <= most; first++) {
        unsigned last = first;
        if (!has_cpu(cpus, first, type))
            continue;
        while (has_cpu(cpus, last + 1, type))
            last++;
        int size = last > first
                       ? snprintf(text + at, room - at, "%s%u-%u", at ? "," : "", first, last)
                       : snprintf(text + at, room - at, "%s%u", at ? "," : "", first);
        if (size < 0 || (size_t)size >= room - at)
            break;
        at += (size_t)size;
        first = last;
    }
    return at;
}

const char *cpus_list(const struct cpus *cpus, char text[CPUS_TEXT])
{
    add_list(cpus, CPUS_TYPES, text, CPUS_TEXT);
    return text;
}

const char *cpus_types(const struct cpus *cpus, char text[CPUS_TEXT])
{
    size_t at = 0;
    text[0] = '\0';
    if (cpus->types < 2)
        return text;
    for (unsigned i = 0; i < cpus->count; i++) {
        if (i > 0 && cpus->cpu[i].type == cpus->cpu[i - 1].type)
            continue;
        char list[64];
        add_list(cpus, cpus->cpu[i].type, list, sizeof list);
        int size = snprintf(text + at, CPUS_TEXT - at, "%s%s (%s %llu)", at ? ", " : "", list,
                            cpus->source, (unsigned long long)cpus->cpu[i].power);
        if (size < 0 || (size_t)size >= CPUS_TEXT - at)
            break;
        at += (size_t)size;
    }
    return text;
}
