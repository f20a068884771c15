#include "device/board.h"

#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/str.h"
#include "base/units.h"
#include "device/sysfs.h"

#define CLOCK_SANE_NS                                                                              \
    (1577836800ull * NS_PER_S) /* 2020-01-01: before it, no clock was ever set                     \
                                */
#define CPUS_MAX 4096

static char *read_label(const char *root, const char *folder, const char *name)
{
    AUTO_FREE char *path = NULL;
    return sysfs_resolve(root, folder, &path) == 0 ? sysfs_label(path, name) : NULL;
}

/* `compatible` is a list of NUL-ended names, the most exact first. */
static char *read_compatible(const char *root)
{
    AUTO_FREE char *path = NULL;
    AUTO(str_done) struct str text = {0};
    if (sysfs_resolve(root, "/proc/device-tree", &path) < 0 ||
        sysfs_text(path, "compatible", &text) < 0 || !str_text(&text)[0])
        return NULL;
    struct str first = {0};
    str_add_clean(&first, text.text, strlen(text.text));
    return str_take(&first);
}

/* Counts a list such as "0-3,6"; 0 when it is none. */
static unsigned count_cpus(const char *list)
{
    uint64_t count = 0;
    while (*list) {
        AUTO(str_done) struct str range = {0};
        str_add_bytes(&range, list, strcspn(list, ","));
        list += range.size;
        list += *list == ',';
        if (range.size == 0)
            return 0;
        uint64_t first = 0, last = 0;
        char *dash = strchr(range.text, '-');
        if (dash)
            *dash = '\0';
        if (units_parse_u64(range.text, &first) < 0)
            return 0;
        last = first;
        if (dash && units_parse_u64(dash + 1, &last) < 0)
            return 0;
        if (last < first || last >= CPUS_MAX)
            return 0;
        count += last - first + 1;
    }
    return (unsigned)count;
}

static unsigned read_cpus(const char *root)
{
    AUTO_FREE char *list = read_label(root, "/sys/devices/system/cpu", "online");
    return list ? count_cpus(list) : 0;
}

static uint64_t read_meminfo(const char *root, const char *key)
{
    AUTO_FREE char *path = NULL;
    AUTO(str_done) struct str text = {0}, digits = {0};
    if (sysfs_resolve(root, "/proc", &path) < 0 || sysfs_text(path, "meminfo", &text) < 0)
        return 0;
    const char *line = strstr(str_text(&text), key);
    if (!line)
        return 0;
    line += strlen(key);
    line += strspn(line, " \t");
    str_add_bytes(&digits, line, strspn(line, "0123456789"));
    uint64_t kib = 0;
    if (units_parse_u64(str_text(&digits), &kib) < 0 || kib > UINT64_MAX / 1024)
        return 0;
    return kib * 1024;
}

uint64_t board_memory(const char *root)
{
    return read_meminfo(root, "MemTotal:");
}

uint64_t board_memory_available(const char *root)
{
    return read_meminfo(root, "MemAvailable:");
}

int board_read(const char *root, struct board *ret_board)
{
    struct board board = {
        .name = read_label(root, "/proc/device-tree", "model"),
        .compatible = read_compatible(root),
        .kernel = read_label(root, "/proc/sys/kernel", "osrelease"),
        .governor = read_label(root, "/sys/devices/system/cpu/cpu0/cpufreq", "scaling_governor"),
        .boot_id = read_label(root, "/proc/sys/kernel/random", "boot_id"),
        .cpus = read_cpus(root),
        .memory_bytes = board_memory(root),
        .clock_set = root[0] ? -1 : clock_wall_ns() > CLOCK_SANE_NS,
    };
    if (!board.name)
        board.name = read_label(root, "/sys/class/dmi/id", "product_name");
    *ret_board = board;
    return 0;
}

void board_done(struct board *board)
{
    free(board->name);
    free(board->compatible);
    free(board->kernel);
    free(board->governor);
    free(board->boot_id);
    *board = (struct board){0};
}

void board_add_pairs(const struct board *board, struct str *pairs)
{
    const struct {
        const char *key, *value;
    } texts[] = {
        {"machine.board", board->name},        {"machine.compatible", board->compatible},
        {"machine.kernel", board->kernel},     {"machine.iodyno", IODYNO_VERSION},
        {"machine.governor", board->governor}, {"machine.boot_id", board->boot_id},
    };
    for (size_t i = 0; i < ARRAY_SIZE(texts); i++)
        if (texts[i].value)
            str_add_pair(pairs, texts[i].key, texts[i].value);
    if (board->cpus > 0)
        str_add_pairf(pairs, "machine.cpus", "%u", board->cpus);
    if (board->memory_bytes > 0)
        str_add_pairf(pairs, "machine.memory_bytes", "%llu",
                      (unsigned long long)board->memory_bytes);
    if (board->clock_set >= 0)
        str_add_pair(pairs, "machine.clock_set", board->clock_set ? "true" : "false");
}
