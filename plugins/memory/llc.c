#include "llc.h"

#include <dirent.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "common/cleanup.h"
#include "common/text.h"
#include "llc_tally.h"
#include "llc_tree.h"

#define CPUS_MAX 8192
#define INDEXES_MAX 8
#define SYS_CPU "/sys/devices/system/cpu"
#define UNITS_MAX (UINT64_C(1) << 32) /* of a size text: shifted it still fits */

static bool settle(const struct llc_tally *tally, const char *source, struct llc *into)
{
    struct llc found = {.source = source};
    for (unsigned i = 0; i < LLC_LEVELS; i++) {
        if (tally->level[i].one == 0)
            continue;
        found.level[found.levels].level = i + 1;
        found.level[found.levels++].bytes = tally->level[i].one;
        found.bytes = tally->level[i].sum;
    }
    if (found.levels > 0)
        *into = found;
    return found.levels > 0;
}

/* "32K", "300M"; 0 when it is no size. */
static uint64_t size_of(const char *text)
{
    uint64_t value;
    const char *end;
    if (text_digits(text, &value, &end) < 0 || value > UNITS_MAX)
        return 0;
    switch (*end) {
    case 'G':
        return value << 30;
    case 'M':
        return value << 20;
    case 'K':
        return value << 10;
    default:
        return *end ? 0 : value;
    }
}

/* The caches of one CPU. One that is shared is known by the first CPU of its list. */
static void take_cpu(const char *root, unsigned cpu, struct llc_tally *tally)
{
    for (unsigned index = 0; index < INDEXES_MAX; index++) {
        char path[160], text[32], list[256];
        uint64_t level, first = cpu;
        int size = snprintf(path, sizeof path, SYS_CPU "/cpu%u/cache/index%u/", cpu, index);
        char *name = path + size;
        const size_t left = sizeof path - (size_t)size;
        (void)snprintf(name, left, "level");
        if (text_number(root, path, &level) < 0 || level > LLC_LEVELS)
            continue;
        (void)snprintf(name, left, "type");
        if (text_read(root, path, text, sizeof text) > 0 && strcmp(text, "Instruction") == 0)
            continue;
        (void)snprintf(name, left, "shared_cpu_list");
        if (text_read(root, path, list, sizeof list) > 0)
            (void)text_digits(list, &first, NULL);
        (void)snprintf(name, left, "size");
        if (text_read(root, path, text, sizeof text) > 0 && first < CPUS_MAX)
            llc_tally_take(tally, (unsigned)level, (unsigned)first, size_of(text));
    }
}

static void take_sysfs(const char *root, struct llc_tally *tally)
{
    char path[TEXT_PATH_MAX];
    const char *above = strcmp(root, "/") == 0 ? "" : root;
    int size = snprintf(path, sizeof path, "%s" SYS_CPU, above);
    DIR *folder = size > 0 && (size_t)size < sizeof path ? opendir(path) : NULL;
    if (!folder)
        return;
    for (const struct dirent *entry; (entry = readdir(folder));) {
        uint64_t cpu;
        const char *end;
        if (strncmp(entry->d_name, "cpu", 3) == 0 &&
            text_digits(entry->d_name + 3, &cpu, &end) == 0 && *end == '\0' && cpu < CPUS_MAX)
            take_cpu(root, (unsigned)cpu, tally);
    }
    (void)closedir(folder);
}

/* glibc asks the CPU itself; on most ARM it knows nothing. It tells no number of caches. */
static void take_sysconf(const char *root, struct llc_tally *tally)
{
    if (root[0] && strcmp(root, "/") != 0)
        return;
#ifdef _SC_LEVEL1_DCACHE_SIZE
    static const int names[LLC_LEVELS] = {_SC_LEVEL1_DCACHE_SIZE, _SC_LEVEL2_CACHE_SIZE,
                                          _SC_LEVEL3_CACHE_SIZE, _SC_LEVEL4_CACHE_SIZE};
    for (unsigned i = 0; i < LLC_LEVELS; i++) {
        const long bytes = sysconf(names[i]);
        if (bytes > 0)
            llc_tally_take(tally, i + 1, 0, (uint64_t)bytes);
    }
#else
    (void)tally;
#endif
}

int llc_find(const char *root, struct llc *into)
{
    static const struct {
        const char *name;
        void (*take)(const char *root, struct llc_tally *tally);
    } sources[] = {
        {"sysfs", take_sysfs}, {"device tree", llc_tree_take}, {"sysconf", take_sysconf}};
    for (size_t i = 0; i < ARRAY_SIZE(sources); i++) {
        AUTO_FREE struct llc_tally *tally = calloc(1, sizeof *tally);
        if (!tally)
            break;
        sources[i].take(root ? root : "", tally);
        if (settle(tally, sources[i].name, into))
            return 0;
    }
    *into = (struct llc){.bytes = LLC_GUESS_BYTES, .source = "guess"};
    return 0;
}
